import { vi } from 'vitest';
import type { CustodyState, NeverSeen, Payout } from '../../src/wallet/custody/custody.ts';
import { sandboxCustody } from '../../src/wallet/custody/sandbox.ts';
import { must } from './model.ts';

/** How the custodian meets the next step. */
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

/** How long it is waited for, and a little more than its caller waits. */
const HANG_MS = 6_000;
const LATE_MS = 6_600;

interface Entry {
  status: 'sent' | 'accepted' | 'refused';
  readonly txHash: string;
  payments: number;
}

/**
 * The sandbox's custodian with a memory and a will of its own, in the isolate of the lanes: what it does and what it
 * says are chosen step by step. The simulation's clock is its clock, so a hang of six seconds takes none.
 */
export class ProgrammedCustodian {
  mode: CustodianMode = 'pays';
  /** How often the mode had its way since it was set. */
  struck = 0;
  /** The withdrawals that it met so. */
  readonly struckIds = new Set<string>();
  /** What happens elsewhere while it answers. */
  meanwhile: (() => Promise<void>) | null = null;
  /** What happens elsewhere while it looks the next one up, and stops the submission that would follow. */
  stopAtLookup: (() => Promise<void>) | null = null;
  /** How often that happened. */
  stopped = 0;
  /** Whether a halt, a paused network or a freeze stands against a payout. */
  isStopped: (payout: Payout) => boolean = () => false;
  /** Those of which it said that it has never seen them, after that. */
  readonly #stoppedIds = new Set<string>();
  readonly #book = new Map<string, Entry>();
  /** What it said last of each withdrawal. */
  readonly #said = new Map<string, CustodyState['kind'] | 'never_seen'>();
  readonly #faults: string[] = [];

  install(): void {
    const hashOf = sandboxCustody.submit.bind(sandboxCustody);
    vi.spyOn(sandboxCustody, 'submit').mockImplementation((payout) => this.#submit(payout, hashOf));
    vi.spyOn(sandboxCustody, 'lookup').mockImplementation((payout) => this.#lookup(payout));
  }

  set(mode: CustodianMode): void {
    this.mode = mode;
    this.struck = 0;
    this.struckIds.clear();
    this.meanwhile = null;
    this.stopAtLookup = null;
    this.stopped = 0;
    this.#stoppedIds.clear();
  }

  find(id: string): Readonly<Entry> | undefined {
    return this.#book.get(id);
  }

  /** It decides on what it had accepted, or was never asked for. */
  decide(id: string, act: 'pay' | 'refuse'): void {
    const entry = this.#book.get(id);
    if (!entry) this.#book.set(id, { status: 'refused', txHash: '', payments: 0 });
    else if (entry.status === 'accepted' && act === 'pay') this.#pay(entry);
    else if (entry.status === 'accepted') entry.status = 'refused';
  }

  /** Whatever Bureau did that it never may (I5). */
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
    if (mode !== 'pays') this.#strike(id);
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
      this.#strike(id);
      return { kind: 'unknown' };
    }
    if (this.mode === 'forgets') this.#strike(id);
    const state: CustodyState | NeverSeen = this.mode === 'forgets' ? { kind: 'never_seen' } : this.#stateOf(id);
    this.#said.set(id, state.kind);
    return state;
  }

  #strike(id: string): void {
    this.struck += 1;
    this.struckIds.add(id);
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
