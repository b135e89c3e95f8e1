import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createEvmChain } from '../../src/evm/evm-chain.ts';
import { EvmNode } from '../../src/evm/evm-node.ts';
import { follow } from '../../src/nodes/follow.ts';
import { readHead } from '../../src/store/chain-state.ts';
import { Database } from '../../src/store/database.ts';
import { listUnsettledDeposits } from '../../src/store/deposits.ts';
import { newFolder } from '../support/signing.ts';

/** Blocks as the chains make them: a played node, whose JSON is what such nodes are known to answer. */
const OURS = `0x${'11'.repeat(20)}`;
const SENDER = `0x${'22'.repeat(20)}`;
const NOBODY = `0x${'00'.repeat(20)}`;
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const word = (text: string) => `0x${text.replace('0x', '').padStart(64, '0')}`;
const hashOf = (number: number) => word(number.toString(16));
const quantity = (number: number) => `0x${number.toString(16)}`;

interface PlayedBlock {
  readonly transactions: readonly Record<string, unknown>[];
  readonly receipts: readonly unknown[];
  readonly traces: readonly unknown[];
  readonly withdrawals?: readonly unknown[];
}

/** A chain of these blocks, after an empty one. */
function play(blocks: readonly PlayedBlock[], hasTraces = true) {
  const all: PlayedBlock[] = [{ transactions: [], receipts: [], traces: [] }, ...blocks];
  const header = (number: number) => ({
    number: quantity(number),
    hash: hashOf(number + 1_000),
    parentHash: hashOf(number + 999),
    timestamp: quantity(1_795_241_228 + number),
  });
  const answer = (method: string, [at]: readonly unknown[]): unknown => {
    const number = typeof at === 'string' && at.length > 10 ? Number(BigInt(at)) - 1_000 : Number(at);
    switch (method) {
      case 'eth_chainId':
        return '0x1';
      case 'eth_getBlockByNumber': {
        const height = at === 'latest' || at === 'finalized' ? all.length - 1 : number;
        return height < all.length ? header(height) : null;
      }
      case 'eth_getBlockByHash':
        return { ...header(number), ...all[number] };
      case 'eth_getBlockReceipts':
        return all[number]?.receipts.map((one) => ({ ...(one as object), blockHash: hashOf(number + 1_000) }));
      case 'debug_traceBlockByHash':
        return all[number]?.traces;
      default:
        throw new Error(method);
    }
  };
  const node = new EvmNode((method, params) => Promise.resolve(answer(method, params)));
  const chain = createEvmChain({
    network: 'ETH',
    node,
    secondNode: undefined,
    finalTag: 'finalized',
    finalDepth: 1,
    hasTraces,
  });
  const database = new Database(join(newFolder(), 'custodian.sqlite'));
  const events: { event: string; [field: string]: unknown }[] = [];
  const owner = { account: 'deposit', addressIndex: 3, address: OURS } as const;
  const run = () =>
    follow(
      database,
      chain,
      (address) => (address === OURS ? owner : undefined),
      { startHeight: 0, finalDepth: 1 },
      (event, fields) => events.push({ event, ...fields }),
    );
  return { run, database, events, height: () => readHead(database, 'ETH')?.height };
}

const transaction = (number: number, changes: object = {}) => ({
  hash: hashOf(number),
  from: SENDER,
  to: OURS,
  value: quantity(number),
  nonce: '0x0',
  type: '0x2',
  ...changes,
});

const receipt = (number: number, changes: object = {}) => ({
  transactionHash: hashOf(number),
  status: '0x1',
  gasUsed: '0x5208',
  effectiveGasPrice: '0x1',
  logs: [],
  ...changes,
});

const trace = (number: number, changes: object = {}) => ({
  txHash: hashOf(number),
  result: { type: 'CALL' },
  ...changes,
});

test('two transactions that name one nonce of one sender are both read, and both pay', async () => {
  const block = (number: number, type: string) => ({
    transactions: [transaction(number, { type })],
    receipts: [receipt(number)],
    traces: [trace(number)],
  });
  const { run, database, height } = play([block(1, '0x0'), block(2, '0x64'), block(3, '0x0')]);
  await run();
  expect(height()).toBe(3);
  expect(listUnsettledDeposits(database, 'ETH').map(({ atoms }) => atoms)).toEqual([1n, 2n, 3n]);
});

test('what a chain itself made stops no block, whether its transaction, receipt or trace is missing or strange', async () => {
  const kinds = fc.constantFrom('0x0', '0x2', '0x64', '0x65', '0x68', '0x69', '0x6a', '0x7e', '0x7f', '0xff');
  const strange = fc.record(
    {
      value: fc.constantFrom(null, '0x', 'x'),
      nonce: fc.constantFrom(null, '-1'),
      to: fc.constantFrom(null, '0x'),
      from: fc.constant(NOBODY),
    },
    { requiredKeys: [] },
  );
  const parts = fc.array(
    fc.record({
      type: kinds,
      changes: strange,
      hasReceipt: fc.boolean(),
      receiptChanges: fc.record({ status: fc.constantFrom('0x0', '0x1', null) }, { requiredKeys: [] }),
      hasTrace: fc.boolean(),
      isListed: fc.boolean(),
    }),
    { maxLength: 6 },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(parts, { minLength: 1, maxLength: 4 }), async (drawn) => {
      let number = 0;
      let wanted = 0;
      const blocks = drawn.map((list): PlayedBlock => {
        const block = {
          transactions: [] as Record<string, unknown>[],
          receipts: [] as unknown[],
          traces: [] as unknown[],
        };
        for (const { type, changes, hasReceipt, receiptChanges, hasTrace, isListed } of list) {
          number += 1;
          const isSigned = type === '0x0' || type === '0x2';
          if (isSigned) {
            wanted += 1;
            block.transactions.push(transaction(number, { type, nonce: quantity(number) }));
            block.receipts.push(receipt(number));
            block.traces.push(trace(number, hasTrace ? {} : { result: undefined, error: 'execution timeout' }));
            continue;
          }
          if (isListed) block.transactions.push(transaction(number, { type, ...changes }));
          if (hasReceipt) block.receipts.push(receipt(number, { from: NOBODY, type, ...receiptChanges }));
          if (hasTrace) block.traces.push(trace(number));
        }
        return block;
      });
      const { run, database, height } = play(blocks);
      await run();
      expect(height()).toBe(blocks.length);
      const seen = listUnsettledDeposits(database, 'ETH').map(({ txHash }) => Number(BigInt(txHash)));
      expect(seen.length).toBeGreaterThanOrEqual(wanted);
      database.close();
    }),
    { seed: 39, numRuns: 60 },
  );
});

test('a node that leaves what the chain made out of its unnamed traces is believed, and one that leaves out more is not', async () => {
  const unnamed = { result: { type: 'CALL', calls: [{ type: 'CALL', to: OURS, value: '0x7' }] } };
  const block = (traces: readonly unknown[]) => ({
    transactions: [transaction(1, { to: SENDER }), transaction(2, { from: NOBODY, to: NOBODY, type: '0x0' })],
    receipts: [receipt(1), receipt(2)],
    traces,
  });
  const { run, database } = play([block([unnamed])]);
  await run();
  expect(listUnsettledDeposits(database, 'ETH').map(({ atoms, isInner }) => [atoms, isInner])).toEqual([[7n, true]]);
  await expect(play([block([])]).run()).rejects.toThrow('traces are missing');
  await expect(play([{ ...block([unnamed]), receipts: [receipt(2)] }]).run()).rejects.toThrow('receipts are missing');
});

test('a signed transaction in another form is no answer, so the block is read again', async () => {
  const block = { transactions: [transaction(1, { value: null })], receipts: [receipt(1)], traces: [trace(1)] };
  await expect(play([block]).run()).rejects.toThrow();
  await expect(
    play([{ ...block, transactions: [hashOf(1) as unknown as Record<string, unknown>] }]).run(),
  ).rejects.toThrow();
});

test('a token that is not listed, a validator’s withdrawal and a trace that a node gave up are events of the log', async () => {
  const logs = [{ address: SENDER, topics: [TRANSFER, word(SENDER), word(OURS)], data: word('5') }];
  const { run, events } = play([
    {
      transactions: [transaction(1, { to: SENDER })],
      receipts: [receipt(1, { logs: [...logs, ...logs] })],
      traces: [trace(1, { result: undefined, error: 'execution timeout' })],
      withdrawals: [
        { index: '0x1', validatorIndex: '0x1', address: OURS, amount: '0x3' },
        { index: '0x2', validatorIndex: '0x1', address: SENDER, amount: '0x3' },
      ],
    },
  ]);
  await run();
  expect(events).toEqual([
    { event: 'payment_without_transaction', network: 'ETH', height: 1, address: OURS, atoms: '3000000000' },
    { event: 'inner_payments_unread', network: 'ETH', txHash: hashOf(1) },
    { event: 'token_not_listed', network: 'ETH', txHash: hashOf(1), contract: SENDER, address: OURS, atoms: '5' },
  ]);
});
