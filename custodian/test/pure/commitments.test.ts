import { join } from 'node:path';
import { expect, test } from 'vitest';
import { costOf, nextNonce, sumCommitted } from '../../src/evm/commitments.ts';
import { Database } from '../../src/store/database.ts';
import { findSpend, insertSpend, releaseFence, reserveFence, storeVersion } from '../../src/store/spends.ts';
import { newFolder } from '../support/signing.ts';

const HOT = '0x52908400098527886E0F7030069857D2E4169EE7';
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const ether = 10n ** 18n;
const GAS_LIMIT = 25_000n;
const FEE = 3_000_000_000n;

const database = new Database(join(newFolder(), 'custodian.sqlite'));

const planOf = (nonce: number, value: bigint) =>
  JSON.stringify({
    chainId: '1',
    nonce: String(nonce),
    to: USDT,
    value: String(value),
    data: '0x',
    gasLimit: String(GAS_LIMIT),
    maxFeePerGas: String(FEE),
    maxPriorityFeePerGas: '0',
  });

function spendOf(id: string) {
  const spend = findSpend(database, id);
  if (!spend) throw new Error('it is there');
  return spend;
}

function reserve(id: string, nonce: number, atoms: bigint, contract: string | null): void {
  const asset = contract === null ? 'ETH' : 'USDT';
  const payment = { asset, contract, address: USDT, atoms, sourceIndex: null, order: { body: '{}', signature: '' } };
  insertSpend(database, { id, network: 'ETH', purpose: 'payout', ...payment }, 'QUEUED', null, 0);
  const plan = planOf(nonce, contract === null ? atoms : 0n);
  reserveFence(database, spendOf(id), `${HOT.toLowerCase()}:${nonce}`, plan);
}

test('a reserved payment counts before it is signed, and a released nonce is the next to be used', () => {
  const cost = GAS_LIMIT * FEE;
  reserve('first', 5, ether, null);
  expect(sumCommitted(database, 'ETH', HOT, null, costOf)).toEqual({
    coins: ether + cost,
    tokens: 0n,
    hasUnsigned: true,
  });
  storeVersion(database, spendOf('first'), { raw: '0x', txHash: '0x1' }, spendOf('first').plan ?? '', cost, 0);
  reserve('second', 6, 7n, USDT);
  reserve('third', 7, ether, null);
  expect(sumCommitted(database, 'ETH', HOT, USDT, costOf)).toEqual({
    coins: 2n * ether + 3n * cost,
    tokens: 7n,
    hasUnsigned: true,
  });
  releaseFence(database, spendOf('second'), 'limit');
  expect(sumCommitted(database, 'ETH', HOT, USDT, costOf)).toMatchObject({ coins: 2n * ether + 2n * cost, tokens: 0n });
  expect(nextNonce(database, 'ETH', HOT, 5n)).toBe(6n);
  expect(nextNonce(database, 'ETH', HOT, 7n)).toBe(8n);
});
