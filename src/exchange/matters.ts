import { asc, isNull } from 'drizzle-orm';
import { type CustodyStanding, isSilent } from '../db/custody-standing.ts';
import { askLedgers } from '../db/ask-ledgers.ts';
import { type Database, firstLedger } from '../db/database.ts';
import { FIRST_LEDGER } from '../db/record-id.ts';
import type { Role } from '../db/role.ts';
import { staff } from '../db/schema/staff.ts';
import { violations } from '../db/schema/journal.ts';
import { readSettings } from '../db/settings.ts';
import type { LedgerBindings } from '../platform/bindings.ts';
import { describeError, logFault } from '../platform/log.ts';
import { type KeeperBindings, reachKeeper } from '../reconciliation/reach-keeper.ts';
import { type OpenWork, readOpenWork, sumStates } from './open-work.ts';

const MINUTE_MS = 60_000;

/** From when on a person is needed, as docs/alerts.yml has it. */
const waits = {
  review: { state: 'withdrawalsPending', after_ms: 240 * MINUTE_MS, roles: ['admin', 'compliance'] },
  payout: { state: 'withdrawalsProcessing', after_ms: 60 * MINUTE_MS, roles: ['admin', 'treasury'] },
  held: { state: 'payoutsHeld', after_ms: 15 * MINUTE_MS, roles: ['admin', 'treasury'] },
  quarantine: { state: 'depositsQuarantined', after_ms: 60 * MINUTE_MS, roles: ['admin', 'compliance'] },
} as const satisfies Record<string, { state: keyof OpenWork['states']; after_ms: number; roles: readonly Role[] }>;

/** So many reports of the custodian in a row have to be short, since coins may be on their way within it. */
const SHORT_REPORTS = 3;

/** The most violations of a ledger that are told one by one. */
const MOST_VIOLATIONS = 10;

/** Something that stands and needs a person of the staff. */
export interface Matter {
  readonly kind: keyof typeof waits | 'violation' | 'shortfall' | 'custodian_silent' | 'hedging_halted' | 'ledger_down';
  /** Which one of its kind: an id, an asset or the number of a ledger; empty where there is only one. */
  readonly subject: string;
  /** How many there are. */
  readonly count: number;
  /** Since when, where that is known. */
  readonly since_ms: number | null;
  /** The e-mails of the people of the staff whose matter it is. */
  readonly to: readonly string[];
}

/** What a ledger says of itself. */
interface LedgerState {
  readonly work: OpenWork;
  readonly violations: readonly { readonly id: string; readonly foundAt: number }[];
}

async function readLedger(database: Database): Promise<LedgerState> {
  const [work, broken] = await Promise.all([
    readOpenWork(database),
    database
      .select({ id: violations.id, foundAt: violations.foundAt })
      .from(violations)
      .where(isNull(violations.clearedAt))
      .orderBy(asc(violations.id))
      .limit(MOST_VIOLATIONS),
  ]);
  return { work, violations: broken };
}

type Untold = Omit<Matter, 'to'> & { readonly roles: readonly Role[] };

/** Everything that stands now and needs a person, and who that is. Throws when no ledger answers. */
export async function listMatters(bindings: LedgerBindings & KeeperBindings, now_ms: number): Promise<Matter[]> {
  const database = firstLedger(bindings);
  const [answers, custody, { hedgingHalted }, people] = await Promise.all([
    askLedgers(bindings, readLedger),
    readCustody(bindings),
    readSettings(database),
    database.select({ email: staff.email, roles: staff.roles }).from(staff),
  ]);
  const known = answers.flatMap(({ answer }) => (answer ? [answer] : []));
  const untold: Untold[] = [
    ...answers.flatMap(({ ledger, answer }) =>
      answer ? [] : [single('ledger_down', String(ledger), null, ['admin'])],
    ),
    ...known.flatMap((answer) =>
      answer.violations.map(({ id, foundAt }) => single('violation', id, foundAt, ['admin'])),
    ),
    ...findWaiting(
      known.map(({ work }) => work),
      now_ms,
    ),
    ...(custody ? judgeCustody(custody, now_ms) : []),
    ...(hedgingHalted ? [single('hedging_halted', '', null, ['admin', 'treasury'])] : []),
  ];
  return untold.map(({ roles, ...matter }) => {
    const isFor = (held: string) => (JSON.parse(held) as Role[]).some((role) => roles.includes(role));
    return { ...matter, to: people.filter((person) => isFor(person.roles)).map(({ email }) => email) };
  });
}

function single(kind: Matter['kind'], subject: string, since_ms: number | null, roles: readonly Role[]): Untold {
  return { kind, subject, count: 1, since_ms, roles };
}

function findWaiting(work: readonly OpenWork[], now_ms: number): Untold[] {
  return Object.entries(waits).flatMap(([kind, { state, after_ms, roles }]) => {
    const { count, oldest_ms } = sumStates(work, state);
    if (oldest_ms === null || now_ms - oldest_ms <= after_ms) return [];
    return [{ kind: kind as keyof typeof waits, subject: '', count, since_ms: oldest_ms, roles }];
  });
}

function judgeCustody(custody: CustodyStanding, now_ms: number): Untold[] {
  const roles = ['admin', 'treasury'] as const;
  if (isSilent(custody, now_ms)) return [single('custodian_silent', '', custody.answeredAt, roles)];
  return Object.entries(custody.assets)
    .filter(([, { shortfalls }]) => shortfalls >= SHORT_REPORTS)
    .map(([asset]) => single('shortfall', asset, null, roles));
}

async function readCustody(bindings: KeeperBindings): Promise<CustodyStanding | undefined> {
  try {
    return await reachKeeper(bindings, FIRST_LEDGER).readCustody();
  } catch (error) {
    logFault('keeper_unreachable', { ledger: FIRST_LEDGER, error: describeError(error) });
    return undefined;
  }
}
