import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { takeFreePort } from '../../custodian/test/support/free-port.ts';
import type { Client } from '../../test/support/client.ts';
import { Operator } from '../../test/support/node/exchange/operator.ts';
import { type ServedExchange, startServedExchange } from '../../test/support/node/exchange/served-exchange.ts';
import { Books } from './books.ts';
import {
  type LocalChain,
  joinConfigs,
  mineSteadily,
  startEthereum,
  startLitecoin,
  startSolana,
  startTron,
} from './local-chains.ts';
import { PUBLIC_SIGNER_KEY, listOthers, startLocalCustodian } from './local-custodian.ts';

export interface WithdrawalRun {
  readonly bundle: string;
  /** The folder of the custodian's files. It must be empty. */
  readonly folder: string;
  readonly count: number;
  readonly report: (line: string) => void;
}

export interface WithdrawalReport {
  readonly withdrawals: number;
  /** How often holdings were compared with the ledger while money moved. */
  readonly samples: number;
  /** How often an asset was covered, and how often that was not known. */
  readonly covered: number;
  readonly unknown: number;
  readonly seconds: number;
  readonly violations: readonly string[];
}

const DEPOSIT_TOKEN = 'sandbox-deposit-token-of-the-public-repository';
const KEY = { id: 'bureau', secret: 'sandbox-custody-secret-of-the-public-repository' };
const SIGNING_KEY = '07'.repeat(32);

const BLOCK_INTERVAL_MS = 250;
const PATIENCE_MS = 300_000;

const play = {
  accounts: 4,
  chains: {
    ETH: { deposit: '4', amount: '0.05', recipient: '0x52908400098527886E0F7030069857D2E4169EE7' },
    LTC: { deposit: '4', amount: '0.05', recipient: 'ltc1qr07zu594qf63xm7l7x6pu3a2v39m2z6hh5pp4t' },
    TRC20: { deposit: '400', amount: '5', recipient: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC' },
    SOL: { deposit: '400', amount: '5', recipient: 'J2xccRtuG43drESLYznHhLhQkLTdfepcKYbiQ9BsJVaf' },
  },
} as const;

/**
 * Has accounts deposit on real chains and withdraw to them, with the deployed bundle and the real custodian. While
 * money moves, what the custodian says that it holds must cover what the ledger owes. At the end the ledger, the chains
 * and the custodian's holdings must agree to the atom.
 */
export async function runWithdrawals(run: WithdrawalRun): Promise<WithdrawalReport> {
  const begun_ms = Date.now();
  // Started parts are ended in the reverse order, also when a later part does not start.
  await using started = new AsyncDisposableStack();
  const chains: LocalChain[] = [];
  for (const startChain of [startEthereum, startLitecoin, () => startTron(BLOCK_INTERVAL_MS), startSolana]) {
    const chain = await startChain();
    started.defer(() => chain.stop());
    chains.push(chain);
  }
  const port = await takeFreePort();
  const exchange = await startServedExchange({
    bundle: run.bundle,
    variables: {
      CUSTODY_PROVIDER: 'http',
      CUSTODY_URL: `http://127.0.0.1:${port}`,
      CUSTODY_KEY_ID: KEY.id,
      CUSTODY_SECRET: KEY.secret,
      CUSTODY_SIGNING_KEY: SIGNING_KEY,
      CUSTODY_SIGNER_KEY: PUBLIC_SIGNER_KEY,
      UNSERVED_NETWORKS: '',
      SOLANA_ADDRESSES: 'pool',
    },
  });
  started.defer(() => exchange.stop());
  const stopMining = mineSteadily(chains, BLOCK_INTERVAL_MS);
  started.defer(stopMining);
  const custodian = await startLocalCustodian({
    folder: run.folder,
    port,
    bureauUrl: exchange.url,
    depositToken: DEPOSIT_TOKEN,
    key: KEY,
    signingKey: SIGNING_KEY,
    networks: joinConfigs(chains),
    nothingHeldOn: listOthers(chains.map(({ network }) => network)),
    log: () => undefined,
  });
  started.defer(() => custodian.stop());
  const books = new Books({
    plan: { ...play, withdrawals: run.count },
    chains,
    exchange,
    custodianUrl: custodian.url,
    database: join(run.folder, 'custodian.sqlite'),
    key: KEY,
    report: run.report,
  });
  await books.sampleUntil(async () => {
    const clients = await openAccounts(exchange, chains);
    run.report(`${play.accounts} accounts have deposited`);
    const ids = await withdraw(clients, chains, run.count);
    run.report(`${ids.length} withdrawals are taken`);
    await untilSettled(exchange);
  });
  await stopMining();
  await books.compareAtRest();
  const seconds = Math.round((Date.now() - begun_ms) / 1000);
  const { samples, covered, unknown, violations } = books;
  if (unknown > covered) violations.push(`custody was unknown ${unknown} times and known ${covered} times`);
  return { withdrawals: run.count, samples, covered, unknown, seconds, violations };
}

/** Opens accounts, makes a deposit to each on every chain, and waits until all are credited. */
async function openAccounts(exchange: ServedExchange, chains: readonly LocalChain[]): Promise<Client[]> {
  const clients: Client[] = [];
  const operator = new Operator(exchange.url);
  await waitUntil('the custodian has filled the pool of addresses', async () => {
    const { addresses } = await operator.operate<{ addresses: object[] }>('GET', '/solana-addresses');
    return addresses.length >= play.accounts;
  });
  for (let index = 0; index < play.accounts; index += 1) {
    const client = await operator.openClient({}, { scopes: ['read', 'withdraw'] });
    await operator.operate('PATCH', `/accounts/${client.accountId}`, { dailyWithdrawalLimit: '1000000' });
    clients.push(client);
    for (const chain of chains) {
      await chain.send(await client.addressOn(chain.network), play.chains[chain.network].deposit);
    }
  }
  await waitUntil('every deposit is credited', async () => {
    const [row] = await exchange.probe.query<{ credited: number }>(
      "SELECT count(*) AS credited FROM deposits WHERE status = 'COMPLETED'",
    );
    return row?.credited === play.accounts * chains.length;
  });
  return clients;
}

/** Requests the withdrawals: all accounts at the same time, each one after the other. */
async function withdraw(clients: readonly Client[], chains: readonly LocalChain[], count: number): Promise<string[]> {
  const ids: string[] = [];
  await Promise.all(
    clients.map(async (client, account) => {
      for (let index = account; index < count; index += clients.length) {
        // The chains of every account in turn.
        const chain = chains[Math.floor(index / clients.length) % chains.length];
        if (!chain) throw new Error('there is no chain');
        const { network, asset } = chain;
        const { amount, recipient: address } = play.chains[network];
        ids.push((await client.takeOut({ asset, network, amount, address })).id);
      }
    }),
  );
  return ids;
}

async function untilSettled(exchange: ServedExchange): Promise<void> {
  await waitUntil('every withdrawal is settled', async () => {
    const [row] = await exchange.probe.query<{ open: number }>(
      "SELECT count(*) AS open FROM withdrawals WHERE status IN ('PENDING', 'PROCESSING')",
    );
    return row?.open === 0;
  });
}

async function waitUntil(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadline_ms = Date.now() + PATIENCE_MS;
  while (Date.now() < deadline_ms) {
    if (await holds()) return;
    await sleep(250);
  }
  throw new Error(`waited in vain until ${what}`);
}
