import { runInDurableObject } from 'cloudflare:test';
import { expect } from 'vitest';
import { wakeBehind } from '../../../src/events/webhooks/reach-sender.ts';
import { type Trader, operate } from '../exchange.ts';
import { database } from '../db/raw-ledger.ts';
import { aroundBatches } from '../runtime/faults.ts';
import { env } from '../runtime/test-env.ts';
import { ENDPOINTS, type EndpointBody, runAlarm, senderOf } from './receiver.ts';

/** Has so many things happen to an account. */
export async function tell({ accountId }: Trader, count: number): Promise<void> {
  for (let credited = 0; credited < count; credited += 1) {
    const body = { asset: 'ETH', amount: '1', reference: crypto.randomUUID() };
    await operate('POST', `/accounts/${accountId}/credits`, body);
  }
}

export const wake = () => wakeBehind(env, database, Date.now());

/** Has what is there sent, until nothing more is due. */
export async function send(endpoint: EndpointBody): Promise<void> {
  await wake();
  await runAlarm(endpoint);
}

/** When the object next does something, from now on in milliseconds; `null` for never. */
export async function nextAttempt(endpoint: EndpointBody): Promise<number | null> {
  const at_ms = await runInDurableObject(senderOf(endpoint), (_sender, { storage }) => storage.getAlarm());
  return at_ms === null ? null : at_ms - Date.now();
}

export const id = (trader: Trader, sequence: number) => `evt_${trader.accountId}_${sequence}`;
export const ids = (trader: Trader, ...sequences: number[]) => sequences.map((sequence) => id(trader, sequence));

export async function readEndpoint(trader: Trader, endpoint: EndpointBody): Promise<EndpointBody> {
  return (await trader.read<{ webhookEndpoint: EndpointBody }>(`${ENDPOINTS}/${endpoint.id}`)).webhookEndpoint;
}

export interface Delivery {
  readonly eventId: string;
  readonly outcome: string;
  readonly status: number | null;
  readonly answer: string | null;
}

export interface Deliveries {
  readonly deliveries: Delivery[];
  readonly setAside: Delivery[];
  readonly deliveredTo: number;
  readonly nextAttemptAt: string | null;
}

export const readDeliveries = (trader: Trader, endpoint: EndpointBody) =>
  trader.read<Deliveries>(`${ENDPOINTS}/${endpoint.id}/deliveries`);

/** Does something with a change that comes once it has begun, and before it reads the events. */
export async function changeBeforeEvents<T>(change: () => Promise<void>, act: () => Promise<T>): Promise<T> {
  const { state, restore } = aroundBatches('before', 1, change, (text) => text.includes('from \\"events\\"'));
  const done = await act();
  restore();
  expect(state.injected).toBe(1);
  return done;
}
