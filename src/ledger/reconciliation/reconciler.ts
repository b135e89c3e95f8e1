import type { Database } from '../database.ts';
import { type Closing, closePass } from './close-pass.ts';
import { CHAINS, type ChainName, type Chains, type ComputedPart, type Link, chains, computePart } from './history.ts';
import { type Counts, type Finding, addToTallies, invariants } from './invariants.ts';
import { addDifferences } from './judge-balance.ts';
import type { KeptLinks } from './kept-links.ts';
import { type InvariantReport, NO_PROGRESS, type Pass, type PassReport, type Progress, beginPass } from './progress.ts';
import { reportFindings } from './violations.ts';
import { walkAccounts } from './walk-accounts.ts';
import { JOURNAL_START, walkJournal } from './walk-journal.ts';

/** The most that one slice reads. */
export interface SliceLimits {
  /** Of the journal. */
  readonly transfers: number;
  /** Of each kind of record. */
  readonly rows: number;
}

/** Slices of some milliseconds of D1. */
export const SLICE_LIMITS: SliceLimits = { transfers: 800, rows: 400 };

/** A new pass begins no sooner after the last one began. */
export const PASS_INTERVAL_MS = 3_600_000;

/** What a slice took, and whether there is more of the same. */
export interface Slice {
  readonly isMore: boolean;
  /** As D1 says it. */
  readonly duration_ms: number;
}

/**
 * The reconciliation of one ledger: the database's promises checked again by reading what is there. `follow` reads new
 * transfers as they come; `advance` takes a pass over everything a slice further. Each slice is one transaction of some
 * milliseconds, which reads and writes nothing; only what it finds broken is written, with both halts. One at a time.
 */
export class Reconciler {
  readonly #database: Database;
  readonly #links: KeptLinks;
  readonly #chains: Chains;
  #progress: Progress;

  constructor(database: Database, links: KeptLinks, progress: Progress, read: Chains = CHAINS) {
    this.#database = database;
    this.#links = links;
    this.#progress = progress;
    this.#chains = read;
  }

  /** All that must be kept to go on later. */
  get progress(): Progress {
    return this.#progress;
  }

  /** Whether a pass is under way. */
  get isUnderWay(): boolean {
    return this.#progress.pass !== null;
  }

  /** Begins a pass, unless one is under way. */
  begin(now_ms: number): void {
    this.#progress = { ...this.#progress, pass: this.#progress.pass ?? beginPass(now_ms), beganAt: now_ms };
  }

  /** Begins one if none has begun lately. */
  beginWhenDue(now_ms: number): void {
    const { beganAt } = this.#progress;
    // A clock that went back tells nothing.
    if (beganAt === null || now_ms >= beganAt + PASS_INTERVAL_MS || now_ms < beganAt) this.begin(now_ms);
  }

  /** Has the next `beginWhenDue` begin one. */
  forgetWhenItBegan(): void {
    this.#progress = { ...this.#progress, beganAt: null };
  }

  /**
   * Begins anew, with nothing known of the history: for an operator who restored the ledger to an earlier moment. Gives
   * the newest links that are forgotten.
   */
  beginAnew(): Readonly<Record<string, string>> {
    const { number, report } = this.#progress;
    this.#progress = { ...NO_PROGRESS, number, report };
    return this.#links.forget();
  }

  /** Reads the next new transfers, or computes the next part of a chain. Throws when D1 fails; nothing of it is kept. */
  async follow({ transfers }: SliceLimits, now_ms: number): Promise<Slice> {
    const extended = this.#isPartWalked() ? await this.#extend('transfers') : null;
    if (extended) return extended;
    const before = this.#progress;
    const walked = await walkJournal(this.#database.$client, before.newest, transfers, true);
    await reportFindings(this.#database, walked.findings, before.number, now_ms);
    const found = addToTallies(before.found, walked.checked, walked.findings);
    this.#progress = { ...before, newest: walked.next, found, steppedAt: now_ms };
    if (!walked.isAtEnd) return { isMore: true, duration_ms: walked.duration_ms };
    return (await this.#extend('audit')) ?? { isMore: false, duration_ms: walked.duration_ms };
  }

  /** Whether a whole part of the journal was walked that its chain lacks: so the ledger is asked for no other. */
  #isPartWalked(): boolean {
    const { newest, chains: reached } = this.#progress;
    return newest.after >= reached.transfers.after + this.#chains.transfers.rowsPerPart;
  }

  /** Computes the next part of a chain for the first time, and keeps the link that it completes. */
  async #extend(name: ChainName): Promise<Slice | null> {
    const computed = await computePart(this.#database.$client, name, this.#progress.chains[name], this.#chains[name]);
    if (!computed) return null;
    if (computed.link) this.#links.keep(name, computed.link);
    this.#progress = { ...this.#progress, chains: { ...this.#progress.chains, [name]: computed.next } };
    return { isMore: true, duration_ms: computed.duration_ms };
  }

  /** Takes the pass that is under way a slice further. Throws when D1 fails; nothing of the slice is kept. */
  async advance(limits: SliceLimits, now_ms: number): Promise<Slice> {
    const { pass } = this.#progress;
    if (!pass) return { isMore: false, duration_ms: 0 };
    if (pass.accounts) return this.#advanceAccounts(pass, limits, now_ms);
    if (!pass.chainsDone) return this.#advanceChains(pass, now_ms);
    return this.#advanceJournal(pass, limits, now_ms);
  }

  async #advanceAccounts(pass: Pass, { rows }: SliceLimits, now_ms: number): Promise<Slice> {
    if (!pass.accounts) throw new Error('the accounts are walked already');
    const walked = await walkAccounts(this.#database.$client, pass.accounts, rows);
    await this.#keep({ ...addWalked(pass, walked), accounts: walked.next }, walked.checked, walked.findings, now_ms);
    return { isMore: true, duration_ms: walked.duration_ms };
  }

  /** Computes the chains once more, from their beginning, and holds each link against the one that is kept. */
  async #advanceChains(pass: Pass, now_ms: number): Promise<Slice> {
    for (const name of chains) {
      const position = pass.chains[name];
      const kept = this.#links.find(name, position.links + 1);
      if (!kept) continue;
      const computed = await computePart(this.#database.$client, name, position, this.#chains[name]);
      const findings = judgeLink(name, kept, computed);
      // What ends before its kept links is at its end. Behind a link that differs, the next is held against its own rows.
      const next = computed
        ? { ...computed.next, digest: computed.link ? kept.digest : computed.next.digest }
        : { ...position, links: Number.MAX_SAFE_INTEGER };
      const checked: Counts = computed?.link ? { history_unchanged: 1 } : {};
      await this.#keep({ ...pass, chains: { ...pass.chains, [name]: next } }, checked, findings, now_ms);
      return { isMore: true, duration_ms: computed?.duration_ms ?? 0 };
    }
    await this.#keep({ ...pass, chainsDone: true }, { history_unchanged: 0 }, [], now_ms);
    return { isMore: true, duration_ms: 0 };
  }

  async #advanceJournal(pass: Pass, { transfers }: SliceLimits, now_ms: number): Promise<Slice> {
    const walked = await walkJournal(this.#database.$client, pass.journal ?? JOURNAL_START, transfers, false);
    const next = { ...addWalked(pass, walked), journal: walked.next };
    await this.#keep(next, walked.checked, walked.findings, now_ms);
    if (!walked.isAtEnd) return { isMore: true, duration_ms: walked.duration_ms };
    const closing = closePass(walked.house, next.differences, next.untied);
    await this.#keep(this.#progress.pass ?? next, closing.checked, closing.findings, now_ms);
    this.#close(this.#progress.pass ?? next, closing, now_ms);
    return { isMore: false, duration_ms: walked.duration_ms };
  }

  async #keep(pass: Pass, checked: Counts, findings: readonly Finding[], now_ms: number): Promise<void> {
    await reportFindings(this.#database, findings, this.#progress.number, now_ms);
    const tallies = addToTallies(pass.tallies, checked, findings);
    this.#progress = { ...this.#progress, steppedAt: now_ms, pass: { ...pass, tallies } };
  }

  #close(pass: Pass, closing: Closing, now_ms: number): void {
    const { number, newest } = this.#progress;
    const walked = pass.journal ?? newest;
    this.#progress = {
      ...this.#progress,
      number: number + 1,
      pass: null,
      // What the pass added up is from the beginning. What only it has read is still new to the other walk.
      newest: walked.after <= newest.after ? walked : newest,
      found: {},
      report: writeReport(number, pass, closing, now_ms),
    };
  }
}

/** Adds to a pass what a slice says of sums. Pure. */
function addWalked(pass: Pass, { differences, untied }: Pick<Pass, 'differences' | 'untied'>): Pass {
  return {
    ...pass,
    differences: addDifferences(pass.differences, differences),
    untied: [...new Set([...pass.untied, ...untied])],
  };
}

function judgeLink(chain: ChainName, kept: Link, computed: ComputedPart | null): Finding[] {
  const example = { chain, link: String(kept.number), upTo: String(kept.upTo), kept: kept.digest };
  if (!computed) return [{ invariant: 'history_unchanged', example: { ...example, now: 'it ends before' } }];
  const { link } = computed;
  if (!link || (link.digest === kept.digest && link.upTo === kept.upTo)) return [];
  return [{ invariant: 'history_unchanged', example: { ...example, now: link.digest } }];
}

function writeReport(number: number, pass: Pass, closing: Closing, now_ms: number): PassReport {
  const reports = invariants.map((invariant): [string, InvariantReport] => {
    const { checked = 0, broken = 0, examples = [] } = pass.tallies[invariant] ?? {};
    const counts = { checked: String(checked), broken: String(broken) };
    const figures = invariant in closing.figures ? closing.figures[invariant as keyof Closing['figures']] : {};
    return [
      invariant,
      { status: broken > 0 ? 'broken' : 'ok', figures: { ...counts, ...figures }, examples: [...examples] },
    ];
  });
  return {
    pass: number,
    startedAt: pass.startedAt,
    completedAt: now_ms,
    invariants: Object.fromEntries(reports) as PassReport['invariants'],
  };
}
