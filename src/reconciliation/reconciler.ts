import type { Database } from '../db/database.ts';
import { closePass } from './close-pass.ts';
import { CHAINS, type ChainName, type Chains, type ChainPart, type Link, chains, computePart } from './history.ts';
import { type Counts, type Finding, addToTallies, invariants } from './invariants.ts';
import { addDifferences } from './sums.ts';
import type { KeptLinks } from './kept-links.ts';
import { type InvariantReport, NO_PROGRESS, type Pass, type PassReport, type Progress, beginPass } from './progress.ts';
import type { Ledger, RecordKind } from './record-kind.ts';
import { reportFindings } from './violations.ts';
import type { DaySums } from './day-sums.ts';
import { scanAccounts } from './scan-accounts.ts';
import { JOURNAL_START, type JournalPosition, type JournalSlice, scanJournal } from './scan-journal.ts';

/** How much one slice reads at most. */
export interface SliceLimits {
  /** Transfers, when each is compared with its record. */
  readonly explained: number;
  /** Transfers, when only their sums are needed. */
  readonly summed: number;
  /** Orders. Of other records, which take longer, fewer: `RecordKind.weight`. */
  readonly rows: number;
}

/** Slices of about 5 ms of D1: `npm run growth` says how long they take. */
export const SLICE_LIMITS: SliceLimits = { explained: 500, summed: 2_500, rows: 400 };

/** The least time between the beginnings of two passes. */
export const PASS_INTERVAL_MS = 3_600_000;

/** Which ledger is checked for which kinds of records, and what its object stores beside the progress. */
export interface ReconcilerParts {
  readonly database: Database;
  /** Its number, which the ids of violations carry. */
  readonly ledger: number;
  readonly kinds: readonly RecordKind[];
  readonly links: KeptLinks;
  readonly sums: DaySums;
}

/** How long a slice took, and whether there is more to read now. */
export interface Slice {
  readonly isMore: boolean;
  /** The time that D1 reports. */
  readonly duration_ms: number;
}

/**
 * The reconciliation of one ledger: it reads the ledger and checks the invariants. `follow` reads the next new
 * transfers; `advance` reads the next slice of a pass over everything. Each slice is one transaction of a few
 * milliseconds that only reads. Only when an invariant is broken, a second batch records it and halts the exchange. Run
 * one call at a time.
 */
export class Reconciler {
  readonly #parts: ReconcilerParts;
  readonly #read: Ledger;
  readonly #chains: Chains;
  #progress: Progress;

  constructor(parts: ReconcilerParts, progress: Progress, read: Chains = CHAINS) {
    this.#parts = parts;
    this.#read = { database: parts.database.$client, kinds: parts.kinds };
    // Without the sums of what was read, the journal is read again from its beginning.
    const isCounted = parts.sums.after >= progress.newest.after;
    this.#progress = isCounted ? progress : { ...progress, newest: JOURNAL_START };
    this.#chains = read;
  }

  /** What must be stored so that another `Reconciler` can continue. */
  get progress(): Progress {
    return this.#progress;
  }

  get isUnderWay(): boolean {
    return this.#progress.pass !== null;
  }

  /** Begins a pass, unless one is running. */
  begin(now_ms: number): void {
    this.#progress = {
      ...this.#progress,
      pass: this.#progress.pass ?? beginPass(now_ms, this.#progress.newest.after),
      beganAt: now_ms,
    };
  }

  /** Begins a pass if none has begun within `PASS_INTERVAL_MS`. */
  beginWhenDue(now_ms: number): void {
    const { beganAt } = this.#progress;
    // A time before `beganAt` means that the clock was set back: begin, since the interval cannot be measured.
    if (beganAt === null || now_ms >= beganAt + PASS_INTERVAL_MS || now_ms < beganAt) this.begin(now_ms);
  }

  /** Makes the next `beginWhenDue` begin a pass. */
  forgetWhenItBegan(): void {
    this.#progress = { ...this.#progress, beganAt: null };
  }

  /**
   * Deletes all progress, the stored links and the sums by day, for an operator who restored the ledger to an
   * earlier time. Returns the newest links that were deleted.
   */
  beginAnew(): Readonly<Record<string, string>> {
    const { number, report } = this.#progress;
    this.#progress = { ...NO_PROGRESS, number, report };
    this.#parts.sums.forget();
    return this.#parts.links.forget();
  }

  /** Reads the next new transfers, or computes the next part of a chain. Throws when D1 fails; nothing of it is kept. */
  async follow({ explained }: SliceLimits, now_ms: number): Promise<Slice> {
    const extended = this.#isPartScanned() ? await this.#extend('transfers') : null;
    if (extended) return extended;
    const before = this.#progress;
    // No slice goes beyond the end of a part, so that the sums at the end of a link are known.
    const count = Math.min(explained, this.#endOfPart() - before.newest.after);
    const scanned = await scanJournal(this.#read, before.newest, count, 'new');
    this.#parts.sums.add(scanned, before.newest.after, scanned.next.after);
    const { checked, findings } = this.#judgeProfit(scanned, false);
    await reportFindings(this.#parts, findings, before.number, now_ms);
    const found = addToTallies(before.found, checked, findings);
    this.#progress = { ...before, newest: scanned.next, found, steppedAt: now_ms };
    if (!scanned.isAtEnd) return { isMore: true, duration_ms: scanned.duration_ms };
    return (await this.#extend('audit')) ?? { isMore: false, duration_ms: scanned.duration_ms };
  }

  /** What a slice found, and at the end of the journal whether the records explain what the house has. */
  #judgeProfit(
    { isAtEnd, next, house, checked, findings }: JournalSlice,
    isPass: boolean,
  ): Pick<JournalSlice, 'checked' | 'findings'> {
    const { sums } = this.#parts;
    if (!isAtEnd || sums.after !== next.after) return { checked, findings };
    return {
      checked: { ...checked, pnl_unexplained: house.length },
      findings: [...findings, ...sums.judge(next.house, house, isPass)],
    };
  }

  /** Whether enough of the journal was read for the next part of its chain. Without a query, unlike `computePart`. */
  #isPartScanned(): boolean {
    return this.#progress.newest.after >= this.#endOfPart();
  }

  /** The number of the last transfer of the chain's next part, if no number is missing. */
  #endOfPart(): number {
    return this.#progress.chains.transfers.after + this.#chains.transfers.rowsPerPart;
  }

  /** Computes the next new part of a chain, and stores the link if the part completes one. `null`: too few new rows. */
  async #extend(name: ChainName): Promise<Slice | null> {
    const computed = await computePart(this.#read.database, name, this.#progress.chains[name], this.#chains[name]);
    if (!computed) return null;
    if (computed.link) this.#parts.links.keep(name, computed.link);
    const { newest, linked, chains: reached } = this.#progress;
    const isSummed = name === 'transfers' && computed.link?.upTo === newest.after;
    this.#progress = {
      ...this.#progress,
      chains: { ...reached, [name]: computed.next },
      linked: isSummed ? newest : linked,
    };
    return { isMore: true, duration_ms: computed.duration_ms };
  }

  /** Notes what was checked apart from the slices, and halts the exchange for a finding. Throws when D1 fails. */
  async note(checked: Counts, findings: readonly Finding[], now_ms: number): Promise<void> {
    await reportFindings(this.#parts, findings, this.#progress.number, now_ms);
    this.#progress = { ...this.#progress, found: addToTallies(this.#progress.found, checked, findings) };
  }

  /** Reads the next slice of the running pass. When D1 fails, throws and keeps its progress. */
  async advance(limits: SliceLimits, now_ms: number): Promise<Slice> {
    const { pass } = this.#progress;
    if (!pass) return { isMore: false, duration_ms: 0 };
    if (pass.accounts) return this.#advanceAccounts(pass, limits, now_ms);
    if (!pass.chainsDone) return this.#advanceChains(pass, now_ms);
    return this.#advanceJournal(pass, limits, now_ms);
  }

  async #advanceAccounts(pass: Pass, { rows }: SliceLimits, now_ms: number): Promise<Slice> {
    if (!pass.accounts) throw new Error('the accounts are scanned already');
    const scanned = await scanAccounts(this.#read, pass.accounts, rows, pass.head);
    const next = { ...addScanned(pass, scanned), legs: pass.legs + scanned.legs, accounts: scanned.next };
    await this.#keep(next, scanned.checked, scanned.findings, now_ms);
    return { isMore: true, duration_ms: scanned.duration_ms };
  }

  /**
   * Computes the next part of a chain again, from the chain's beginning, and compares each link with the stored one.
   */
  async #advanceChains(pass: Pass, now_ms: number): Promise<Slice> {
    for (const name of chains) {
      const position = pass.chains[name];
      const kept = this.#parts.links.find(name, position.links + 1);
      if (!kept) continue;
      const computed = await computePart(this.#read.database, name, position, this.#chains[name]);
      const findings = judgeLink(name, kept, computed);
      // A table that ends before its stored links is done. After a link, the stored digest is used even if it differs,
      // so that one changed row is reported once and not for every later link.
      const next = computed
        ? { ...computed.next, digest: computed.link ? kept.digest : computed.next.digest }
        : { ...position, links: Number.MAX_SAFE_INTEGER };
      const checked: Counts = computed?.link ? { history_unchanged: 1 } : {};
      await this.#keep({ ...pass, chains: { ...pass.chains, [name]: next } }, checked, findings, now_ms);
      return { isMore: true, duration_ms: computed?.duration_ms ?? 0 };
    }
    const journal = this.#beginJournal(pass);
    const checked: Counts = { history_unchanged: 0, journal_has_no_gap: journal.after };
    await this.#keep({ ...pass, journal, chainsDone: true }, checked, [], now_ms);
    return { isMore: true, duration_ms: 0 };
  }

  /**
   * Where the journal must be read from. Transfers whose digests are those of their first reading are the same transfers,
   * so they have no gap and their sums are those of that reading. Only when a link differs, or when each transfer must be
   * compared with its record, the journal is read from its beginning.
   */
  #beginJournal(pass: Pass): JournalPosition {
    const isUnchanged = !pass.tallies.history_unchanged?.broken;
    return isUnchanged && isExplained(pass) ? this.#progress.linked : JOURNAL_START;
  }

  async #advanceJournal(pass: Pass, { explained, summed }: SliceLimits, now_ms: number): Promise<Slice> {
    const position = pass.journal ?? JOURNAL_START;
    const scanned = isExplained(pass)
      ? await scanJournal(this.#read, position, summed, 'sums')
      : await scanJournal(this.#read, position, explained, 'records');
    const next = { ...addScanned(pass, scanned), journal: scanned.next };
    const { checked, findings } = this.#judgeProfit(scanned, true);
    await this.#keep(next, checked, findings, now_ms);
    if (!scanned.isAtEnd) return { isMore: true, duration_ms: scanned.duration_ms };
    const closing = closePass(scanned.house, next.differences, next.untied);
    await this.#keep(this.#progress.pass ?? next, closing.checked, closing.findings, now_ms);
    this.#close(this.#progress.pass ?? next, closing, now_ms);
    return { isMore: false, duration_ms: scanned.duration_ms };
  }

  async #keep(pass: Pass, checked: Counts, findings: readonly Finding[], now_ms: number): Promise<void> {
    await reportFindings(this.#parts, findings, this.#progress.number, now_ms);
    const tallies = addToTallies(pass.tallies, checked, findings);
    this.#progress = { ...this.#progress, steppedAt: now_ms, pass: { ...pass, tallies } };
  }

  #close(pass: Pass, closing: ReturnType<typeof closePass>, now_ms: number): void {
    const { number, newest, found } = this.#progress;
    const scanned = pass.journal ?? newest;
    this.#progress = {
      ...this.#progress,
      number: number + 1,
      pass: null,
      // The sums of the pass are newer than those of `follow`, or of transfers that were read again.
      // If the pass has read further than `follow`, `follow` keeps its own, so that it still reads those transfers.
      newest: scanned.after <= newest.after ? scanned : newest,
      found: {},
      // What is compared apart from the pass, as payments between ledgers are, was found meanwhile.
      report: writeReport(number, { ...pass, tallies: { ...found, ...pass.tallies } }, closing, now_ms),
    };
  }
}

/**
 * Whether the records explain every transfer that had been read when the pass began: each record has all transfers that
 * it names, no transfer has two records, and the records name as many transfers as the journal has. Only if not, each
 * transfer is compared with its record. Later transfers were compared when they were read. Pure.
 */
function isExplained({ head, legs, tallies }: Pass): boolean {
  return legs === head && !tallies.records_match_transfers?.broken;
}

/** Adds the sums of a slice to a pass. Pure. */
function addScanned(pass: Pass, { differences, untied }: Pick<Pass, 'differences' | 'untied'>): Pass {
  return {
    ...pass,
    differences: addDifferences(pass.differences, differences),
    untied: [...new Set([...pass.untied, ...untied])],
  };
}

function judgeLink(chain: ChainName, kept: Link, computed: ChainPart | null): Finding[] {
  const example = { chain, link: String(kept.number), upTo: String(kept.upTo), kept: kept.digest };
  if (!computed) return [{ invariant: 'history_unchanged', example: { ...example, now: 'it ends before' } }];
  const { link } = computed;
  if (!link || (link.digest === kept.digest && link.upTo === kept.upTo)) return [];
  return [{ invariant: 'history_unchanged', example: { ...example, now: link.digest } }];
}

function writeReport(number: number, pass: Pass, closing: ReturnType<typeof closePass>, now_ms: number): PassReport {
  const reports = invariants.map((invariant): [string, InvariantReport] => {
    const { checked = 0, broken = 0, examples = [] } = pass.tallies[invariant] ?? {};
    const counts = { checked: String(checked), broken: String(broken) };
    return [
      invariant,
      {
        status: broken > 0 ? 'broken' : 'ok',
        figures: { ...counts, ...closing.figures[invariant] },
        examples: [...examples],
      },
    ];
  });
  return {
    pass: number,
    startedAt: pass.startedAt,
    completedAt: now_ms,
    invariants: Object.fromEntries(reports) as PassReport['invariants'],
  };
}
