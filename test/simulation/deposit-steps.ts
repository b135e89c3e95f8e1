import { base58 } from '@scure/base';
import { FIRST_LEDGER, ledgerNumberOf } from '../../src/db/record-id.ts';
import { type AssetNetwork, assetSymbols, assets, scaleOf } from '../../src/money/assets.ts';
import { asOperator, json } from '../support/exchange.ts';
import { queryAll } from '../support/db/open-in-ledger.ts';
import { houseOf, houseOfAccount } from './house-of.ts';
import type { Draw } from '../support/draw.ts';
import { type Model, type ModelDeposit, NOBODY } from './model.ts';
import { sameMovements } from './movement.ts';
import { must } from './must.ts';
import { injectDatabaseFault, operate } from './operate.ts';
import { floorDecimal, readDecimal, writeDecimal } from './read-decimal.ts';
import type { World } from './world.ts';

/** Reports a deposit for the first time, or an earlier one again. */
export async function stepDeposit(world: World, draw: Draw): Promise<void> {
  tellStep(world.model, await reportDeposit(world, draw));
}

/** Notes the event of a new status. That of a credit was noted with its movement; dust is told only when it fails. */
function tellStep(model: Model, deposit: ModelDeposit): void {
  const { accountId, isKnown, isDust, status, told } = deposit;
  if (!isKnown || status === told) return;
  deposit.told = status;
  if (status === 'COMPLETED' || (isDust && status === 'QUARANTINED')) return;
  model.tell(accountId ?? NOBODY, `deposit.${status.toLowerCase()}`, null);
}

async function reportDeposit(world: World, draw: Draw): Promise<ModelDeposit> {
  const { model } = world;
  const open = model.deposits.slice(-12);
  const isNew = open.length === 0 || draw.happens(0.5);
  const deposit = isNew ? newDeposit(world, draw) : draw.pick(open);
  const word = draw.weigh({ seen: 3, confirmed: 6, failed: 1 });
  const confirmations = word === 'confirmed' ? deposit.needed : Math.min(1, deposit.needed - 1);
  const injection = injectDatabaseFault(world, draw, 'deposit');
  const before = deposit.status;
  const report = { ...deposit.report, confirmations, ...(word === 'failed' && { failed: true }) };
  if (!deposit.isKnown) deposit.isDust = isBelowMinimum(model, deposit);
  const next = nextStatus(world, deposit, word);
  const { answer, moved } = await operate(world, 'POST', '/deposits', report, injection);
  if (isNew) model.deposits.push(deposit);
  const isOpen = injection !== undefined && injection.count() > 0 && answer.status === 503;
  if (moved.length > 0) {
    const { accountId, asset, amount } = deposit;
    const { custody } = houseOf(ledgerOfDeposit(deposit));
    const credit = [{ debit: custody, credit: accountId ?? NOBODY, asset, amount, kind: 'deposit' }];
    must(next === 'COMPLETED' && before !== 'COMPLETED', 'credited again', deposit.report, moved);
    must(sameMovements(moved, credit), 'moved', moved, 'instead of', credit);
    deposit.status = 'COMPLETED';
  }
  if (isOpen) {
    await takeLanded(deposit, next);
    return deposit;
  }
  if (next === 'refused') {
    must(answer.status === 409, 'answered', answer, report);
    return deposit;
  }
  must([200, 201].includes(answer.status), 'answered', answer, report);
  deposit.isKnown = true;
  deposit.status = (answer.body['deposit'] as { status: ModelDeposit['status'] }).status;
  must(deposit.status === next, 'a deposit is', deposit, 'instead of', next, before);
  return deposit;
}

/** The operator decides about a deposit, quarantined or not: credits it to an account, or keeps it. */
export async function stepQuarantine(world: World, draw: Draw): Promise<void> {
  const { model } = world;
  const known = model.deposits.filter(({ isKnown }) => isKnown);
  const waiting = known.filter(({ status }) => status === 'QUARANTINED');
  const [all, undecided] = [known.slice(-12), waiting.filter(({ decision }) => decision !== 'CREDITED').slice(-12)];
  if (all.length === 0) return;
  const deposit = draw.pick(undecided.length > 0 && draw.happens(0.8) ? undecided : all);
  const { id: accountId } = draw.pick(model.accounts);
  const isCredit = draw.happens(0.7);
  const row = await readRow(deposit);
  const injection = injectDatabaseFault(world, draw, 'deposit');
  const body = { reason: 'simulated', ...(isCredit && { accountId }) };
  const code = refuseDecision(world, deposit, isCredit, accountId);
  const path = `/deposits/${row?.id ?? ''}/${isCredit ? 'credit' : 'keep'}`;
  const { answer, moved } = await operate(world, 'POST', path, body, injection);
  const isOpen = injection !== undefined && injection.count() > 0 && answer.status === 503;
  if (moved.length > 0) {
    const { asset, amount } = deposit;
    const { custody } = houseOfAccount(accountId);
    const credit = [{ debit: custody, credit: accountId, asset, amount, kind: 'deposit' }];
    must(isCredit && code === null && deposit.decision !== 'CREDITED', 'credited', deposit, moved);
    must(sameMovements(moved, credit), 'moved', moved, 'instead of', credit);
    Object.assign(deposit, { decision: 'CREDITED', creditedTo: accountId });
  }
  if (isOpen) {
    const now = (await readRow(deposit))?.decision;
    must(now === deposit.decision || (!isCredit && code === null && now === 'KEPT'), 'decided', deposit, now);
    if (!isCredit && now === 'KEPT') deposit.decision = 'KEPT';
    return;
  }
  if (code !== null) return must(answer.body['code'] === code, 'answered', answer, 'instead of', code);
  must(answer.status === 200, 'answered', answer, deposit);
  if (!isCredit) deposit.decision = 'KEPT';
  must(deposit.decision === (answer.body['deposit'] as Pick<ModelDeposit, 'decision'>).decision, 'shown', answer);
}

function refuseDecision({ model }: World, deposit: ModelDeposit, isCredit: boolean, accountId: string): string | null {
  if (isCredit && ledgerOfDeposit(deposit) !== ledgerNumberOf(accountId)) return 'invalid_state';
  const { status, isDust, decision, asset, amount, creditedTo } = deposit;
  // The same decision again is no error, whatever became of the deposit since.
  if (decision === 'CREDITED') return isCredit && creditedTo === accountId ? null : 'invalid_state';
  if (decision === 'KEPT' && !isCredit) return null;
  if (status !== 'QUARANTINED' || isDust) return 'invalid_state';
  if (!isCredit || model.admits(houseOfAccount(accountId).custody, asset, amount)) return null;
  return 'supply_cap_exceeded';
}

function ledgerOfDeposit({ accountId }: ModelDeposit): number {
  return accountId === null ? FIRST_LEDGER : ledgerNumberOf(accountId);
}

async function readRow({ report }: ModelDeposit) {
  type Row = Pick<ModelDeposit, 'status' | 'decision'> & { readonly id: string };
  const query = 'SELECT id, status, decision FROM deposits WHERE tx_hash = ?';
  const [row, other] = await queryAll<Row>(query, String(report['txHash']));
  must(other === undefined, 'a deposit is in two ledgers', row, other);
  return row;
}

/**
 * If a fault left the outcome unknown, the database decides: either the report took effect correctly, or not at all.
 */
async function takeLanded(deposit: ModelDeposit, next: ModelDeposit['status'] | 'refused'): Promise<void> {
  const row = await readRow(deposit);
  const asBefore = deposit.isKnown ? row?.status === deposit.status : row === undefined;
  must(asBefore || row?.status === next, 'a deposit became', row, deposit, 'instead of', next);
  if (row) Object.assign(deposit, { isKnown: true, status: row.status });
}

/** Compares the operator's sums of deposits below the minimum with the model's deposits. */
export async function checkDust({ model }: World): Promise<void> {
  const sums = new Map<string, { deposits: number; amount: bigint }>();
  for (const { report, isDust, isKnown, status } of model.deposits) {
    if (!isDust || !isKnown || status !== 'QUARANTINED') continue;
    const name = `${report['asset']} ${report['network']}`;
    const { deposits, amount } = sums.get(name) ?? { deposits: 0, amount: 0n };
    sums.set(name, { deposits: deposits + 1, amount: amount + floorDecimal(String(report['amount']), 18) });
  }
  const shown = await json<{ dust: { asset: string; network: string; deposits: number; amount: string }[] }>(
    await asOperator('GET', '/deposits/dust'),
  );
  must(shown.dust.length === sums.size, 'sums of dust', shown, [...sums]);
  for (const { asset, network, deposits, amount } of shown.dust) {
    const sum = sums.get(`${asset} ${network}`);
    must(sum?.deposits === deposits && sum.amount === readDecimal(amount, 18), 'dust is', asset, network, amount, sum);
  }
}

/** The smallest deposit that is credited, in atoms. */
function minimumOf({ depositMinimum: set }: Model, asset: ModelDeposit['asset'], on: AssetNetwork): bigint {
  if (set?.asset === asset && set.network === on.network) return set.amount;
  return readDecimal(on.minDeposit, scaleOf(asset)) ?? 0n;
}

function isBelowMinimum(model: Model, { accountId, asset, amount, report }: ModelDeposit): boolean {
  const on = assets[asset].networks.find(({ network }) => network === report['network']);
  return accountId !== null && on !== undefined && amount < minimumOf(model, asset, on);
}

function newDeposit({ model }: World, draw: Draw): ModelDeposit {
  const account = draw.pick(model.accounts);
  const { depositMinimum } = model;
  const changed = draw.happens(0.3) ? depositMinimum : null;
  const asset = changed?.asset ?? draw.pick(assetSymbols);
  const drawn = draw.networkOf(asset);
  const on = assets[asset].networks.find(({ network }) => network === changed?.network) ?? drawn;
  const { network, confirmations } = on;
  const kind = draw.weigh({ good: 70, least: 5, below: 8, dust: 7, nobody: 10 });
  const scale = scaleOf(asset);
  const least = minimumOf(model, asset, on);
  const atoms = { least, below: least - 1n, dust: draw.part(least), nobody: least }[kind as string];
  const amount = writeDecimal(atoms ?? least + draw.part(10n ** BigInt(scale)), scale);
  // Decimals beyond the ledger's are never credited.
  const [whole = '', fraction = ''] = amount.split('.');
  const exact = kind === 'least' || !draw.happens(0.5) ? amount : `${whole}.${fraction.padEnd(scale, '0')}999`;
  const hash = draw.hex();
  const isHex = ['BTC', 'LTC', 'DOGE', 'TRC20'].includes(network);
  const txHash =
    network === 'SOL' ? base58.encode(Uint8Array.fromHex(`ff${hash.slice(2)}${hash}`)) : isHex ? hash : `0x${hash}`;
  const own = account.addresses[network] ?? '';
  const isNobodys = kind === 'nobody' && own.startsWith('0x');
  return {
    report: { network, asset, amount: exact, txHash, address: isNobodys ? NOBODYS : own },
    accountId: isNobodys ? null : account.id,
    asset,
    amount: floorDecimal(exact, scale),
    needed: confirmations,
    status: 'PENDING',
    isKnown: false,
    isDust: false,
    decision: null,
    creditedTo: null,
    told: null,
  };
}

const NOBODYS = '0x52908400098527886E0F7030069857D2E4169EE7';

function nextStatus({ model }: World, deposit: ModelDeposit, word: string) {
  const standing = deposit.isKnown ? deposit.status : null;
  if (standing === 'COMPLETED') return word === 'failed' ? 'refused' : standing;
  if (standing === 'FAILED') return standing;
  if (deposit.decision === 'CREDITED') return word === 'failed' ? 'refused' : 'QUARANTINED';
  if (word === 'failed') return 'FAILED';
  if (deposit.decision === 'KEPT') return 'QUARANTINED';
  if (deposit.accountId === null || deposit.isDust) return 'QUARANTINED';
  if (word === 'seen') return standing ?? 'PENDING';
  const { custody } = houseOf(ledgerOfDeposit(deposit));
  return model.admits(custody, deposit.asset, deposit.amount) ? 'COMPLETED' : 'QUARANTINED';
}
