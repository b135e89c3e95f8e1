import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeFreePort } from '../custodian/test/support/free-port.ts';
import { openFaucet } from './chains/faucet.ts';
import {
  type LocalChain,
  joinConfigs,
  mineSteadily,
  startEthereum,
  startLitecoin,
  startSolana,
  startTron,
} from './chains/local-chains.ts';
import { PUBLIC_SIGNER_KEY, startLocalCustodian } from './chains/local-custodian.ts';
import { readSecret, writeSecrets } from './local-secrets.ts';
import { demoFunds } from '../src/sandbox/demo.ts';

/**
 * `npm run start:chains` is `npm start` with real nodes: an anvil as Ethereum, a litecoind where one can be had, a played
 * Tron before another anvil, a played Solana before litesvm where there is one, the custodian with its signer, and a faucet.
 * Deposits are seen on the chains, and withdrawals are paid there. The chains are empty at every start, and so is the
 * exchange, unless BUREAU_STORAGE names another folder.
 */

const port = Number(process.env['PORT'] ?? 8787);
const faucetPort = Number(process.env['FAUCET_PORT'] ?? 0);
const BLOCK_INTERVAL_MS = 500;

/** Anvil is required; litecoind and litesvm are used if they can be found. */
async function startChains(started: AsyncDisposableStack): Promise<LocalChain[]> {
  const ethereum = await startEthereum();
  started.defer(() => ethereum.stop());
  const tron = await startTron(BLOCK_INTERVAL_MS);
  started.defer(() => tron.stop());
  const chains = [ethereum, tron];
  for (const [name, startOther] of Object.entries({ Litecoin: startLitecoin, Solana: startSolana })) {
    try {
      const chain = await startOther();
      started.defer(() => chain.stop());
      chains.push(chain);
    } catch (error) {
      console.log(`Without ${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return chains;
}

async function start(): Promise<void> {
  writeSecrets();
  // Started parts are ended in the reverse order, also when a later part does not start.
  await using started = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'bureau-chains-'));
  started.defer(() => rmSync(folder, { recursive: true, force: true }));
  const log = createWriteStream(join(folder, 'custodian.log'));
  started.defer(() => void log.end());
  const chains = await startChains(started);
  // The demo account is credited without a deposit. The hot wallet has as much, so that custody covers it.
  for (const chain of chains) await chain.send(chain.hot, String(demoFunds[chain.asset]));
  started.defer(mineSteadily(chains, BLOCK_INTERVAL_MS));
  const faucet = await openFaucet(chains, faucetPort);
  started.defer(() => void faucet.close());
  const custodianPort = await takeFreePort();
  const custodian = await startLocalCustodian({
    folder,
    port: custodianPort,
    bureauUrl: `http://127.0.0.1:${port}`,
    depositToken: readSecret('DEPOSIT_TOKEN'),
    key: { id: 'bureau', secret: readSecret('CUSTODY_SECRET') },
    signingKey: readSecret('CUSTODY_SIGNING_KEY'),
    networks: joinConfigs(chains),
    log: (line) => void log.write(`${line}\n`),
  });
  started.defer(() => custodian.stop());
  console.log(`\nnetworks: ${chains.map(({ network }) => network).join(', ')}`);
  console.log(`faucet: http://127.0.0.1:${(faucet.address() as AddressInfo).port}`);
  console.log(`custodian's log: ${join(folder, 'custodian.log')}`);
  await serve(folder, custodianPort, chains);
}

/** Runs the exchange until it ends or this process is interrupted. */
async function serve(folder: string, custodianPort: number, chains: readonly LocalChain[]): Promise<void> {
  const variables = {
    CUSTODY_PROVIDER: 'http',
    CUSTODY_URL: `http://127.0.0.1:${custodianPort}`,
    CUSTODY_SIGNER_KEY: PUBLIC_SIGNER_KEY,
    UNSERVED_NETWORKS: chains.some(({ network }) => network === 'SOL') ? '' : 'SOL',
  };
  const words = Object.entries(variables).flatMap(([name, value]) => ['--var', `${name}:${value}`]);
  const exchange = spawn(process.execPath, ['scripts/start.cjs', ...words], {
    env: { BUREAU_STORAGE: join(folder, 'exchange'), ...process.env },
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => exchange.kill(signal));
  const [code] = (await once(exchange, 'exit')) as [number | null];
  process.exitCode = code ?? 0;
}

await start();
