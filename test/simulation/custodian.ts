import { vi } from 'vitest';
import type { CustodyState, NeverSeen, Payout } from '../../src/custody/custody.ts';
import { sandboxCustody } from '../../src/custody/sandbox.ts';
import { must } from './must.ts';

/** What the custodian does in the next step. */
export const custodianModes = [
  'pays',
  'refuses',
  'fails_before',
  'fails_after',
  'hangs_before',
  'hangs_after',
  'answers_late',
  'answers_twice',
  'accepts',
  'forgets',
] as const;

export type CustodianMode = (typeof custodianModes)[number];

/** How long Bureau waits for it, and a little longer than the caller waits. */
const HANG_MS = 6_000;
const LATE_MS = 6_600;

interface Entry {
  status: 'sent' | 'accepted' | 'refused';
  readonly txHash: string;
  payments: number;
}

/**
 * A custodian in the isolate of the lanes. The simulation chooses for each step what it does and what it answers. It
 * uses the simulation's clock, so a hang of six seconds takes no time.
 */
export class ProgrammedCustodian {
  mode: CustodianMode = 'pays';
  /** How often the mode took effect since it was set. */
  injected = 0;
  /** The withdrawals for which it took effect. */
  readonly faultyIds = new Set<string>();
  /** Something that is done while it answers. */
  meanwhile: (() => Promise<void>) | null = null;
  /** An action during the next look-up of a payout, after which that payout must not be submitted. */
  stopAtLookup: (() => Promise<void>) | null = null;
  /** How often that action ran. */
  stopped = 0;
  /** Whether a halt, a paused network or a freeze stops a payout. */
  isStopped: (payout: Payout) => boolean = () => false;
  /** The ids that were answered as never seen after it. */
  readonly #stoppedIds = new Set<string>();
  readonly #book = new Map<string, Entry>();
  /** Its last answer about each withdrawal. */
  readonly #said = new Map<string, CustodyState['kind'] | 'never_seen'>();
  readonly #faults: string[] = [];

  install(): void {
    const hashOf = sandboxCustody.submit.bind(sandboxCustody);
    vi.spyOn(sandboxCustody, 'submit').mockImplementation((payout) => this.#submit(payout, hashOf));
    vi.spyOn(sandboxCustody, 'lookup').mockImplementation((payout) => this.#lookup(payout));
  }

  set(mode: CustodianMode): void {
    this.mode = mode;
    this.injected = 0;
    this.faultyIds.clear();
    this.meanwhile = null;
    this.stopAtLookup = null;
    this.stopped = 0;
    this.#stoppedIds.clear();
  }

  find(id: string): Readonly<Entry> | undefined {
    return this.#book.get(id);
  }

  /** Decides about payouts that the custodian had accepted or never saw. */
  decide(id: string, act: 'pay' | 'refuse'): void {
    const entry = this.#book.get(id);
    if (!entry) this.#book.set(id, { status: 'refused', txHash: '', payments: 0 });
    else if (entry.status === 'accepted' && act === 'pay') this.#pay(entry);
    else if (entry.status === 'accepted') entry.status = 'refused';
  }

  /** Actions of Bureau that are forbidden (I5). */
  mustBeContent(): void {
    must(this.#faults.length === 0, 'the custodian was asked wrongly', this.#faults);
    for (const [id, { payments }] of this.#book) must(payments <= 1, 'paid twice', id);
  }

  async #submit(payout: Payout, hashOf: (payout: Payout) => Promise<CustodyState | NeverSeen>): Promise<CustodyState> {
    const { withdrawalId: id } = payout;
    if (this.isStopped(payout) || this.#stoppedIds.has(id))
      this.#faults.push(`${id} was submitted while it was stopped`);
    if (this.#said.has(id) && this.#said.get(id) !== 'never_seen') {
      this.#faults.push(`${id} was submitted again although it was ${this.#said.get(id)}`);
    }
    this.#said.set(id, 'unknown');
    const { mode, meanwhile } = this;
    if (mode !== 'pays') this.#recordFault(id);
    this.meanwhile = null;
    if (mode === 'hangs_before' || mode === 'hangs_after' || mode === 'answers_late') this.#passTime(mode);
    const derived = await hashOf(payout);
    const txHash = derived.kind === 'sent' ? derived.txHash : '';
    if (mode !== 'fails_before' && mode !== 'hangs_before' && !this.#book.has(id)) {
      const entry: Entry = { status: 'accepted', txHash, payments: 0 };
      this.#book.set(id, entry);
      if (mode === 'refuses') entry.status = 'refused';
      else if (mode !== 'accepts') this.#pay(entry);
    }
    await meanwhile?.();
    if (mode.startsWith('fails') || mode.startsWith('hangs')) return { kind: 'unknown' };
    const state = this.#stateOf(id);
    this.#said.set(id, state.kind);
    return state.kind === 'never_seen' ? { kind: 'unknown' } : state;
  }

  async #lookup({ withdrawalId: id }: Payout): Promise<CustodyState | NeverSeen> {
    const stop = this.stopAtLookup;
    if (stop && !this.#book.has(id)) {
      this.stopAtLookup = null;
      await stop();
      this.stopped += 1;
      this.#stoppedIds.add(id);
    }
    if (this.mode.startsWith('fails') || this.mode.startsWith('hangs')) {
      this.#recordFault(id);
      return { kind: 'unknown' };
    }
    if (this.mode === 'forgets') this.#recordFault(id);
    const state: CustodyState | NeverSeen = this.mode === 'forgets' ? { kind: 'never_seen' } : this.#stateOf(id);
    this.#said.set(id, state.kind);
    return state;
  }

  #recordFault(id: string): void {
    this.injected += 1;
    this.faultyIds.add(id);
  }

  /** Moves the clock while the caller waits; the caller has set its timer by then. */
  #passTime(mode: CustodianMode): void {
    void Promise.resolve().then(() => vi.advanceTimersByTime(mode === 'answers_late' ? LATE_MS : HANG_MS));
  }

  #pay(entry: Entry): void {
    entry.status = 'sent';
    entry.payments += 1;
  }

  #stateOf(id: string): CustodyState | NeverSeen {
    const entry = this.#book.get(id);
    if (!entry) return { kind: 'never_seen' };
    if (entry.status === 'sent') return { kind: 'sent', txHash: entry.txHash };
    return entry.status === 'refused' ? { kind: 'refused', reason: 'sanctioned' } : { kind: 'accepted' };
  }
}
