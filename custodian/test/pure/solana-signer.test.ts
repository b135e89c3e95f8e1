import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SignRequest, SignerAnswer, SolanaTransaction } from '../../src/signer/requests.ts';
import { SignatureLog } from '../../src/signer/signature-log.ts';
import { answerSigner } from '../../src/signer/signer.ts';
import { nonceAccountOf, tokenAccountOf } from '../../src/solana/solana-message.ts';
import { customerOf, hot } from '../support/play-solana-customer.ts';
import { wallet } from '../support/run-custodian.ts';
import { COLD_SOL, newFolder, orderOf, policy } from '../support/signing.ts';
import { MINTS } from '../support/start-solana.ts';

const VALUE = 'GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W';
const OTHER_VALUE = '4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi';
const RECIPIENT = customerOf(900);

let log: SignatureLog;
let now_ms = 1_795_241_228_000;

beforeEach(() => {
  log = new SignatureLog(join(newFolder(), 'signatures.sqlite'));
});

afterEach(() => log.close());

const ask = (request: Parameters<typeof answerSigner>[1], rules = policy): SignerAnswer =>
  answerSigner({ wallet, policy: rules, log, now: () => now_ms }, request);

const payment = (changes: object = {}) => ({
  mint: MINTS.USDC,
  recipient: RECIPIENT,
  transfers: [{ source: tokenAccountOf(hot, MINTS.USDC), atoms: '12500000' }],
  ...changes,
});

const transaction = (changes: Partial<SolanaTransaction> = {}): SolanaTransaction => ({
  nonceAccount: 2,
  lifetime: VALUE,
  computeLimit: 132_000,
  computePrice: '1000',
  payment: payment(),
  ...changes,
});

const order = (changes: object = {}) =>
  orderOf({
    withdrawalId: randomUUID(),
    asset: 'USDC',
    network: 'SOL',
    contractAddress: MINTS.USDC,
    address: RECIPIENT,
    amount: '12.5',
    ...changes,
  });

const payout = (changes: Partial<SolanaTransaction> = {}, ordered = order()): SignRequest => ({
  kind: 'solana_payout',
  network: 'SOL',
  transaction: transaction(changes),
  order: ordered,
});

const reasonOf = (answer: SignerAnswer) => (answer.kind === 'refused' ? answer.reason : answer.kind);

test('a payout is signed for exactly the ordered recipient, mint, amount and source', () => {
  expect(reasonOf(ask(payout()))).toBe('signed');
  const wrong: readonly [object | null, string][] = [
    [payment({ recipient: customerOf(901) }), 'another_recipient'],
    [null, 'another_recipient'],
    [payment({ mint: MINTS.USDT }), 'another_payment'],
    [payment({ mint: RECIPIENT }), 'another_payment'],
    [payment({ transfers: [{ source: tokenAccountOf(hot, MINTS.USDC), atoms: '12500001' }] }), 'another_payment'],
    [payment({ transfers: [{ source: tokenAccountOf(hot, MINTS.USDT), atoms: '12500000' }] }), 'another_payment'],
    [payment({ transfers: [...payment().transfers, ...payment().transfers] }), 'another_payment'],
  ];
  for (const [changed, reason] of wrong) {
    expect(reasonOf(ask(payout({ lifetime: OTHER_VALUE, payment: changed as never })))).toBe(reason);
  }
  expect(reasonOf(ask(payout({}, orderOf({ amount: '12.5' }, new Uint8Array(32).fill(8)))))).toBe(
    'not_signed_by_bureau',
  );
});

test('a nonce is used for one payout, and a payout again only with the same nonce', () => {
  const ordered = order();
  const first = ask(payout({}, ordered));
  expect(first.kind).toBe('signed');
  // Dearer, with the same nonce: another version. The same fields again: the same bytes.
  expect(reasonOf(ask(payout({ computePrice: '2000' }, ordered)))).toBe('signed');
  expect(ask(payout({}, ordered))).toEqual(first);
  expect(reasonOf(ask(payout({ lifetime: OTHER_VALUE }, ordered)))).toBe('second_payment');
  expect(reasonOf(ask(payout({ nonceAccount: 1 }, ordered)))).toBe('second_payment');
  expect(reasonOf(ask(payout()))).toBe('fence_taken');
  // Two accounts may have the same value.
  expect(reasonOf(ask(payout({ nonceAccount: 1 })))).toBe('signed');
});

test('a deposit key and the hot wallet pay nobody but the hot wallet and the cold one', () => {
  const sweep = (changes: object): SignRequest => ({
    kind: 'solana_sweep',
    network: 'SOL',
    transaction: transaction({ payment: payment(changes) }),
    index: 3,
  });
  expect(reasonOf(ask(sweep({ recipient: customerOf(3) })))).toBe('another_recipient');
  expect(reasonOf(ask(sweep({ recipient: hot, mint: RECIPIENT })))).toBe('another_payment');
  expect(reasonOf(ask(sweep({ recipient: hot })))).toBe('signed');
  const cold = (recipient: string): SignRequest => ({
    kind: 'solana_cold',
    network: 'SOL',
    transaction: transaction({ lifetime: OTHER_VALUE, payment: payment({ recipient }) }),
  });
  expect(reasonOf(ask(cold(RECIPIENT)))).toBe('another_recipient');
  expect(reasonOf(ask(cold(COLD_SOL)))).toBe('signed');
});

test('a nonce is used up by nothing only for a burnt payout, and a nonce account is made without a payment', () => {
  const ordered = order();
  const withdrawalId = (JSON.parse(ordered.body) as { withdrawalId: string }).withdrawalId;
  expect(reasonOf(ask(payout({}, ordered)))).toBe('signed');
  const cancel = (changes: Partial<SolanaTransaction> = {}): SignRequest => ({
    kind: 'solana_cancel',
    network: 'SOL',
    transaction: transaction({ payment: null, ...changes }),
    withdrawalId,
  });
  expect(reasonOf(ask(cancel()))).toBe('not_burnt');
  ask({ kind: 'burn', withdrawalId });
  expect(reasonOf(ask(cancel({ payment: payment() })))).toBe('another_payment');
  expect(reasonOf(ask(cancel({ nonceAccount: null })))).toBe('another_payment');
  expect(reasonOf(ask(cancel()))).toBe('signed');
  expect(reasonOf(ask(payout({}, ordered)))).toBe('burnt');
  const make = (changes: Partial<SolanaTransaction> = {}): SignRequest => ({
    kind: 'solana_nonce',
    network: 'SOL',
    transaction: transaction({ nonceAccount: null, payment: null, ...changes }),
    index: 9,
  });
  expect(reasonOf(ask(make({ payment: payment() })))).toBe('another_payment');
  expect(reasonOf(ask(make({ nonceAccount: 2 })))).toBe('another_payment');
  expect(reasonOf(ask(make()))).toBe('signed');
  expect(ask({ kind: 'fence', network: 'SOL', fence: `${nonceAccountOf(hot, 9)}:new` })).toEqual({
    kind: 'fence',
    signed: true,
  });
});

test('the fee, what is offered for computing and the accounts that are made stay within the limits', () => {
  // 0.002 SOL for the recipient's account, 0.000005 for the signature, and 0.0081 for computing.
  expect(reasonOf(ask(payout({ computeLimit: 1_400_000, computePrice: '5690000' })))).toBe('fee_too_high');
  expect(reasonOf(ask(payout({ computeLimit: 1_400_000, computePrice: '5680000' })))).toBe('signed');
  const narrow = { ...policy, networks: { SOL: { ...policy.networks.SOL, feesPerHour: '0.014' } } } as typeof policy;
  expect(reasonOf(ask(payout({ lifetime: OTHER_VALUE }), narrow))).toBe('signed');
  expect(reasonOf(ask(payout({ lifetime: RECIPIENT }), narrow))).toBe('fee_limit');
  now_ms += 3_600_001;
  expect(reasonOf(ask(payout({ lifetime: RECIPIENT }), narrow))).toBe('signed');
  const poor = { ...policy, payoutsPerHour: { USDC: '25' } };
  expect(reasonOf(ask(payout({ lifetime: hot }), poor))).toBe('signed');
  expect(reasonOf(ask(payout({ lifetime: customerOf(1) }), poor))).toBe('limit');
});

test('the signer gives the addresses of any indexes, since nobody else can derive them', () => {
  const answer = ask({ kind: 'deposit_addresses', network: 'SOL', from: 7, count: 3 });
  expect(answer).toEqual({ kind: 'deposit_addresses', addresses: [7, 8, 9].map(customerOf) });
});
