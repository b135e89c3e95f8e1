import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { type OrderBook, lookUp, takeOrder } from '../../src/contract/take-order.ts';
import { refuseUnserved } from '../../src/payer/advance-spends.ts';
import { SignerUnavailable } from '../../src/signer/connect.ts';
import type { SignerAnswer, SignerRequest } from '../../src/signer/requests.ts';
import { Database } from '../../src/store/database.ts';
import { BUREAU_KEY, newFolder, orderOf } from '../support/signing.ts';

const ID = '019ac5a4-7c00-7000-8000-000000000001';
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const RECIPIENT = '0x52908400098527886E0F7030069857D2E4169EE7';

let database: Database;
let book: OrderBook;
let events: string[];

beforeEach(() => {
  database = new Database(join(newFolder(), 'custodian.sqlite'));
  events = [];
  const log = (event: string) => void events.push(event);
  book = { database, served: new Set(['ETH']), bureauKeys: [BUREAU_KEY], log, now: () => 0 };
});

const orderFor = (changes: object = {}) => ({
  withdrawalId: ID,
  asset: 'ETH',
  network: 'ETH',
  contractAddress: null,
  address: RECIPIENT,
  amount: '1.5',
  ...changes,
});

function take(payout: object, secret?: Uint8Array<ArrayBuffer>) {
  const { body, signature } = orderOf(payout, secret);
  return takeOrder(book, ID, body, signature);
}

test('an order that Bureau did not sign, or for another id than the path’s, is not stored', () => {
  expect(take(orderFor(), new Uint8Array(32).fill(8)).status).toBe(401);
  const { body, signature } = orderOf(orderFor());
  expect(takeOrder(book, ID, body.replace('1.5', '1.6'), signature).status).toBe(401);
  expect(takeOrder(book, ID, body, '').status).toBe(401);
  expect(take(orderFor({ withdrawalId: ID.replace('1', '2') })).status).toBe(400);
  expect(lookUp(book, ID).status).toBe(404);
});

test('a second order for an id is answered by the first, and one with other fields by an error', () => {
  expect(take(orderFor())).toEqual({ status: 200, body: { status: 'accepted' } });
  expect(take(orderFor())).toEqual({ status: 200, body: { status: 'accepted' } });
  expect(take(orderFor({ amount: '2' })).status).toBe(400);
  expect(database.all('SELECT atoms FROM spends')).toEqual([{ atoms: String(15n * 10n ** 17n) }]);
  expect(events).toEqual(['order_accepted', 'order_conflicts']);
});

test.each([
  ['a network that is not served', { network: 'TRC20', asset: 'USDT' }],
  ['an asset that the network does not carry', { asset: 'LTC' }],
  ['a token under another contract', { asset: 'USDT', contractAddress: RECIPIENT }],
  ['no address of the network', { address: 'nowhere' }],
  ['more decimals than the token has', { asset: 'USDT', contractAddress: USDT, amount: '0.0000001' }],
  ['nothing', { amount: '0' }],
])('an order for %s is never paid', (_, changes) => {
  expect(take(orderFor(changes))).toEqual({ status: 200, body: { status: 'accepted' } });
  expect(database.all('SELECT state FROM spends')).toEqual([{ state: 'REFUSING' }]);
});

test('"refused" is answered only when the signer has burnt the id, and never when it has signed for it', async () => {
  take(orderFor({ network: 'TRC20', asset: 'USDT' }));
  const asked: SignerRequest[] = [];
  const refuse = (answer: () => SignerAnswer) => {
    const askSigner = (request: SignerRequest) => {
      asked.push(request);
      return Promise.resolve().then(answer);
    };
    const tools = { database, askSigner, log: book.log, onSettled: () => undefined };
    return refuseUnserved(tools, book.served);
  };
  const status = () => lookUp(book, ID).body;
  await refuse(() => {
    throw new SignerUnavailable('the signer does not answer');
  });
  expect(status()).toEqual({ status: 'accepted' });
  await refuse(() => ({ kind: 'burnt', signed: true, signature: 'ab' }));
  expect([status(), events.at(-1)]).toEqual([{ status: 'accepted' }, 'refusal_impossible']);
  await refuse(() => ({ kind: 'burnt', signed: false, signature: 'ab' }));
  expect(status()).toMatchObject({ status: 'refused' });
  expect(asked).toEqual(Array.from({ length: 3 }, () => ({ kind: 'burn', withdrawalId: ID })));
});
