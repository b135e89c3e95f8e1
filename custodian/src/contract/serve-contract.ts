import type { Server } from 'node:http';
import { type SignedAnswer, type SignedSettings, serveSigned } from './serve-signed.ts';
import { type ContractAnswer, type OrderBook, lookUp, takeOrder } from './take-order.ts';

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const PAYOUT_PATH = new RegExp(`^/v1/payouts/(${UUID})$`);

export interface ContractSettings extends OrderBook, SignedSettings {
  /** What is on the chains, for `GET /v1/holdings`. */
  readonly readHoldings: () => Promise<unknown>;
  /** Called after an order was accepted. */
  readonly onOrder: () => void;
}

/** Serves the custodian's contract (docs/custody.md). */
export function serveContract(settings: ContractSettings): Promise<Server> {
  return serveSigned(settings, async ({ method, path, headers, body }): Promise<SignedAnswer> => {
    if (method === 'GET' && path === '/v1/holdings') return { status: 200, body: await settings.readHoldings() };
    const withdrawalId = PAYOUT_PATH.exec(path)?.[1];
    if (withdrawalId === undefined) return { status: 404, body: { error: 'no such route' } };
    if (method === 'GET') return lookUp(settings, withdrawalId);
    if (method !== 'PUT') return { status: 405, body: { error: 'no such method' } };
    const signature = /^ed25519=([0-9a-f]{128})$/.exec(String(headers['x-bureau-payout-signature']))?.[1] ?? '';
    const answered: ContractAnswer = takeOrder(settings, withdrawalId, body.toString('utf8'), signature);
    if (answered.status === 200) settings.onOrder();
    return answered;
  });
}
