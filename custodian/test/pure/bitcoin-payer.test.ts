import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BitcoinNode } from '../../src/bitcoin/bitcoin-node.ts';
import { MAX_GATHERED, createBitcoinPayer } from '../../src/bitcoin/bitcoin-payer.ts';
import { bitcoinRules } from '../../src/networks.ts';
import { Wallet } from '../../src/signer/wallet.ts';
import { beginAt, raiseFinalHeight } from '../../src/store/chain-state.ts';
import { Database } from '../../src/store/database.ts';
import { findSpend, insertSpend } from '../../src/store/spends.ts';
import { MNEMONIC, newFolder } from '../support/signing.ts';

const RECIPIENT = 'ltc1qr07zu594qf63xm7l7x6pu3a2v39m2z6hh5pp4t';
const COINS = 250;
const hot = new Wallet(MNEMONIC).bitcoinAddress('LTC', { account: 'hot', index: 0 });

/** A payer whose coins are 250 of 0.01 LTC each, in final blocks, and some that are worth less than ten times their fee. */
function payerWithSmallCoins(dust = 0) {
  const database = new Database(join(newFolder(), 'custodian.sqlite'));
  beginAt(database, 'LTC', { height: 9, hash: 'b9' });
  raiseFinalHeight(database, 'LTC', 9);
  for (let number = 0; number < COINS; number += 1) {
    const outpoint = `${number.toString(16).padStart(64, '0')}:0`;
    database.run(`INSERT INTO coins VALUES ('LTC', ?, 'deposit', 3, '1000000', 5, 5, NULL, NULL)`, outpoint);
  }
  for (let number = 0; number < dust; number += 1) {
    const outpoint = `${number.toString(16).padStart(64, 'd')}:0`;
    database.run(`INSERT INTO coins VALUES ('LTC', ?, 'deposit', 4, '5460', 5, 5, NULL, NULL)`, outpoint);
  }
  const settings = {
    nodes: ['http://127.0.0.1:1'],
    agreeFrom: {},
    startHeight: null,
    interval_ms: 1_000,
    feeFloat: '0',
    bumpAfterBlocks: 6,
    hotWallet: {},
    finalDepth: 6,
    gatherFrom: MAX_GATHERED,
    feeRate: { usual: 1e4, min: 1e3, max: 2e5 },
  };
  const node = new BitcoinNode(() => Promise.resolve({}), false);
  const house = { hot, gas: null, cold: RECIPIENT };
  const payer = createBitcoinPayer({ network: 'LTC', rules: bitcoinRules.LTC, node, database, house, settings });
  return (purpose: 'payout' | 'sweep', atoms: bigint) => {
    const order = purpose === 'payout' ? { body: '{}', signature: '' } : null;
    const payment = { asset: 'LTC', contract: null, address: RECIPIENT, sourceIndex: null };
    insertSpend(database, { id: purpose, network: 'LTC', purpose, ...payment, atoms, order }, 'QUEUED', null, 0);
    const spend = findSpend(database, purpose);
    if (!spend) throw new Error('it is there');
    return payer.plan(spend);
  };
}

test('a payout that needs more coins than a transaction can spend waits, and one that needs fewer does not', async () => {
  expect(await payerWithSmallCoins()('payout', 210_000_000n)).toEqual({ kind: 'hold', reason: 'coins_too_small' });
  expect(await payerWithSmallCoins()('payout', 150_000_000n)).toMatchObject({ kind: 'plan' });
  expect(await payerWithSmallCoins()('payout', 260_000_000n)).toMatchObject({ kind: 'hold' });
});

test('a gathering joins a hundred coins into one of the hot wallet', async () => {
  const planned = await payerWithSmallCoins()('sweep', 0n);
  if (planned.kind !== 'plan') throw new Error(planned.reason);
  const { inputs, outputs } = JSON.parse(planned.plan) as { inputs: unknown[]; outputs: { atoms: string }[] };
  expect(inputs).toHaveLength(MAX_GATHERED);
  expect(outputs).toEqual([{ address: hot, atoms: expect.stringMatching(/^999\d{5}$/) }]);
});

test('coins that are hardly worth their fee keep no others from being gathered', async () => {
  const planned = await payerWithSmallCoins(100)('sweep', 0n);
  if (planned.kind !== 'plan') throw new Error(planned.reason);
  const { inputs } = JSON.parse(planned.plan) as { inputs: { atoms: string }[] };
  expect(inputs).toHaveLength(MAX_GATHERED);
  expect(new Set(inputs.map(({ atoms }) => atoms))).toEqual(new Set(['1000000']));
});
