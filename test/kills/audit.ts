import type { Order, Withdrawal } from '../../clients/bureau-client/src/index.ts';
import { parseAmount } from '../../src/money/amounts.ts';
import { type Asset, assetSymbols, scaleOf } from '../../src/money/assets.ts';
import type { CustodianRemote } from '../support/node/custody/custodian-remote.ts';
import { Operator } from '../support/node/exchange/operator.ts';
import type { ServedExchange } from '../support/node/exchange/served-exchange.ts';
import type { Clerk, Entry } from './clerk.ts';
import type { Party } from './draw-request.ts';

/** Everything that the API shows an account about itself. */
interface Shown {
  readonly party: Party;
  readonly orders: readonly Order[];
  readonly withdrawals: readonly Withdrawal[];
  readonly balances: Readonly<Record<string, string>>;
}

/** What is audited: a run in which no request is open any more. */
export interface Scene {
  readonly exchange: ServedExchange;
  readonly clerk: Clerk;
  readonly parties: readonly Party[];
  readonly funds: Readonly<Partial<Record<Asset, string>>>;
  readonly custodian: CustodianRemote;
}

/** After this many steps without an end, a pass of the reconciliation counts as stuck. */
const MAX_STEPS = 200;

/**
 * Checks that every acknowledged request has exactly one record with the acknowledged values, that a request without an
 * answer has at most one, that every balance is the sum of its records, that a withdrawal to another account was credited
 * there if it was paid and never if it was given back, and that the custodian paid each other one once. Writes what is
 * wrong into `clerk.violations`. Returns the number of payouts.
 */
export async function audit(scene: Scene): Promise<number> {
  const { clerk, parties, exchange } = scene;
  const shown = await Promise.all(parties.map((party) => readAccount(clerk, party)));
  const delivered = await readDelivered(scene);
  for (const account of shown) {
    checkRecords(clerk, account, 'order', account.orders);
    checkRecords(clerk, account, 'withdrawal', account.withdrawals);
    checkDelivered(scene, account, delivered);
    checkBalances(scene, account, shown, delivered);
  }
  const crooked = await exchange.probe.queryAll<{ asset: string }>(
    'SELECT asset, sum(amount) FROM balances GROUP BY asset HAVING sum(amount) != 0',
  );
  if (crooked.length > 0) clerk.violations.push(`balances do not sum to zero: ${JSON.stringify(crooked)}`);
  await checkReconciliation(scene);
  return checkPayouts(scene, shown);
}

/** Checks, when no withdrawal is open any more, that nothing is in transit between ledgers. */
export async function checkTransit({ clerk, exchange }: Scene): Promise<void> {
  const rows = await exchange.probe.queryAll<{ asset: string; amount: string }>(
    "SELECT asset, CAST(amount AS TEXT) AS amount FROM balances WHERE account = 'house:transit'",
  );
  for (const [asset, halves] of Map.groupBy(rows, (row) => row.asset)) {
    const sum = halves.reduce((total, { amount }) => total + BigInt(amount), 0n);
    if (sum !== 0n) clerk.violations.push(`${sum} atoms of ${asset} are in transit, and no withdrawal is open`);
  }
}

/** The withdrawals that were credited to an account of this exchange, from whichever ledger they came. */
async function readDelivered({ clerk, exchange }: Scene): Promise<ReadonlySet<string>> {
  const rows = await exchange.probe.queryAll<{ id: string }>(
    'SELECT withdrawal_id AS id FROM deposits WHERE withdrawal_id IS NOT NULL',
  );
  const delivered = new Set(rows.map(({ id }) => id));
  if (delivered.size < rows.length) clerk.violations.push('a withdrawal was credited twice');
  return delivered;
}

async function readAccount(clerk: Clerk, party: Party): Promise<Shown> {
  const [token = ''] = party.tokens;
  const [orders, withdrawals, page] = await Promise.all([
    readAllPages<Order>(clerk, token, '/api/v1/orders', 'orders'),
    readAllPages<Withdrawal>(clerk, token, '/api/v1/wallet/withdrawals', 'withdrawals'),
    mustRead(clerk, token, '/api/v1/wallet/balances'),
  ]);
  const balances = page['balances'] as { asset: string; amount: string }[];
  return {
    party,
    orders,
    withdrawals,
    balances: Object.fromEntries(balances.map(({ asset, amount }) => [asset, amount])),
  };
}

async function readAllPages<Row>(clerk: Clerk, token: string, path: string, name: string): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const page = await mustRead(clerk, token, `${path}?limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    rows.push(...(page[name] as Row[]));
    cursor = page['nextCursor'] as string | null;
  }
  return rows;
}

/** Reads when no request is open. A read may still be refused for a moment, so it is tried five times. */
async function mustRead(clerk: Clerk, token: string, path: string): Promise<Readonly<Record<string, unknown>>> {
  for (let attempt = 1; attempt <= 5; attempt += 1) {
    const page = await clerk.read(token, path);
    if (page !== undefined) return page;
  }
  throw new Error(`GET ${path} is not answered by an exchange at rest`);
}

/** Compares the records of one kind with the requests of their account, in both directions. */
function checkRecords(
  { entries, violations }: Clerk,
  { party }: Shown,
  kind: 'order' | 'withdrawal',
  rows: readonly (Order | Withdrawal)[],
): void {
  const own = entries.filter(({ request }) => request.kind === kind && request.accountId === party.accountId);
  const byMark = Map.groupBy(rows, (row) => findMark(row, own)?.request.mark);
  for (const row of byMark.get(undefined) ?? []) violations.push(`nobody asked for the ${kind} ${JSON.stringify(row)}`);
  for (const entry of own) {
    const made = byMark.get(entry.request.mark) ?? [];
    const told = entry.first?.status === 201 ? readRecord(entry.first.body, kind) : undefined;
    const name = `${kind} ${entry.request.idempotencyKey}`;
    if (made.length > 1) violations.push(`${name} was executed ${made.length} times: ${JSON.stringify(made)}`);
    if (told && !made.some((row) => isSameRecord(row, told))) {
      violations.push(`${name} was acknowledged as ${JSON.stringify(told)}, and there is ${JSON.stringify(made)}`);
    }
    if (!told && entry.first && made.length > 0) {
      violations.push(`${name} was refused, and there is ${JSON.stringify(made)}`);
    }
  }
}

function findMark(row: Order | Withdrawal, own: readonly Entry[]): Entry | undefined {
  if ('amount' in row) {
    return own.find(({ request: { body, mark } }) => mark === row.amount && body['asset'] === row.asset);
  }
  return own.find(
    ({ request: { body, mark } }) =>
      body['coin'] === row.coin &&
      body['side'] === row.side &&
      mark === (body['mode'] === 'USDT_AMOUNT' ? row.usdtAmount : row.coinAmount),
  );
}

function readRecord(body: string, kind: 'order' | 'withdrawal'): Order | Withdrawal {
  return (JSON.parse(body) as Record<typeof kind, Order | Withdrawal>)[kind];
}

/** A withdrawal that was acknowledged as PROCESSING may since have been paid or refused. */
function isSameRecord(row: Order | Withdrawal, told: Order | Withdrawal): boolean {
  const isOpen = 'status' in told && told.status === 'PROCESSING';
  const since = isOpen && 'txHash' in row ? { status: row.status, txHash: row.txHash, reason: row.reason } : {};
  return JSON.stringify(row) === JSON.stringify({ ...told, ...since });
}

/** Checks that what was paid to other accounts was credited, and that what was given back was not. */
function checkDelivered({ clerk, parties }: Scene, { withdrawals }: Shown, delivered: ReadonlySet<string>): void {
  const inside = new Set(parties.map(({ depositAddress }) => depositAddress));
  for (const { id, status, address } of withdrawals) {
    const isDelivered = delivered.has(id);
    const isWrong = status === 'COMPLETED' ? isDelivered !== inside.has(address) : status === 'FAILED' && isDelivered;
    if (isWrong)
      clerk.violations.push(`${id} is ${status}, and was ${isDelivered ? '' : 'not '}credited to an account`);
  }
}

/** Checks that an account's balances are its first funds and what its records moved. */
function checkBalances(
  { clerk, funds }: Scene,
  account: Shown,
  everybody: readonly Shown[],
  delivered: ReadonlySet<string>,
): void {
  const { party, orders, withdrawals, balances } = account;
  const explained = new Map(assetSymbols.map((asset) => [asset, atomsOf(asset, funds[asset] ?? '0')]));
  const move = (asset: string, amount: string, sign: 1n | -1n) => {
    const known = asset as Asset;
    explained.set(known, (explained.get(known) ?? 0n) + sign * atomsOf(known, amount));
  };
  for (const { coin, side, coinAmount, usdtAmount } of orders) {
    move(coin, coinAmount, side === 'BUY' ? 1n : -1n);
    move('USDT', usdtAmount, side === 'BUY' ? -1n : 1n);
  }
  for (const { status, asset, amount, fee } of withdrawals) {
    if (status === 'FAILED') continue;
    move(asset, amount, -1n);
    move(asset, fee, -1n);
  }
  for (const { asset, amount } of everybody.flatMap((other) => listPaidTo(party, other, delivered)))
    move(asset, amount, 1n);
  for (const { request, first } of clerk.entries) {
    if (request.kind !== 'credit' || request.accountId !== party.accountId || first?.status !== 201) continue;
    move('USDT', request.body['amount'] ?? '0', 1n);
  }
  for (const [asset, atoms] of explained) {
    const held = atomsOf(asset, balances[asset] ?? '0');
    if (held !== atoms) {
      clerk.violations.push(`${party.accountId} holds ${held} atoms of ${asset}, its records explain ${atoms}`);
    }
  }
}

/** Between ledgers a withdrawal is credited before it is completed. */
function listPaidTo({ depositAddress }: Party, { withdrawals }: Shown, delivered: ReadonlySet<string>): Withdrawal[] {
  return withdrawals.filter(({ id, address }) => delivered.has(id) && address === depositAddress);
}

function atomsOf(asset: Asset, amount: string): bigint {
  const atoms = parseAmount(amount, scaleOf(asset));
  if (atoms === undefined) throw new Error(`${amount} is no amount of ${asset}`);
  return atoms;
}

/** How the reconciliation of one ledger stands. */
interface LedgerState {
  readonly ledger: number;
  readonly lastPass: { readonly pass: number } | null;
  readonly progress: { readonly pass: number } | null;
}

interface AccountState {
  readonly status: string;
  readonly ledgers: readonly LedgerState[];
}

/** Runs the exchange's own reconciliation until in every ledger a pass that began after this call is complete. */
export async function checkReconciliation({
  clerk,
}: {
  readonly clerk: Pick<Clerk, 'origin' | 'violations'>;
}): Promise<void> {
  const operator = new Operator(clerk.origin);
  const post = async () =>
    (await operator.operate<{ reconciliation: AccountState }>('POST', '/reconciliation/run')).reconciliation;
  let standing = await post();
  const begun = new Map(standing.ledgers.map(({ ledger, progress }) => [ledger, progress?.pass ?? Infinity]));
  const isComplete = ({ ledger, lastPass }: LedgerState) => (lastPass?.pass ?? 0) > (begun.get(ledger) ?? Infinity);
  for (let step = 1; step <= MAX_STEPS; step += 1) {
    if (standing.status === 'broken') {
      clerk.violations.push(`the reconciliation says: ${JSON.stringify(standing)}`);
      return;
    }
    if (standing.status === 'ok' && standing.ledgers.every(isComplete)) return;
    standing = await post();
  }
  clerk.violations.push(`the reconciliation completed no pass in ${MAX_STEPS} steps: ${JSON.stringify(standing)}`);
}

/** Compares the custodian's payouts with the withdrawals: each is paid once, and there is no payout without one. */
async function checkPayouts({ clerk, custodian, parties }: Scene, shown: readonly Shown[]): Promise<number> {
  const [payouts, rejections] = [await custodian.listPayouts(), await custodian.listRejections()];
  if (rejections.length > 0) clerk.violations.push(`the custodian turned away: ${rejections.join(', ')}`);
  const inside = new Set(parties.map(({ depositAddress }) => depositAddress));
  const withdrawals = new Map(shown.flatMap((account) => account.withdrawals.map((row) => [row.id, row] as const)));
  const paid = new Map(payouts.map((entry) => [entry.payout.withdrawalId, entry]));
  for (const { payout, payments, status } of payouts) {
    const row = withdrawals.get(payout.withdrawalId);
    if (payments > 1) clerk.violations.push(`${payout.withdrawalId} was paid ${payments} times`);
    if (!row) clerk.violations.push(`the custodian was asked to pay ${JSON.stringify(payout)}, which nobody withdrew`);
    const isAsked = row?.amount === payout.amount && row.asset === payout.asset && row.address === payout.address;
    if (row && !isAsked) {
      clerk.violations.push(`the custodian was asked for ${JSON.stringify(payout)}, not ${JSON.stringify(row)}`);
    }
    if (row?.status === 'FAILED' && status !== 'refused') {
      clerk.violations.push(`${row.id} was given back while the custodian says ${status}`);
    }
  }
  for (const row of withdrawals.values()) {
    const entry = paid.get(row.id);
    if (row.status !== 'COMPLETED' || inside.has(row.address)) continue;
    if (entry?.payments !== 1 || entry.txHash !== row.txHash) {
      clerk.violations.push(`${JSON.stringify(row)} is completed, the custodian has ${JSON.stringify(entry)}`);
    }
  }
  return payouts.filter(({ payments }) => payments > 0).length;
}
