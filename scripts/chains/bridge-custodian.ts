import { mkdtempSync, rmSync } from 'node:fs';
import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
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
import type { ServedExchange } from '../../test/support/node/exchange/served-exchange.ts';
import { type CompareCustody, type KilledCustodian, PARTIES, funds } from '../../test/kills/custody.ts';
import type { Payout } from '../../src/custody/custody.ts';
import { PUBLIC_MNEMONIC, PUBLIC_SIGNER_KEY, listOthers, startLocalCustodian } from './local-custodian.ts';
import { mineSteadily } from './local-chains.ts';
import { PaidOnChain } from './paid-on-chain.ts';
import { type Cover, describeCover, readCover } from './read-cover.ts';

const USDC_ON_BASE = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
/** EVM code that answers 0, for the contract that returns the fee on Ethereum: anvil does not have it. */
const L1_ORACLE = '0x420000000000000000000000000000000000000F';
const ANSWER_ZERO = '0x5f5f5260205ff3';
const BLOCK_INTERVAL_MS = 250;
const HOT = { account: 'hot', index: 0 } as const;
const ether = 10n ** 18n;

/** What the run credits to all its accounts of the assets that are paid here. Custody has exactly that, and fees. */
const CREDITED = { ETH: PARTIES * Number(funds.ETH), USDC: PARTIES * Number(funds.USDC) };
const HOT_ETH = 10_000;
const DEPOSIT_TOKEN = 'sandbox-deposit-token-of-the-public-repository';

/** How long the custodian may take to hear that the last withdrawal is settled. */
const TRIES_AT_REST = 100;

/**
 * The real custodian, on one anvil as Ethereum and another as Base, behind a bridge with the control interface of the
 * simulated custodian. The bridge loses and delays requests and answers on demand. The custodian itself decides what it
 * pays and refuses, so `pay`, `accept` and `refuse` do the same here. The chains show how often a payout was paid.
 */
export async function startBridgedCustodian(signingKey: string): Promise<KilledCustodian> {
  const started = new AsyncDisposableStack();
  try {
    const { url, bridge } = await startParts(signingKey, started);
    return {
      url,
      signerKey: PUBLIC_SIGNER_KEY,
      follow: (exchange) => bridge.follow(exchange),
      stop: () => started.disposeAsync(),
    };
  } catch (error) {
    await started.disposeAsync();
    throw error;
  }
}

/** Starts all parts, and notes how to end each. Returns the bridge and its address. */
async function startParts(signingKey: string, started: AsyncDisposableStack): Promise<{ url: string; bridge: Bridge }> {
  const folder = mkdtempSync(join(tmpdir(), 'bureau-bridge-'));
  started.defer(() => rmSync(folder, { recursive: true, force: true }));
  const startChain = async (chainId: number) => {
    const anvil = await startAnvil(chainId);
    started.defer(() => anvil.stop());
    await anvil.setBalance(new Wallet(PUBLIC_MNEMONIC).evmAddress(HOT), BigInt(HOT_ETH) * ether);
    return anvil;
  };
  const anvils = { ETH: await startChain(1), BASE: await startChain(8453) };
  await anvils.BASE.setToken(
    USDC_ON_BASE,
    new Wallet(PUBLIC_MNEMONIC).evmAddress(HOT),
    BigInt(CREDITED.USDC) * 10n ** 6n,
  );
  await anvils.BASE.call('anvil_setCode', [L1_ORACLE, ANSWER_ZERO]);
  started.defer(mineSteadily(Object.values(anvils), BLOCK_INTERVAL_MS));
  const common = { interval_ms: 100, startHeight: 0, hasTraces: true };
  const [port, custodianPort] = [await takeFreePort(), await takeFreePort()];
  const custodian = await startLocalCustodian({
    folder,
    port: custodianPort,
    // The exchange has another port after every kill. The bridge knows which.
    bureauUrl: `http://127.0.0.1:${port}`,
    depositToken: DEPOSIT_TOKEN,
    key: custodianKey,
    signingKey,
    networks: {
      evm: {
        ETH: { ...common, nodes: [anvils.ETH.url], feeFloat: String(HOT_ETH - CREDITED.ETH) },
        BASE: { ...common, nodes: [anvils.BASE.url], feeFloat: String(HOT_ETH) },
      },
    },
    nothingHeldOn: listOthers(['ETH', 'BASE']),
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
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  started.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${port}`, bridge };
}

class Bridge {
  readonly #url: string;
  readonly #database: Database;
  readonly #paid: Readonly<Record<string, PaidOnChain>>;
  readonly #programmes = new CustodianProgrammes();
  readonly #submitted = new Map<string, Payout>();
  readonly #rejections: string[] = [];
  #exchange: ServedExchange | undefined;

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
    if (path.startsWith('/operator/')) return this.#tellExchange(request, response);
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

  /** Passes what the custodian says to Bureau on to the exchange that runs now. */
  async #tellExchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url: path = '', headers } = request;
    const body = await buffer(request);
    const said = await fetch(`${this.#exchange?.url}${path}`, {
      method,
      headers: { Authorization: String(headers.authorization), 'Content-Type': 'application/json' },
      ...(method !== 'GET' && { body }),
    });
    response.writeHead(said.status, { 'Content-Type': 'application/json' }).end(await said.text());
  }

  /** The exchange that runs now. Returns how its ledger and custody are compared. */
  follow(exchange: ServedExchange): CompareCustody {
    this.#exchange = exchange;
    return async (isAtRest) => {
      let covers: Cover[] = [];
      for (let tries = 0; tries < TRIES_AT_REST; tries += 1) {
        covers = await readCover(exchange, this.#url, custodianKey, ['ETH', 'USDC']);
        // What custody holds is not known for a moment after the custodian began to follow the chains.
        if (covers.every(({ held, due }) => (isAtRest ? held === due : held !== null))) break;
        await sleep(100);
      }
      const wrong = covers.filter(({ held, due, standing }) => standing !== 'covered' || (isAtRest && held !== due));
      return { line: covers.map(describeCover).join('; '), violations: wrong.map(describeCover) };
    };
  }

  async #report(): Promise<CustodianReport> {
    await Promise.all(Object.values(this.#paid).map((paid) => paid.readBlocks()));
    const payouts = [...this.#submitted.values()].flatMap((payout) => this.#describe(payout) ?? []);
    return { payouts, rejections: this.#rejections, requests: {} };
  }

  #describe(payout: Payout): CustodianPayout | undefined {
    const spend = findSpend(this.#database, payout.withdrawalId);
    if (!spend) return undefined;
    const answer = answerOf(spend.state, nameTransaction(this.#database, spend), spend.reason);
    const decimals = findListing(payout.network, payout.asset)?.decimals ?? 0;
    const atoms = parseAmount(payout.amount, decimals) ?? 0n;
    return {
      payout,
      status: answer.status === 'held' ? 'accepted' : answer.status,
      txHash: answer.status === 'sent' ? answer.txHash : null,
      reason: answer.status === 'refused' ? answer.reason : null,
      payments: this.#paid[payout.network]?.countOf(payout.contractAddress, payout.address, atoms) ?? 0,
    };
  }
}
