import { expect, test } from 'vitest';
import { associatedOf, fundHot, hot } from '../support/play-solana-customer.ts';
import { PlayedTron } from '../support/play-tron.ts';
import { wallet } from '../support/run-custodian.ts';
import { MNEMONIC } from '../support/signing.ts';
import { PlayedSolana, TOKEN } from '../support/start-solana.ts';
import { testnets, tryTestnet } from '../support/try-testnet.ts';

const PATIENCE_MS = 60_000;
const breathe = () => new Promise<void>((resolve) => setTimeout(resolve, 100));

test('the trial of Nile pays, credits and sweeps the test network’s token on a played one', async () => {
  const tron = await PlayedTron.start();
  const { contract } = testnets.nile;
  const hotOnTron = wallet.tronAddress({ account: 'hot', index: 0 });
  await tron.setTrx(hotOnTron, 1_000_000_000n);
  await tron.setTrx(wallet.tronAddress({ account: 'gas', index: 0 }), 1_000_000_000n);
  await tron.setToken(hotOnTron, 5_000_000n, contract);
  const said: string[] = [];
  await tryTestnet({
    testnet: { ...testnets.nile, nodes: [tron.url], genesis: tron.genesis },
    mnemonic: MNEMONIC,
    say: (line) => said.push(line),
    pause: async () => {
      await tron.produce();
      await breathe();
    },
    patience_ms: PATIENCE_MS,
  });
  expect(said.filter((line) => line.startsWith('ok: '))).toHaveLength(3);
  expect(await tron.token(hotOnTron, contract)).toBe(5_000_000n);
  await tron.stop();
});

test('the trial of devnet does the same with the mint of devnet', async () => {
  const solana = await PlayedSolana.start();
  const { contract, genesis } = testnets.devnet;
  solana.faults.genesis = genesis;
  solana.setMint(contract, TOKEN);
  await fundHot(solana, 0n);
  const held = await associatedOf(hot, contract);
  solana.setToken(held, contract, hot, 5_000_000n);
  solana.finalize();
  const said: string[] = [];
  await tryTestnet({
    testnet: { ...testnets.devnet, nodes: [solana.url] },
    mnemonic: MNEMONIC,
    say: (line) => said.push(line),
    pause: async () => {
      solana.produce(8);
      await breathe();
    },
    patience_ms: PATIENCE_MS,
  });
  expect(said.filter((line) => line.startsWith('ok: '))).toHaveLength(3);
  expect(solana.tokensOf(held)).toBe(5_000_000n);
  await solana.stop();
});

test('the main networks’ listings are never replaced', async () => {
  const trial = { mnemonic: MNEMONIC, say: () => undefined, pause: breathe, patience_ms: 0 };
  for (const genesis of [
    '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
    '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc',
  ]) {
    await expect(tryTestnet({ ...trial, testnet: { ...testnets.nile, genesis } })).rejects.toThrow('the main network');
  }
});
