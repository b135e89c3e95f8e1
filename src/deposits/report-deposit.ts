import { z } from '@hono/zod-openapi';
import { Amount } from '../http/wire-types.ts';
import { type Outcome, accept, refuse, refuseField, refuseUnconfirmed } from '../http/answer.ts';
import { type Actor, insertAudit } from '../db/audit.ts';
import { type CommitOutcome, commit } from '../db/commit.ts';
import { type Database, directoryOf, listLedgers, openLedger } from '../db/database.ts';
import { claimNames, findHolders, nameAddress, nameOutput } from '../db/directory.ts';
import { FIRST_LEDGER, ledgerNumberOf, newRecordId } from '../db/record-id.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { deposits } from '../db/schema.ts';
import { type Settings, minimumInForce, readSettings } from '../db/settings.ts';
import { nextTransfer } from '../db/transfers.ts';
import { approvalRefusals, explain } from '../db/explain.ts';
import { type Asset, type AssetNetwork, assetSymbols, assets, scaleOf } from '../money/assets.ts';
import { type Atoms, MAX_ATOMS, floorAmount } from '../money/amounts.ts';
import { type Network, findNetwork } from '../money/networks.ts';
import { readAddress } from '../addresses/validate-address.ts';
import { countByHand } from './count-by-hand.ts';
import { type AgreedFrom, readAgreement, storeWitness } from './second-watcher.ts';
import { type ChainDeposit, UNOWNED, creditFromCustody, isDeposit, readDeposit } from './deposit.ts';
import { readTransactionHash } from '../custody/transaction-hash.ts';

const MAX_TEXT_LENGTH = 128;
const MAX_SYMBOL_LENGTH = 32;

/** Payments that a contract makes within a transaction are counted from here: docs/custody.md, "Deposits". */
const FIRST_INNER_PAYMENT = 2 ** 31;

/** The custodian's report about one output of one transaction, sent again whenever it knows more. */
export const ReportDeposit = z
  .strictObject({
    network: z.string().min(1).max(MAX_SYMBOL_LENGTH).openapi({ example: 'ETH' }),
    address: z.string().min(1).max(MAX_TEXT_LENGTH).openapi({ example: '0x52908400098527886E0F7030069857D2E4169EE7' }),
    asset: z.string().min(1).max(MAX_SYMBOL_LENGTH).openapi({ example: 'ETH' }),
    amount: Amount.openapi({ description: 'Exactly what the chain moved', example: '0.500000000000000001' }),
    txHash: z
      .string()
      .min(1)
      .max(MAX_TEXT_LENGTH)
      .openapi({ example: '0x7c2b9a0de1c94d6c0f6f0a3ac4f4c9ad0e6b7d3d5c1e8f90a1b2c3d4e5f60718' }),
    outputIndex: z.number().int().min(0).max(0xffff_ffff).default(0).openapi({
      description:
        'Which output of the transaction. On the EVM: 0 its value, 1 + n the n-th log of its receipt, 2^31 + n the n-th payment from within',
    }),
    confirmations: z.number().int().min(0).max(0xffff_ffff).openapi({ example: 12 }),
    failed: z.boolean().default(false).openapi({
      description: 'Whether it can never happen any more. For good: a block that was reorganised away is no failure',
    }),
  })
  .openapi('ReportDeposit');

export type ReportDeposit = z.output<typeof ReportDeposit>;

/** A report whose network, address and hash are valid and in canonical form. */
type ReadReport = Omit<ReportDeposit, 'network'> & { readonly network: Network };

/** A deposit after a report, and whether the report was its first. */
export interface ReportResult {
  readonly deposit: ChainDeposit;
  readonly isNew: boolean;
}

/**
 * Processes a report of a deposit, which there is once per (network, txHash, outputIndex). It is PENDING until it has
 * the network's confirmations, then credited to the owner of the address; FAILED if it reverts before. It is
 * QUARANTINED and credited to nobody if it belongs to nobody, is no asset of that network, is below the smallest
 * deposit, was paid within a transaction, or would exceed the ledger's share of the supply cap. Over it, a later report
 * tries again. Its first report decides for good whether it is too small.
 *
 * It is in the ledger of its owner's account, or in ledger 0 if nobody owns the address. The first report claims the
 * output for that ledger in the directory, so that no other ledger ever takes it.
 *
 * Above the bound of `agreedFrom`, it is PENDING until the second watcher has reported the same. That watcher's own
 * report is stored, and neither credits nor fails anything.
 *
 * A report that changes the deposit's status is written and audited. Any other costs two reads.
 *
 * Refuses with `network_not_supported`, `invalid_address`, `invalid_request` for an invalid hash, `invalid_state` when
 * the same output was reported differently or reverts after it was credited, and `service_unavailable` when the outcome
 * in D1 is unknown: it is safe to repeat the report.
 */
export async function reportDeposit(
  bindings: LedgerBindings,
  report: ReportDeposit,
  valueOf: (asset: Asset, amount: Atoms) => Promise<Atoms>,
  actor: Actor,
  agreedFrom: AgreedFrom = {},
): Promise<Outcome<ReportResult>> {
  const read = readReport(report);
  if (!read.ok) return read;
  const { ledger, isKnown, owner } = await claimOutput(bindings, read.value);
  const database = openLedger(bindings, ledger);
  if (actor.role === 'watcher') {
    if (!report.failed) await storeWitness(database, read.value);
    Object.assign(read.value, { confirmations: 0, failed: false });
  }
  const place: Place = { bindings, ledger, database, agreedFrom };
  // An output that is claimed without a deposit is one whose first report was cut off.
  const before = isKnown ? await readDeposit(database, read.value) : undefined;
  if (before) return advance(place, before, read.value, actor);
  const first = await judge(database, read.value, owner, valueOf);
  return write(place, undefined, { ...first, id: newRecordId(actor.now_ms, ledger) }, read.value, actor);
}

/**
 * The ledger of a report's deposit, which claims its output if none has yet; ledger 0 for a report that is not valid.
 * Throws when D1 fails.
 */
export async function findReportLedger(bindings: LedgerBindings, report: ReportDeposit): Promise<number> {
  const read = readReport(report);
  return read.ok ? (await claimOutput(bindings, read.value)).ledger : FIRST_LEDGER;
}

interface Place {
  readonly bindings: LedgerBindings;
  readonly ledger: number;
  readonly database: Database;
  readonly agreedFrom: AgreedFrom;
}

/**
 * Writes the first or the next state of a deposit. It waits where the database wants a second watcher's word first, and
 * is quarantined where it is over the supply cap.
 */
async function write(
  place: Place,
  before: ChainDeposit | undefined,
  next: ChainDeposit,
  report: ReadReport,
  actor: Actor,
): Promise<Outcome<ReportResult>> {
  const { bindings, ledger, database, agreedFrom } = place;
  const isNew = before === undefined;
  const agreement =
    next.status === 'COMPLETED'
      ? await readAgreement(database, report, agreedFrom, listLedgers(bindings).length, actor.now_ms)
      : undefined;
  const store = (deposit: ChainDeposit) => commitDeposit(database, deposit, isNew, actor);
  const agreed = { ...next, ...agreement };
  // What is credited on a person's word counts for what that one may enter alone.
  const isByHand = next.status === 'COMPLETED' && actor.role !== 'deposits';
  const uncounted = isByHand && (await countByHand(bindings, ledger, next.asset as Asset, next.amount, actor));
  const outcome = uncounted || (await store(agreed));
  if (outcome.kind === 'committed') return accept({ deposit: agreed, isNew });
  if (outcome.kind === 'overloaded') return unconfirmed;
  const refusal = explain(outcome, approvalRefusals);
  if (refusal) return refusal;
  const instead = findOther(outcome, before, next, report);
  if (instead && instead.status === before?.status) return accept({ deposit: instead, isNew });
  if (instead && (await store(instead)).kind === 'committed') return accept({ deposit: instead, isNew });
  // Another report of the same output came first, or D1 did not say: the row is the answer.
  const landed = await readDeposit(database, report);
  if (landed && isNew) return advance(place, landed, report, actor);
  return landed && landed.status !== before?.status ? accept({ deposit: landed, isNew }) : unconfirmed;
}

/** What a deposit is that cannot be credited now; `undefined` where the database refused it for another reason. */
function findOther(
  outcome: CommitOutcome,
  before: ChainDeposit | undefined,
  next: ChainDeposit,
  { confirmations }: ReadReport,
): ChainDeposit | undefined {
  if (outcome.kind === 'floor') {
    return before?.reason === 'supply_cap' ? before : { ...next, status: 'QUARANTINED', reason: 'supply_cap' };
  }
  const isWaiting = outcome.kind === 'guarded' && outcome.guard === 'second_watcher_needed';
  return isWaiting ? { ...(before ?? { ...next, status: 'PENDING' }), confirmations } : undefined;
}

const unconfirmed = refuseUnconfirmed('The deposit was not confirmed. Send the same report again.');

function readReport(report: ReportDeposit): Outcome<ReadReport> {
  const network = findNetwork(report.network);
  if (!network) return refuse('network_not_supported', `There is no network ${report.network}.`);
  const txHash = readTransactionHash(network, report.txHash);
  if (txHash === undefined) return refuseField('/txHash', 'wrong_format', `is no transaction hash of ${network}`);
  const address = readAddress(network, report.address);
  if (address === undefined) return refuse('invalid_address', `This is not a ${network} address.`);
  return accept({ ...report, network, txHash, address });
}

/**
 * The ledger of a report's deposit, whether an earlier report claimed its output, and the account that receives at its
 * address if it is one of that ledger.
 */
async function claimOutput(bindings: LedgerBindings, report: ReadReport) {
  const { network, txHash, outputIndex, address } = report;
  const directory = directoryOf(bindings);
  const output = nameOutput(network, txHash, outputIndex);
  const [known, owner] = await findHolders(directory, [output, nameAddress(network, address)]);
  const wanted = owner === undefined ? FIRST_LEDGER : ledgerNumberOf(owner);
  const [holder = known] =
    known === undefined ? await claimNames(directory, [{ ...output, holder: String(wanted) }]) : [];
  const ledger = Number(holder);
  // An address that got its owner after the first report was cut off: the operator credits what came before.
  return { ledger, isKnown: known !== undefined, owner: wanted === ledger ? owner : undefined };
}

/** What a deposit is at first, by asset, amount, owner and confirmations; without its id. */
async function judge(
  database: Database,
  report: ReadReport,
  owner: string | undefined,
  valueOf: (asset: Asset, amount: Atoms) => Promise<Atoms>,
): Promise<Omit<ChainDeposit, 'id'>> {
  const listing = findListing(report);
  const settings = await readSettings(database);
  const amount = listing ? floorAmount(report.amount, scaleOf(listing.asset)) : 0n;
  const reason = findReason(report, listing, owner, amount, settings);
  return {
    // An unknown asset gets no owner, since the owner's feed could not show it.
    accountId: (listing && owner) ?? UNOWNED,
    asset: report.asset,
    amount: amount > MAX_ATOMS ? 0n : amount,
    usdValue: listing && (!reason || reason === 'inner_payment') ? await valueOf(listing.asset, amount) : 0n,
    status: !reason ? statusOf(report, listing) : report.failed ? 'FAILED' : 'QUARANTINED',
    reason: report.failed ? null : reason,
    network: report.network,
    txHash: report.txHash,
    outputIndex: report.outputIndex,
    address: report.address,
    exactAmount: report.amount,
    confirmations: report.confirmations,
    agreedBy: null,
  };
}

type Listing = { readonly asset: Asset; readonly listed: AssetNetwork };

function findListing(report: ReadReport): Listing | undefined {
  const asset = assetSymbols.find((symbol) => symbol === report.asset);
  const listed = asset && assets[asset].networks.find(({ network }) => network === report.network);
  return asset && listed && { asset, listed };
}

function findReason(
  { outputIndex }: ReadReport,
  listing: Listing | undefined,
  owner: string | undefined,
  amount: Atoms,
  settings: Settings,
): ChainDeposit['reason'] {
  if (!listing) return 'unsupported_asset';
  if (owner === undefined) return 'unknown_address';
  const { asset, listed } = listing;
  const minimum = minimumInForce(settings.depositMinimums, asset, listed.network, listed.minDeposit);
  if (amount < minimum) return 'below_minimum';
  if (outputIndex >= FIRST_INNER_PAYMENT) return 'inner_payment';
  return amount > MAX_ATOMS ? 'supply_cap' : null;
}

function statusOf(report: ReadReport, listing: Listing | undefined): ChainDeposit['status'] {
  if (report.failed) return 'FAILED';
  return listing && report.confirmations >= listing.listed.confirmations ? 'COMPLETED' : 'PENDING';
}

/** Applies a later report to a deposit if it changes the status. Otherwise nothing is written. */
async function advance(
  place: Place,
  standing: ChainDeposit,
  report: ReadReport,
  actor: Actor,
): Promise<Outcome<ReportResult>> {
  const isSame =
    standing.address === report.address &&
    standing.asset === report.asset &&
    floorAmount(standing.exactAmount, 18) === floorAmount(report.amount, 18);
  if (!isSame) return refuse('invalid_state', 'This output was reported with another address, asset or amount.');
  if ((standing.status === 'COMPLETED' || standing.decision === 'CREDITED') && report.failed) {
    return refuse('invalid_state', 'The deposit is credited already: a revert after that is for a person to settle.');
  }
  const status = nextStatus(standing, report);
  const { confirmations } = report;
  if (status === standing.status) {
    return accept({ deposit: status === 'PENDING' ? { ...standing, confirmations } : standing, isNew: false });
  }
  return write(place, standing, { ...standing, status, reason: null, confirmations }, report, actor);
}

function nextStatus(standing: ChainDeposit, report: ReadReport): ChainDeposit['status'] {
  const isOpen = standing.status === 'PENDING' || (standing.reason === 'supply_cap' && !standing.decision);
  if (report.failed && (isOpen || standing.status === 'QUARANTINED')) return 'FAILED';
  if (!isOpen || standing.amount === 0n) return standing.status;
  const status = statusOf(report, findListing(report));
  return status === 'PENDING' ? standing.status : status;
}

function commitDeposit(
  database: Database,
  deposit: ChainDeposit,
  isNew: boolean,
  actor: Actor,
): Promise<CommitOutcome> {
  const { accountId, id, network, txHash, outputIndex, asset, amount, status, reason, confirmations } = deposit;
  const { agreedBy, creditedAt, singleBound } = deposit;
  const isCredited = status === 'COMPLETED';
  // The database makes the transfer as the row becomes COMPLETED.
  const transfer = isCredited ? nextTransfer() : null;
  const moved = { status, reason, confirmations, agreedBy, creditedAt, singleBound, transfer };
  const record = isNew
    ? database.insert(deposits).values({ ...deposit, ...moved, type: 'ONCHAIN_DEPOSIT' })
    : // Not by its state, so that the second of two equal changes is refused by a guard.
      database.update(deposits).set(moved).where(isDeposit(deposit));
  const detail = { network, txHash, outputIndex, status, confirmations };
  const audit = insertAudit(database, actor, 'report_deposit', id, detail);
  const transfers = isCredited ? [creditFromCustody(accountId, id, asset as Asset, amount)] : [];
  return commit(database, [audit, record], transfers);
}
