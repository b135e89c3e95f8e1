import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { ledgerNumberOf } from '../../src/db/record-id.ts';
import { parseAmount } from '../../src/money/amounts.ts';
import { type Asset, scaleOf } from '../../src/money/assets.ts';
import { checkReconciliation } from '../kills/audit.ts';
import { Clerk } from '../kills/clerk.ts';
import { Operator } from '../support/node/exchange/operator.ts';
import { type ServedExchange, startServedExchange } from '../support/node/exchange/served-exchange.ts';
import { openFolder } from '../support/node/open-folder.ts';

/**
 * The deployed bundle over two ledgers, to which a third is added while clients trade, deposits are reported and accounts
 * are opened. The runtime is ended and started again with one database more, which is harsher than a deployment: all
 * requests that are under way are cut. Every client repeats its request until it is decided.
 */

const OPERATOR_TOKEN = 'sandbox-operator-token-of-the-public-repository';
const PAUSE_MS = 50;

/** Few coins, so that this limit of the whole exchange is reached; of the others there is enough. */
const TIGHT_CAP = 6;

/** Waits until something has happened; a machine that is busy may take long. */
const PATIENCE_MS = 120_000;

interface Account {
  readonly id: string;
  readonly token: string;
  readonly addresses: Readonly<Record<string, string>>;
}

interface Limits {
  readonly asset: Asset;
  readonly limit: string;
  readonly ledgers: readonly {
    readonly ledger: number;
    readonly share: string;
    readonly allowed: string;
    readonly used: string;
  }[];
}

type Shares = Readonly<Record<'supplyCaps' | 'exposure', readonly Limits[]>>;

const storage = openFolder('added');
const clerk = new Clerk();
const accounts: Account[] = [];
/** What clients were told: openings by their own ids, and deposits by their transactions. */
const opened = new Map<string, string>();
const deposits = new Map<string, { readonly asset: Asset; status: string }>();
const beyond: string[] = [];
let exchange: ServedExchange;
/** When it is over nothing more is begun, and what is begun is finished, unless the exchange has ended. */
const over = new AbortController();
const ended = new AbortController();

const operator = () => new Operator(clerk.origin);
const atoms = (asset: Asset, amount: string) => parseAmount(amount, scaleOf(asset)) ?? 0n;
const readShares = async () => (await operator().operate<{ shares: Shares }>('GET', '/shares')).shares;

async function start(ledgers: number): Promise<void> {
  exchange = await startServedExchange({ bundle: inject('workerBundle'), storage, ledgers, site: false });
  clerk.origin = exchange.url;
}

async function pause(): Promise<void> {
  await sleep(PAUSE_MS);
  ended.signal.throwIfAborted();
}

/** Sends a request of the operator's until it is decided, and returns the JSON of the answer. */
async function insist<T>(path: string, body: object, key = ''): Promise<T> {
  for (;;) {
    const response = await fetch(`${clerk.origin}/operator/v1${path}`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${OPERATOR_TOKEN}`,
        'Content-Type': 'application/json',
        ...(key && { 'Idempotency-Key': key }),
      },
      body: JSON.stringify(body),
    }).catch(() => undefined);
    const text = await response?.text().catch(() => undefined);
    if (response?.ok && text !== undefined) return JSON.parse(text) as T;
    if (response && response.status < 500) throw new Error(`${path}: ${response.status} ${text}`);
    await pause();
  }
}

async function open(name: string): Promise<Account> {
  const { account } = await insist<{ account: { id: string } }>('/accounts', { label: name, externalId: name }, name);
  await insist(`/accounts/${account.id}/credits`, { asset: 'USDT', amount: '1000', reference: name });
  const bucket = { perMinute: 1_000_000, perDay: 10_000_000 };
  const { token } = await insist<{ token: string }>(`/accounts/${account.id}/api-keys`, {
    label: name,
    scopes: ['read', 'trade'],
    rateLimits: { read: bucket, trade: bucket },
  });
  opened.set(name, account.id);
  let page: Awaited<ReturnType<Clerk['read']>>;
  while (!(page = await clerk.read(token, '/api/v1/wallet/addresses'))) await pause();
  const listed = page['addresses'] as { network: string; address: string }[];
  const addresses = Object.fromEntries(listed.map(({ network, address }) => [network, address]));
  return { id: account.id, token, addresses };
}

/** Places an order that the account can pay, and returns when it is decided. */
async function trade({ id, token }: Account): Promise<void> {
  const number = clerk.entries.length;
  const earlier = clerk.entries.filter(({ request }) => request.accountId === id).length;
  const wish = earlier % 2 === 0 ? { side: 'BUY', value: '4' } : { side: 'SELL', value: '1' };
  const entry = clerk.enter({
    kind: 'order',
    accountId: id,
    token,
    path: '/api/v1/orders',
    idempotencyKey: `order-${number}`,
    body: { coin: 'BTC', mode: 'USDT_AMOUNT', ...wish },
    mark: String(number),
  });
  while (!(await clerk.send(entry))) await pause();
}

/** Reports a deposit as custody does, again and again for a while if it is pending. */
async function deposit({ addresses }: Account, asset: 'ETH' | 'LTC'): Promise<void> {
  const hash = randomBytes(32).toString('hex');
  const txHash = asset === 'ETH' ? `0x${hash}` : hash;
  const report = { network: asset, asset, amount: '1', address: addresses[asset], txHash, confirmations: 99 };
  deposits.set(txHash, { asset, status: 'unknown' });
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const { deposit: shown } = await insist<{ deposit: { status: string } }>('/deposits', report);
    deposits.set(txHash, { asset, status: shown.status });
    if (shown.status !== 'PENDING') return;
    await pause();
  }
}

/** Notes every share, and every limit, of which more is used than it allows, and limits that all floors together pass. */
async function watchShares(): Promise<void> {
  const shares = await readShares().catch(() => undefined);
  for (const { asset, limit, ledgers } of shares ? [...shares.supplyCaps, ...shares.exposure] : []) {
    const own = ledgers.filter((one) => atoms(asset, one.used) > atoms(asset, one.allowed));
    beyond.push(...own.map(({ ledger }) => `the share of ${asset} in ledger ${ledger}`));
    if (sumOf(asset, ledgers, 'allowed') > atoms(asset, limit)) beyond.push(`the limit of ${asset}`);
  }
}

const sumOf = (asset: Asset, ledgers: Limits['ledgers'], what: 'allowed' | 'used') =>
  ledgers.reduce((sum, one) => sum + atoms(asset, one[what]), 0n);

async function untilOver(work: (turn: number) => Promise<void>): Promise<void> {
  for (let turn = 0; !over.signal.aborted; turn += 1) {
    await work(turn);
    await pause();
  }
}

function pickAccount(turn: number): Account {
  const account = accounts[turn % accounts.length];
  if (!account) throw new Error('no account has been opened');
  return account;
}

/** Everything that goes on from before the ledger is added until it has accounts. */
function load(): Promise<unknown> {
  return Promise.all([
    ...accounts.map((account) => untilOver(() => trade(account))),
    untilOver((turn) => deposit(pickAccount(turn), turn % 3 === 2 ? 'LTC' : 'ETH')),
    untilOver(async (turn) => {
      const account = await open(`opened-${turn}`);
      accounts.push(account);
      await trade(account);
      await trade(account);
      await deposit(account, 'ETH');
    }),
    untilOver(watchShares),
  ]);
}

const filledIn = (ledger: number) =>
  clerk.entries.filter(({ request, first }) => first?.status === 201 && ledgerNumberOf(request.accountId) === ledger);

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline_ms = Date.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (over.signal.aborted) throw new Error(`the load ended before ${what}`);
    if (Date.now() > deadline_ms) throw new Error(`${what} did not happen`);
    await pause();
  }
}

const countReported = (wanted: Asset) => [...deposits.values()].filter(({ asset }) => asset === wanted).length;

const openedIn = (ledger: number) => accounts.filter(({ id }) => ledgerNumberOf(id) === ledger);

let sharesOfNew: Shares;

beforeAll(async () => {
  await start(2);
  await operator().operate('PATCH', '/settings', { supplyCaps: { LTC: String(TIGHT_CAP) } });
  for (const ledger of [0, 1]) {
    await operator().openIn(ledger);
    for (const name of ['one', 'other']) accounts.push(await open(`${name}-${ledger}`));
  }
  await operator().openIn(0, 1);
  const loaded = load();
  // It is awaited at the end. Until then it fails only when something is not expected at all.
  loaded.catch(() => over.abort());
  await until('load on two ledgers', () => opened.size > 6 && deposits.size > 6 && clerk.figures.acknowledged > 30);

  await exchange.stop();
  await start(3);
  await exchange.probe.schedule();
  await until('the share of the new ledger', async () => {
    sharesOfNew = await readShares();
    const all = [...sharesOfNew.supplyCaps, ...sharesOfNew.exposure];
    return all.every(({ ledgers }) => ledgers.every(({ share, allowed }) => share !== '0' && share === allowed));
  });
  expect(openedIn(2)).toEqual([]);
  await operator().openIn(0, 1, 2);
  await until('accounts with orders in the new ledger', () => openedIn(2).length > 3 && filledIn(2).length > 6);
  await until('a deposit beyond the cap', () => countReported('LTC') > TIGHT_CAP + 2);
  over.abort();
  await loaded;
}, 600_000);

afterAll(async () => {
  over.abort();
  ended.abort();
  await exchange?.stop();
});

describe('a ledger that is added while the exchange is used', () => {
  it('begins with a share of what the others do not use, at most an equal part', () => {
    for (const { asset, limit, ledgers } of [...sharesOfNew.supplyCaps, ...sharesOfNew.exposure]) {
      const share = atoms(asset, ledgers[2]?.share ?? '');
      expect(share > 0n && share <= atoms(asset, limit) / 3n, asset).toBe(true);
      expect(ledgers[2]?.used, asset).toBe('0');
    }
  });

  it('has accounts opened in it when it has a weight, whose orders and deposits are filled and credited there', async () => {
    const ids = openedIn(2).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(3);
    const stored = await exchange.probe.query<{ id: string }>('SELECT id FROM accounts', 2);
    expect(stored.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    const [{ n } = { n: 0 }] = await exchange.probe.query<{ n: number }>('SELECT count(*) AS n FROM orders', 2);
    expect(n).toBe(filledIn(2).length);
    const credited = await exchange.probe.query<{ status: string }>(
      "SELECT DISTINCT status FROM deposits WHERE asset = 'ETH'",
      2,
    );
    expect(credited).toEqual([{ status: 'COMPLETED' }]);
  });

  it('loses no order, deposit or account, and makes none twice', async () => {
    expect(clerk.figures.cut).toBeGreaterThan(0);
    expect(clerk.violations).toEqual([]);
    const told = clerk.entries.map(({ first }) => first);
    expect(new Set(told.map((answer) => answer?.status))).toEqual(new Set([201]));
    const orders = told.map((answer) => (JSON.parse(answer?.body ?? '') as { order: { id: string } }).order.id);
    const kept = await exchange.probe.queryAll<{ id: string }>('SELECT id FROM orders');
    expect(kept.map(({ id }) => id).toSorted()).toEqual(orders.toSorted());
    const outputs = await exchange.probe.queryAll<{ hash: string; status: string }>(
      'SELECT tx_hash AS hash, status FROM deposits WHERE tx_hash IS NOT NULL',
    );
    expect(Object.fromEntries(outputs.map(({ hash, status }) => [hash, status]))).toEqual(
      Object.fromEntries([...deposits].map(([hash, { status }]) => [hash, status])),
    );
    expect(outputs).toHaveLength(deposits.size);
    const names = await exchange.probe.queryAll<{ name: string; id: string }>(
      'SELECT external_id AS name, id FROM accounts',
    );
    expect(names).toHaveLength(opened.size);
    expect(new Map(names.map(({ name, id }) => [name, id]))).toEqual(opened);
  });

  it('passes no share and no limit at any moment, and all floors together are the limits', async () => {
    expect(beyond).toEqual([]);
    const shares = await readShares();
    for (const { asset, limit, ledgers } of [...shares.supplyCaps, ...shares.exposure]) {
      expect(sumOf(asset, ledgers, 'allowed'), asset).toBe(atoms(asset, limit));
    }
    const tight = [...deposits.values()].filter(({ asset }) => asset === 'LTC');
    const credited = tight.filter(({ status }) => status === 'COMPLETED').length;
    expect(tight.length).toBeGreaterThan(TIGHT_CAP);
    expect(credited).toBeLessThanOrEqual(TIGHT_CAP);
    const ofLtc = shares.supplyCaps.find(({ asset }) => asset === 'LTC');
    expect(sumOf('LTC', ofLtc?.ledgers ?? [], 'used')).toBe(atoms('LTC', String(credited)));
  });

  it('leaves every ledger whole, and the reconciliation of all three says so', async () => {
    const query = 'SELECT asset, sum(amount) AS sum FROM balances GROUP BY asset HAVING sum(amount) <> 0';
    expect(await exchange.probe.queryAll(query)).toEqual([]);
    await checkReconciliation({ clerk });
    expect(clerk.violations).toEqual([]);
  });
});
