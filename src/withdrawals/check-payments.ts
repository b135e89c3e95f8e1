import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { LedgerBindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import { type Database, listLedgers, openLedger } from '../db/database.ts';
import { isDatabaseFault } from '../db/commit.ts';
import type { Duty } from '../reconciliation/duty.ts';
import type { Finding } from '../reconciliation/invariants.ts';
import type { Custody } from '../custody/custody.ts';
import { payOut } from './pay-out.ts';
import { findProcessingWithdrawal } from './withdrawal.ts';

/** A receipt is finished when it is older than this, because the request that made it has then ended. */
const FINISHED_AFTER_MS = 15_000;

/** How many payments are compared with one other ledger at a time, how many times, and how many are finished. */
const PAYMENTS_AT_ONCE = 100;
const MAX_ROUNDS = 10;
const MAX_FINISHED = 30;

/**
 * For each other ledger, the numbers of the newest transfers up to which all payments to it, and all receipts from it,
 * are compared.
 */
const PaymentsPosition = z.record(z.string(), z.object({ sent: z.int(), received: z.int() }));

type PaymentsPosition = z.output<typeof PaymentsPosition>;

/** One side of a payment between ledgers: the withdrawal in one, or the receipt in the other. */
interface Side {
  readonly withdrawalId: string;
  readonly receiptId: string | null;
  readonly recipient: string | null;
  readonly asset: string;
  /** In atoms, as text. */
  readonly amount: string;
  readonly status: string;
  /** The number of its transfer, and when that was written. */
  readonly transfer: number | null;
  readonly ts: number | null;
}

/** What the keeper calls the position. */
const POSITION = 'payments';

/** Compares payments with those in other ledgers, and completes those that were received. */
export function comparePayments(custody: Custody): Duty {
  return {
    fault: 'payments_not_checked',
    run: async ({ bindings, ledger, state, note }) => {
      const now_ms = Date.now();
      const position = PaymentsPosition.catch({}).parse(state.read(POSITION));
      const { next, whole, findings } = await checkPayments({ bindings, custody, ledger, now_ms }, position);
      await note({ payments_have_both_sides: whole }, findings, now_ms);
      state.write(POSITION, next);
    },
    beginAnew: ({ state }) => state.write(POSITION, {}),
  };
}

/** Whose payments are compared, and who finishes those that are received and not completed. */
export interface PaymentCheck {
  readonly bindings: LedgerBindings;
  readonly custody: Custody;
  readonly ledger: number;
  readonly now_ms: number;
}

/**
 * Compares the payments between this ledger and the others that are new since `position`, and completes withdrawals whose
 * receipt is written. A side whose other side is certainly missing, or differs, is a finding. Nothing is known while the
 * other ledger does not answer: its payments are compared at the next check. What was found whole is not read again. With
 * one ledger nothing is read. Returns the findings, the next position, and how many sides were found whole. Throws when D1
 * fails in the ledger itself.
 */
export async function checkPayments(check: PaymentCheck, position: PaymentsPosition) {
  const { bindings, ledger } = check;
  const ledgers = listLedgers(bindings);
  if (ledgers.length === 1) return { next: position, whole: 0, findings: [] as Finding[] };
  const own = openLedger(bindings, ledger);
  const strangers = [
    ...(await selectNext(own, 'sent', isStrange('sent', ledgers.length))),
    ...(await selectNext(own, 'received', isStrange('received', ledgers.length))),
  ];
  const findings = strangers.map((side) => describe(side, 'its other ledger does not exist'));
  const next = { ...position };
  const finishing = { left: MAX_FINISHED };
  let whole = 0;
  for (const peer of ledgers.filter((other) => other !== ledger)) {
    for (const stream of ['sent', 'received'] as const) {
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const standing = next[peer] ?? { sent: 0, received: 0 };
        const compared = await comparePeer(check, peer, stream, standing[stream], finishing);
        findings.push(...compared.findings);
        whole += compared.whole.length;
        next[peer] = { ...standing, [stream]: compared.whole.at(-1)?.transfer ?? standing[stream] };
        if (compared.whole.length < PAYMENTS_AT_ONCE) break;
      }
    }
  }
  return { next, whole, findings };
}

/** The sides up to the first one that is not whole, and the findings among the others. */
interface Comparison {
  readonly whole: readonly Side[];
  readonly findings: readonly Finding[];
}

async function comparePeer(
  check: PaymentCheck,
  peer: number,
  stream: Stream,
  after: number,
  finishing: { left: number },
): Promise<Comparison> {
  const own = openLedger(check.bindings, check.ledger);
  const sides = await selectNext(own, stream, isNewOf(stream, peer, after));
  if (sides.length === 0) return { whole: [], findings: [] };
  try {
    const database = openLedger(check.bindings, peer);
    let others = await findOthers(database, stream, sides);
    if (stream === 'received') {
      const open = sides.filter(
        ({ withdrawalId, ts }) =>
          others.get(withdrawalId)?.status === 'PROCESSING' && check.now_ms - (ts ?? 0) > FINISHED_AFTER_MS,
      );
      const context = { database, ledgers: check.bindings, custody: check.custody, now: () => Date.now() };
      for (const { withdrawalId } of open.slice(0, finishing.left)) {
        finishing.left -= 1;
        const row = await findProcessingWithdrawal(database, withdrawalId);
        if (row) await payOut(context, row, false);
      }
      if (open.length > 0) others = await findOthers(database, stream, sides);
    }
    const judged = sides.map((side) => ({ side, verdict: judge(side, others.get(side.withdrawalId), stream) }));
    const firstOpen = judged.findIndex(({ verdict }) => verdict !== 'whole');
    return {
      whole: firstOpen < 0 ? sides : sides.slice(0, firstOpen),
      findings: judged.flatMap(({ side, verdict }) =>
        verdict === 'whole' || verdict === 'open' ? [] : [describe(side, verdict)],
      ),
    };
  } catch (error) {
    if (!isDatabaseFault(error)) throw error;
    logFault('payments_not_compared', { ledger: peer, error: describeError(error) });
    return { whole: [], findings: [] };
  }
}

/** What both sides of a payment have alike. */
const terms = ['receiptId', 'recipient', 'asset', 'amount'] as const;

/** Whether a side has its other side: `open` while that is not completed yet, else what is wrong. Pure. */
function judge(side: Side, other: Side | undefined, stream: Stream): string {
  if (!other) return 'its other side is missing';
  if (terms.some((term) => other[term] !== side[term])) return 'its other side differs';
  if (other.status === 'COMPLETED') return 'whole';
  return stream === 'received' && other.status === 'PROCESSING' ? 'open' : `its other side is ${other.status}`;
}

function describe({ withdrawalId, receiptId, recipient, asset, amount }: Side, fault: string): Finding {
  const example = { withdrawal: withdrawalId, receipt: receiptId ?? '', recipient: recipient ?? '', asset };
  return { invariant: 'payments_have_both_sides', example: { ...example, amount, fault } };
}

/** Where the sides of a stream are. */
const tables = {
  sent: {
    columns: sql`withdrawals.id AS withdrawalId, receipt_id AS receiptId, recipient, withdrawals.asset,
      CAST(withdrawals.amount AS TEXT) AS amount, status, paid_transfer AS transfer, transfers.ts`,
    source: sql`withdrawals LEFT JOIN transfers ON transfers.id = paid_transfer`,
    /** The condition of the index of those that are between ledgers, word for word. */
    isBetween: sql`substr(recipient, 16, 3) <> substr(withdrawals.id, 16, 3)`,
    number: sql`paid_transfer`,
    /** The number of the other ledger, as an id has it. */
    peer: sql`substr(receipt_id, 16, 3)`,
  },
  received: {
    columns: sql`withdrawal_id AS withdrawalId, deposits.id AS receiptId, account_id AS recipient, deposits.asset,
      CAST(deposits.amount AS TEXT) AS amount, status, transfer, transfers.ts`,
    source: sql`deposits LEFT JOIN transfers ON transfers.id = transfer`,
    isBetween: sql`substr(withdrawal_id, 16, 3) <> substr(deposits.id, 16, 3)`,
    number: sql`transfer`,
    peer: sql`substr(withdrawal_id, 16, 3)`,
  },
};

type Stream = keyof typeof tables;

const numberAsText = (ledger: number) => ledger.toString(16).padStart(3, '0');

/** With another ledger, and newer than a transfer. */
function isNewOf(stream: Stream, ledger: number, after: number): SQL {
  const { peer, number } = tables[stream];
  return sql`${peer} = ${numberAsText(ledger)} AND ${number} > ${after}`;
}

/** With a ledger that does not exist, or none at all. */
function isStrange(stream: Stream, count: number): SQL {
  const { peer } = tables[stream];
  return sql`NOT (${peer} < ${numberAsText(count)} AND ${peer} GLOB '[0-9a-f][0-9a-f][0-9a-f]')`;
}

/** The next payments to other ledgers, or receipts from them, in the order of their transfers. Throws when D1 fails. */
function selectNext(database: Database, stream: Stream, condition: SQL): Promise<Side[]> {
  const { columns, source, isBetween, number } = tables[stream];
  return database.all<Side>(sql`
    SELECT ${columns} FROM ${source} WHERE ${isBetween} AND ${condition} ORDER BY ${number} LIMIT ${PAYMENTS_AT_ONCE}`);
}

/** The other sides in another ledger, by the ids of the withdrawals. Throws when D1 fails. */
async function findOthers(database: Database, stream: Stream, sides: readonly Side[]): Promise<Map<string, Side>> {
  const { columns, source } = tables[stream === 'sent' ? 'received' : 'sent'];
  const names = JSON.stringify(
    sides.map(({ recipient, receiptId, withdrawalId }) => [recipient, receiptId, withdrawalId]),
  );
  const isNamed =
    stream === 'sent'
      ? sql`(account_id, deposits.id) IN (SELECT value ->> 0, value ->> 1 FROM json_each(${names}))`
      : sql`withdrawals.id IN (SELECT value ->> 2 FROM json_each(${names}))`;
  const found = await database.all<Side>(sql`SELECT ${columns} FROM ${source} WHERE ${isNamed}`);
  return new Map(found.map((side) => [side.withdrawalId, side]));
}
