import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createBitcoinChain } from '../../src/bitcoin/bitcoin-chain.ts';
import { BitcoinNode } from '../../src/bitcoin/bitcoin-node.ts';
import { ColdAnswer, type ColdRequest, readColdAmount } from '../../src/cold/cold-request.ts';
import { planBitcoinCold, planEvmCold } from '../../src/cold/plan-cold.ts';
import { EvmNode } from '../../src/evm/evm-node.ts';
import { connectNode } from '../../src/nodes/json-rpc.ts';
import { sealKeystore } from '../../src/signer/keystore.ts';
import { Wallet } from '../../src/signer/wallet.ts';
import { wallet } from '../support/run-custodian.ts';
import { newFolder } from '../support/signing.ts';
import { startAnvil } from '../support/start-anvil.ts';
import { LITECOIN_REGTEST, startLitecoind } from '../support/start-litecoind.ts';

/** The cold wallet's words, which no custodian has. */
const COLD_WORDS = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const PASSPHRASE = 'a passphrase of the tests';
const SIGN_COLD = join(import.meta.dirname, '..', '..', 'src', 'commands', 'sign-cold.ts');
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const ether = 10n ** 18n;
const coldWallet = new Wallet(COLD_WORDS);

/** Signs as the offline machine does: a process with two files, which reads a request and writes an answer. */
function signOffline(request: ColdRequest, hot: string): ColdAnswer {
  const folder = newFolder();
  writeFileSync(join(folder, 'keystore.json'), JSON.stringify(sealKeystore(COLD_WORDS, PASSPHRASE, 10)));
  writeFileSync(join(folder, 'passphrase'), PASSPHRASE);
  const words = ['--keystore', join(folder, 'keystore.json'), '--passphrase', join(folder, 'passphrase')];
  const answer = execFileSync(process.execPath, [SIGN_COLD, ...words, '--hot', hot, '--max-fee', '0.01'], {
    input: JSON.stringify(request),
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  return ColdAnswer.parse(JSON.parse(answer));
}

test('a file signed offline moves coins and tokens from the cold wallet to the hot one on the EVM, once', async () => {
  await using anvil = await startAnvil();
  const node = new EvmNode(connectNode(anvil.url));
  const [cold, hot] = [
    coldWallet.evmAddress({ account: 'deposit', index: 0 }),
    wallet.evmAddress({ account: 'hot', index: 0 }),
  ];
  await anvil.setBalance(cold, 10n * ether);
  await anvil.setToken(USDT, cold, 5_000_000_000n);
  await anvil.mine();
  for (const [asset, amount] of [
    ['ETH', '4'],
    ['USDT', '250.5'],
  ] as const) {
    const transfer = { cold, hot, asset, atoms: readColdAmount('ETH', asset, amount) };
    const { raw } = signOffline(await planEvmCold(node, 'ETH', transfer), hot);
    await node.sendRaw(raw);
    await anvil.mine();
    await expect(node.sendRaw(raw)).rejects.toThrow('nonce too low');
  }
  expect(await anvil.balance(hot)).toBe(4n * ether);
  expect(await anvil.tokenBalance(USDT, hot)).toBe(250_500_000n);
  expect(() => signOffline({ kind: 'evm' } as ColdRequest, hot)).toThrow();
});

test('a file signed offline moves coins from the cold wallet to the hot one on Litecoin, with change to the cold one', async () => {
  await using litecoin = await startLitecoind();
  const node = new BitcoinNode(connectNode(litecoin.url), false);
  const [cold, hot] = [
    coldWallet.bitcoinAddress('LTC', { account: 'deposit', index: 0 }),
    wallet.bitcoinAddress('LTC', { account: 'hot', index: 0 }),
  ];
  for (const coins of ['3', '2']) await litecoin.send(cold, coins);
  await litecoin.mine();
  const transfer = { cold, hot, asset: 'LTC', atoms: readColdAmount('LTC', 'LTC', '4') };
  const request = await planBitcoinCold(node, 'LTC', { usual: 10_000, min: 1_000, max: 200_000 }, transfer);
  const chain = createBitcoinChain('LTC', node, undefined, { genesis: LITECOIN_REGTEST, finalDepth: 6 });
  expect(await chain.broadcast(signOffline(request, hot).raw)).toEqual({ kind: 'known' });
  await litecoin.mine();
  expect(await litecoin.received(hot)).toBe('4.00000000');
  expect(Number(await litecoin.received(cold))).toBeCloseTo(1, 3);
});
