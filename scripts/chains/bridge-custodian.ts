import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { findListing } from '../../custodian/src/networks.ts';
import { answerOf } from '../../custodian/src/states/spend.ts';
import { Database } from '../../custodian/src/store/database.ts';
import { findSpend, nameTransaction } from '../../custodian/src/store/spends.ts';
import { Wallet } from '../../custodian/src/signer/wallet.ts';
import { takeFreePort } from '../../custodian/test/support/free-port.ts';
import { startAnvil } from '../../custodian/test/support/start-anvil.ts';
import { parseAmount } from '../../src/money/amounts.ts';
import { readPayout } from '../../test/support/node/custody/custodian.ts';
import { CustodianProgrammes } from '../../test/support/node/custody/custodian-programmes.ts';
import type {
  CustodianPayout,
  CustodianProgramme,
  CustodianReport,
} from '../../test/support/node/custody/custodian-state.ts';
import { custodianKey } from '../../test/support/node/custody/start-custodian.ts';
import type { Payout } from '../../src/wallet/custody/custody.ts';
import { PUBLIC_MNEMONIC, startLocalCustodian } from './local-custodian.ts';
import { mineSteadily } from './local-chains.ts';
import { PaidOnChain } from './paid-on-chain.ts';

const USDC_ON_BASE = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
/** EVM code that answers 0, for the contract that returns the fee on Ethereum: anvil does not have it. */
const L1_ORACLE = '0x420000000000000000000000000000000000000F';
const ANSWER_ZERO = '0x5f5f5260205ff3';
const BLOCK_INTERVAL_MS = 250;
const HOT = { account: 'hot', index: 0 } as const;
const ether = 10n ** 18n;

/**
 * The real custodian, on one anvil as Ethereum and another as Base, behind a bridge with the control interface of the
 * simulated custodian. The bridge loses and delays requests and answers on demand. The custodian itself decides what it
 * pays and refuses, so `pay`, `accept` and `refuse` do the same here. The chains show how often a payout was paid.
 */
export async function startBridgedCustodian(signingKey: string) {
  const started = new AsyncDisposableStack();
  try {
    const url = await startParts(signingKey, started);
    return { url, stop: () => started.disposeAsync() };
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

/** Starts all parts, and notes how to end each. Returns the bridge's address. */
async function startParts(signingKey: string, started: AsyncDisposableStack): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'bureau-bridge-'));
  started.defer(() => rmSync(folder, { recursive: true, force: true }));
  const startChain = async (chainId: number) => {
    const anvil = await startAnvil(chainId);
    started.defer(() => anvil.stop());
    await anvil.setBalance(new Wallet(PUBLIC_MNEMONIC).evmAddress(HOT), 10_000n * ether);
    return anvil;
  };
  const anvils = { ETH: await startChain(1), BASE: await startChain(8453) };
  await anvils.BASE.setToken(USDC_ON_BASE, new Wallet(PUBLIC_MNEMONIC).evmAddress(HOT), 10n ** 13n);
  await anvils.BASE.call('anvil_setCode', [L1_ORACLE, ANSWER_ZERO]);
  started.defer(mineSteadily(Object.values(anvils), BLOCK_INTERVAL_MS));
  const common = { interval_ms: 100, startHeight: 0, hasTraces: true };
  const custodian = await startLocalCustodian({
    folder,
    port: await takeFreePort(),
    // The exchange has another port after every kill, so the custodian cannot reach it. Bureau looks payouts up.
    bureauUrl: 'http://127.0.0.1:9',
    depositToken: 'a-token-that-no-exchange-in-the-world-accepts',
    key: custodianKey,
    signingKey,
    networks: {
      evm: { ETH: { ...common, nodes: [anvils.ETH.url] }, BASE: { ...common, nodes: [anvils.BASE.url] } },
    },
    log: () => undefined,
  });
  started.defer(() => custodian.stop());
  const database = new Database(join(folder, 'custodian.sqlite'));
  started.defer(() => database.close());
  const paid = { ETH: new PaidOnChain(anvils.ETH), BASE: new PaidOnChain(anvils.BASE) };
  const bridge = new Bridge(custodian.url, database, paid);
  const server = createServer((request, response) => {
    bridge.serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  started.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

class Bridge {
  readonly #url: string;
  readonly #database: Database;
  readonly #paid: Readonly<Record<string, PaidOnChain>>;
  readonly #programmes = new CustodianProgrammes();
  readonly #submitted = new Map<string, Payout>();
  readonly #rejections: string[] = [];

  constructor(url: string, database: Database, paid: Readonly<Record<string, PaidOnChain>>) {
    this.#url = url;
    this.#database = database;
    this.#paid = paid;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    if (path === '/control') {
      if (method === 'POST') this.#programmes.add(JSON.parse(await text(request)) as CustodianProgramme);
      response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(await this.#report()));
      return;
    }
    const body = await buffer(request);
    const withdrawalId = path.split('/').at(-1) ?? '';
    const { delay_ms = 0, act, answer } = this.#programmes.take(method, withdrawalId);
    await sleep(delay_ms);
    const payout = method === 'PUT' ? readPayout(withdrawalId, body.toString('utf8')) : undefined;
    if (act === 'nothing' && method === 'PUT') return void response.destroy();
    if (payout) this.#submitted.set(withdrawalId, payout);
    const said = await fetch(`${this.#url}${path}`, {
      method,
      headers: Object.entries(headers).filter((pair): pair is [string, string] => pair[0].startsWith('x-bureau-')),
      ...(method === 'PUT' && { body }),
    });
    if (said.status === 401 || said.status === 400)
      this.#rejections.push(`${said.status} ${await said.clone().text()}`);
    if (answer === 'reset') return void response.destroy();
    if (answer === 'error') return void response.writeHead(500).end('{"error":"internal"}');
    response.writeHead(said.status, { 'Content-Type': 'application/json' }).end(await said.text());
  }

  async #report(): Promise<CustodianReport> {
    await Promise.all(Object.values(this.#paid).map((paid) => paid.readBlocks()));
    const payouts = [...this.#submitted.values()].flatMap((payout) => this.#describe(payout) ?? []);
    return { payouts, rejections: this.#rejections, requests: {} };
  }

  /** The state of a payout, by the custodian's database and the chain. */
  #describe(payout: Payout): CustodianPayout | undefined {
    const spend = findSpend(this.#database, payout.withdrawalId);
    if (!spend) return undefined;
    const answer = answerOf(spend.state, nameTransaction(this.#database, spend), spend.reason);
    const decimals = findListing(payout.network, payout.asset)?.decimals ?? 0;
    const atoms = parseAmount(payout.amount, decimals) ?? 0n;
    return {
      payout,
      status: answer.status,
      txHash: answer.status === 'sent' ? answer.txHash : null,
      reason: answer.status === 'refused' ? answer.reason : null,
      payments: this.#paid[payout.network]?.countOf(payout.contractAddress, payout.address, atoms) ?? 0,
    };
  }
}
