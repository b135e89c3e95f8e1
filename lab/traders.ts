import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Asset } from '../src/money/assets.ts';
import type { Clerk, Entry } from '../test/kills/clerk.ts';
import type { Client } from '../test/support/client.ts';
import type { Operator } from '../test/support/node/exchange/operator.ts';

export async function openTraders(
  operator: Operator,
  count: number,
  funds: Partial<Record<Asset, string>> = {},
): Promise<Client[]> {
  const traders: Client[] = [];
  while (traders.length < count) traders.push(await operator.openClient(funds));
  return traders;
}

/**
 * Calls `send` at an even rate until `isDone`, with the time since the first at which it was due. Those that became due
 * while the process was delayed are sent at once. Returns what they gave, when all have.
 */
export async function sendSteadily<T>(
  perSecond: number,
  isDone: () => boolean,
  send: (index: number, due_ms: number) => Promise<T>,
): Promise<T[]> {
  const begun_ms = performance.now();
  const sent: Promise<T>[] = [];
  for (; !isDone(); await sleep(1)) {
    for (;;) {
      const due_ms = begun_ms + (sent.length * 1_000) / perSecond;
      if (due_ms > performance.now()) break;
      sent.push(send(sent.length, due_ms));
    }
  }
  return Promise.all(sent);
}

/** Places an order of 5 USDT, and sends it again after each pause until it is decided, or until `isOver`. */
export async function placeUntilDecided(
  clerk: Clerk,
  { accountId, token }: Pick<Client, 'accountId' | 'token'>,
  side: 'BUY' | 'SELL',
  pause_ms: number,
  { send = (entry: Entry) => clerk.send(entry), isOver = (): boolean => false } = {},
): Promise<void> {
  const body = { coin: 'BTC', side, mode: 'USDT_AMOUNT', value: '5' };
  const order = { kind: 'order', accountId, token, path: '/api/v1/orders', body, mark: '5' } as const;
  const entry = clerk.enter({ ...order, idempotencyKey: randomUUID() });
  while (!(await send(entry)) && !isOver()) await sleep(pause_ms);
}
