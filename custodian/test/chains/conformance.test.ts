import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import { TronWeb } from 'tronweb';
import { expect, test } from 'vitest';
import { Loop } from '../../src/loop.ts';
import { KEY_ID, PlayedBureau, SECRET } from '../support/play-bureau.ts';
import { associatedOf, drawWallet, fundHot } from '../support/play-solana-customer.ts';
import { PlayedTron, TRON_USDT } from '../support/play-tron.ts';
import { ProcessCustodian } from '../support/process-custodian.ts';
import { wallet } from '../support/run-custodian.ts';
import { BUREAU_SEED, newFolder } from '../support/signing.ts';
import { startAnvil } from '../support/start-anvil.ts';
import { MINTS, PlayedSolana } from '../support/start-solana.ts';

const SCRIPT = join(import.meta.dirname, '..', '..', '..', 'lab', 'try-custodian.ts');

/** A chain with a hot wallet that can pay the order a few times. */
interface Chain {
  readonly networks: object;
  readonly order: { readonly [member: string]: string | null };
  /** How much the order's address has, in atoms. */
  received(): Promise<bigint>;
  mine(): Promise<void>;
  /** Of an EVM network: the suite counts what arrives, too. */
  readonly node?: string;
  stop(): Promise<void>;
}

async function startEthereum(): Promise<Chain> {
  const anvil = await startAnvil();
  await anvil.setBalance(wallet.evmAddress({ account: 'hot', index: 0 }), 10n ** 18n);
  await anvil.mine();
  const address = '0x52908400098527886E0F7030069857D2E4169EE7';
  return {
    networks: { evm: { ETH: { nodes: [anvil.url], interval_ms: 50, startHeight: 0, hasTraces: true } } },
    order: { asset: 'ETH', network: 'ETH', contractAddress: null, address, amount: '0.000000000000000001' },
    received: () => anvil.balance(address),
    mine: () => anvil.mine(),
    node: anvil.url,
    stop: () => anvil.stop(),
  };
}

async function startTron(): Promise<Chain> {
  const tron = await PlayedTron.start();
  const hot = wallet.tronAddress({ account: 'hot', index: 0 });
  await tron.setTrx(hot, 5_000_000_000n);
  await tron.setToken(hot, 4_000_000n);
  await tron.produce(25);
  const address = TronWeb.address.fromPrivateKey('22'.repeat(32)) as string;
  return {
    networks: { tron: { TRC20: tron.settings({ interval_ms: 50 }) } },
    order: { asset: 'USDT', network: 'TRC20', contractAddress: TRON_USDT, address, amount: '0.000001' },
    received: () => tron.token(address),
    mine: () => tron.produce(1, 100),
    stop: () => tron.stop(),
  };
}

async function startSolana(): Promise<Chain> {
  const solana = await PlayedSolana.start();
  await fundHot(solana, 4_000_000n);
  const address = await drawWallet();
  const token = await associatedOf(address);
  return {
    networks: { solana: { SOL: { nodes: [solana.url], interval_ms: 50, startHeight: 1, nonceAccounts: 4 } } },
    order: { asset: 'USDC', network: 'SOL', contractAddress: MINTS.USDC, address, amount: '0.000001' },
    received: async () => solana.tokensOf(token),
    mine: async () => solana.produce(8),
    stop: () => solana.stop(),
  };
}

test.each([
  ['Ethereum', startEthereum],
  ['Tron', startTron],
  ['Solana', startSolana],
])(
  'on %s this custodian, as two processes, keeps every promise of the contract that anybody’s custodian is held to',
  async (_, startChain) => {
    const [chain, bureau] = [await startChain(), await PlayedBureau.start()];
    const custodian = await ProcessCustodian.prepare(bureau.url, chain.networks);
    try {
      await custodian.startSigner();
      await custodian.start();
      const file = join(newFolder(), 'order.json');
      writeFileSync(file, JSON.stringify(chain.order));
      const words = ['--order', file, '--too-much', '5', '--minutes', '1', '--pause-ms', '100'];
      if (chain.node !== undefined) words.push('--node', chain.node);
      const suite = spawn(process.execPath, [SCRIPT, `http://127.0.0.1:${custodian.port}`, ...words], {
        env: {
          ...process.env,
          CUSTODY_KEY_ID: KEY_ID,
          CUSTODY_SECRET: SECRET,
          CUSTODY_SIGNING_KEY: BUREAU_SEED,
          CUSTODY_SIGNER_KEY: wallet.signerKey,
        },
      });
      const [said, errors, ended] = [text(suite.stdout), text(suite.stderr), once(suite, 'exit')];
      const mining = new Loop(
        () => chain.mine(),
        100,
        () => undefined,
      );
      const [code] = (await ended) as [number | null];
      await mining.stop();
      const lines = (await said).trim().split('\n');
      expect([code, await errors, lines.filter((line) => !line.startsWith('ok '))]).toEqual([
        0,
        '',
        ['it keeps every promise that was tried'],
      ]);
      expect(lines).toHaveLength(10);
      // Two clauses have an atom paid, however often they ask for it.
      expect(await chain.received()).toBe(2n);
    } finally {
      await custodian.stop();
      await bureau.stop();
      await chain.stop();
    }
  },
  180_000,
);
