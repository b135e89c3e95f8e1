import type { Outcome } from '../../src/http/answer.ts';
import { chooseBounds } from '../../src/providers.ts';
import { type OrderTerms, readTerms } from '../../src/orders/plan.ts';
import { vi } from 'vitest';
import { config } from '../../src/env.ts';
import { GateSettings, type LedgerGate } from '../../src/orders/gate.ts';
import { FIRST_LEDGER, ledgerNumberOf, newRecordId } from '../../src/db/record-id.ts';
import type { PlaceOrder } from '../../src/orders/terms.ts';
import { type GateCall, gateName } from '../../src/orders/place-order.ts';
import type { Trader } from './exchange.ts';
import { abort } from './runtime/faults.ts';
import { env } from './runtime/test-env.ts';
import { ledgersUnderTest } from './db/open-in-ledger.ts';

/** The gate that every lane of a ledger calls. A stub is broken once its object was aborted, so every use takes a new one. */
export function ledgerGate(ledger: number = FIRST_LEDGER): DurableObjectStub<LedgerGate> {
  return env.LEDGER_GATE.getByName(gateName(config.LEDGER_LOCATION, ledger));
}

/** A second gate of the same ledger, as there may be after a restart. */
export function openGate(): DurableObjectStub<LedgerGate> {
  return env.LEDGER_GATE.getByName(crypto.randomUUID());
}

export function gateOfBefore(ledger: number): DurableObjectStub<LedgerGate> {
  return env.LEDGER_GATE.getByName(`the gate of before of ledger ${ledger}`);
}

/** Makes the gates forget the settings and prices that they hold. */
export async function forgetSettings(): Promise<void> {
  for (const ledger of ledgersUnderTest) await abort(ledgerGate(ledger));
}

/** Tracks the gates' background fetches from now on. `settle` resolves when all have ended. */
export function followRefreshes(): { settle(): Promise<void>; restore(): void } {
  let [begun, ended] = [0, 0];
  const { keepFresh } = GateSettings.prototype;
  const spy = vi.spyOn(GateSettings.prototype, 'keepFresh').mockImplementation(async function follow(
    this: GateSettings,
  ) {
    begun += 1;
    await keepFresh.call(this);
    ended += 1;
  });
  // Polls instead of awaiting: code that awaits a promise of another object continues in that object.
  return { settle: () => until(() => ended >= begun), restore: () => spy.mockRestore() };
}

/** Whether what is sent to the database reads the settings alone, as gates do by themselves while they have orders. */
export function isSettingsRead(sent: unknown): boolean {
  return typeof sent === 'string' && sent.includes('from "settings"');
}

/** Waits inside the test's own object, by the machine's own clock. */
export async function until(isSo: () => boolean, pause_ms = 1): Promise<void> {
  while (!isSo()) await scheduler.wait(pause_ms);
}

/** What an order asks for, as the key's lane reads it. */
export function readOrderTerms(order: PlaceOrder): Outcome<OrderTerms> {
  return readTerms(order, chooseBounds(config));
}

/** The same. Throws for an order that is refused without a price. */
export function termsOf(order: PlaceOrder): OrderTerms {
  const terms = readOrderTerms(order);
  if (!terms.ok) throw new Error(terms.detail);
  return terms.value;
}

/** A new order of a trader, in the form in which the key's lane sends it to the gate. */
export function handOver({ accountId, keyId }: Trader, order: PlaceOrder, change: Partial<GateCall> = {}): GateCall {
  return {
    orderId: newRecordId(Date.now(), ledgerNumberOf(accountId)),
    accountId,
    keyId,
    terms: termsOf(order),
    waited_ms: 0,
    ...change,
  };
}
