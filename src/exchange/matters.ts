import { asc, isNull } from 'drizzle-orm';
import { type CustodyStanding, isSilent } from '../db/custody-standing.ts';
import { askLedgers } from '../db/ask-ledgers.ts';
import { type Database, firstLedger } from '../db/database.ts';
import { readNewestHalt } from '../db/newest-halt.ts';
import { type Positions, positionIn, positionOf, readPositions, sumPositions } from '../db/positions.ts';
import { FIRST_LEDGER, timeOfRecord } from '../db/record-id.ts';
import type { Role } from '../db/role.ts';
import { staff } from '../db/schema/staff.ts';
import { violations } from '../db/schema/journal.ts';
import { readSettings } from '../db/settings.ts';
import { VENUE_PREFIX, house } from '../db/transfers.ts';
import { type HedgeRow, listOpenHedges } from '../dealing/hedge.ts';
import { type VenueState, readVenueStates } from '../dealing/reach-hedger.ts';
import { VALUE_MAX_AGE_MS } from '../markets/firm-price.ts';
import { readSnapshot } from '../markets/read-hub.ts';
import type { MarketSnapshot } from '../markets/snapshot.ts';
import { assetSymbols, coinSymbols } from '../money/assets.ts';
import type { Bindings } from '../platform/bindings.ts';
import { tryOrLog } from '../platform/log.ts';
import { reachKeeper } from '../reconciliation/reach-keeper.ts';
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

/** How long after its time and the venue's lateness a hedge has no end, and what is taken for a lateness that is not known. */
const HEDGE_OPEN_MS = 5 * MINUTE_MS;
const UNKNOWN_LATENESS_MS = 2.5 * MINUTE_MS;

/** So many tenths of its exposure the house may use. It is told at once: nothing is remembered from one minute to the next. */
const EXPOSURE_TENTHS = 8n;

/** How old a coin's newest price may be. */
const PRICE_AGE_MS = 6 * MINUTE_MS;

const TREASURY = ['admin', 'treasury'] as const satisfies readonly Role[];

/** The most violations of a ledger that are told one by one. */
const MOST_VIOLATIONS = 10;

/** Something that stands and needs a person of the staff. */
export interface Matter {
  readonly kind:
    | keyof typeof waits
    | 'violation'
    | 'shortfall'
    | 'custodian_silent'
    | 'hedge_open'
    | 'hedging_halted'
    | 'loss_halted'
    | 'exposure'
    | 'no_price'
    | 'no_prices'
    | 'ledger_down';
  /** Which one of its kind: an id, an asset, a venue or the number of a ledger; empty where there is only one. */
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
  readonly hedges: readonly HedgeRow[];
  readonly positions: Positions;
}

async function readLedger(database: Database): Promise<LedgerState> {
  const [work, broken, hedges, positions] = await Promise.all([
    readOpenWork(database),
    database
      .select({ id: violations.id, foundAt: violations.foundAt })
      .from(violations)
      .where(isNull(violations.clearedAt))
      .orderBy(asc(violations.id))
      .limit(MOST_VIOLATIONS),
    listOpenHedges(database),
    readPositions(database),
  ]);
  return { work, violations: broken, hedges, positions };
}

type Untold = Omit<Matter, 'to'> & { readonly roles: readonly Role[] };

/** Everything that stands now and needs a person, and who that is. Throws when no ledger answers. */
export async function listMatters(bindings: Bindings, now_ms: number): Promise<Matter[]> {
  const database = firstLedger(bindings);
  const [answers, custody, { hedgingHalted, tradingHalted }, people, snapshot, venues] = await Promise.all([
    askLedgers(bindings, readLedger),
    tryOrLog('keeper_unreachable', { ledger: FIRST_LEDGER }, undefined, () =>
      reachKeeper(bindings, FIRST_LEDGER).readCustody(),
    ),
    readSettings(database),
    database.select({ email: staff.email, roles: staff.roles }).from(staff),
    readSnapshot(bindings, VALUE_MAX_AGE_MS),
    readVenueStates(bindings),
  ]);
  const halt = tradingHalted ? await readNewestHalt(database, 'trading') : null;
  const known = answers.flatMap(({ answer }) => (answer ? [answer] : []));
  const untold: Untold[] = [
    ...answers.flatMap(({ ledger, answer }) =>
      answer ? [] : [single('ledger_down', String(ledger), null, ['admin'])],
    ),
    ...known.flatMap((answer) =>
      answer.violations.map(({ id, foundAt }) => single('violation', id, foundAt, ['admin'])),
    ),
    ...findWaiting(known, now_ms),
    ...(custody ? judgeCustody(custody, now_ms) : []),
    ...findOpenHedges(known, venues ?? [], now_ms),
    ...(hedgingHalted ? [single('hedging_halted', '', null, TREASURY)] : []),
    // Of the exchange's own halts only the one for a loss is of trading alone.
    ...(halt?.by === 'exchange' ? [single('loss_halted', '', halt.ts, TREASURY)] : []),
    ...judgeExposure(sumPositions(known.map(({ positions }) => positions))),
    ...judgePrices(snapshot, now_ms),
  ];
  return untold.map(({ roles, ...matter }) => {
    const isFor = (held: string) => (JSON.parse(held) as Role[]).some((role) => roles.includes(role));
    return { ...matter, to: people.filter((person) => isFor(person.roles)).map(({ email }) => email) };
  });
}

function single(kind: Matter['kind'], subject: string, since_ms: number | null, roles: readonly Role[]): Untold {
  return { kind, subject, count: 1, since_ms, roles };
}

function findWaiting(known: readonly LedgerState[], now_ms: number): Untold[] {
  const works = known.map(({ work }) => work);
  return Object.entries(waits).flatMap(([kind, { state, after_ms, roles }]) => {
    const { count, oldest_ms } = sumStates(works, state);
    if (oldest_ms === null || now_ms - oldest_ms <= after_ms) return [];
    return [{ kind: kind as keyof typeof waits, subject: '', count, since_ms: oldest_ms, roles }];
  });
}

function judgeCustody(custody: CustodyStanding, now_ms: number): Untold[] {
  if (isSilent(custody, now_ms)) return [single('custodian_silent', '', custody.answeredAt, TREASURY)];
  return Object.entries(custody.assets)
    .filter(([, { shortfalls }]) => shortfalls >= SHORT_REPORTS)
    .map(([asset]) => single('shortfall', asset, null, TREASURY));
}

function findOpenHedges(known: readonly LedgerState[], venues: readonly VenueState[], now_ms: number): Untold[] {
  const hedges = known.flatMap((ledger) => ledger.hedges);
  const late = hedges.filter(({ id, accountId }) => {
    const report = venues.find(({ venue }) => VENUE_PREFIX + venue === accountId)?.report;
    return now_ms - timeOfRecord(id) > HEDGE_OPEN_MS + (report?.lateness_ms ?? UNKNOWN_LATENESS_MS);
  });
  return [...Map.groupBy(late, ({ accountId }) => accountId)].map(([account, rows]) => {
    const oldest_ms = Math.min(...rows.map(({ id }) => timeOfRecord(id)));
    return { ...single('hedge_open', account.slice(VENUE_PREFIX.length), oldest_ms, TREASURY), count: rows.length };
  });
}

function judgeExposure(positions: Positions): Untold[] {
  return assetSymbols
    .filter((asset) => {
      const exposure = -positionOf(positions, house.liquidity, asset).floor;
      return positionIn(positions, asset).bound * 10n > exposure * EXPOSURE_TENTHS;
    })
    .map((asset) => single('exposure', asset, null, TREASURY));
}

function judgePrices(snapshot: MarketSnapshot | undefined, now_ms: number): Untold[] {
  if (!snapshot) return [single('no_prices', '', null, TREASURY)];
  return coinSymbols.flatMap((coin) => {
    // A price in dispute comes and goes within seconds: what is shown then has its own time.
    const { agreed, shown } = snapshot.markets[coin];
    const received_ms = (agreed ?? shown)?.received_ms ?? null;
    const isOld = received_ms === null || now_ms - received_ms > PRICE_AGE_MS;
    return isOld ? [single('no_price', coin, received_ms, TREASURY)] : [];
  });
}
