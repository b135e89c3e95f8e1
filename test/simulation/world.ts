import { vi } from 'vitest';
import { house } from '../../src/ledger/transfers.ts';
import type { Asset } from '../../src/money/assets.ts';
import { env } from '../support/runtime/test-env.ts';
import { ProgrammedCustodian } from './custodian.ts';
import { Market } from './market.ts';
import {
  Disagreement,
  Model,
  type ModelSettings,
  type ModelWithdrawal,
  type Movement,
  must,
  withoutReference,
} from './model.ts';
import { awaitGates } from './settle-gates.ts';

/** The exchange, its surroundings, and the model. */
export class World {
  readonly model = new Model();
  readonly custodian = new ProgrammedCustodian();
  readonly market = new Market();
  /** Counts of operations, faults and answers. */
  readonly operations: Record<string, number> = {};
  readonly faults: Record<string, number> = {};
  readonly answers: Record<string, number> = {};
  /** Withdrawals that a request in progress may make. */
  wanted: readonly Omit<ModelWithdrawal, 'id'>[] = [];
  /** Work that runs during the request, and is awaited after its answer. */
  readonly after: Promise<unknown>[] = [];
  /** Withdrawals that the operator ends in this step, without the custodian. */
  readonly decided = new Set<string>();
  /** Accounts whose second factor is unknown after a fault until the next read. */
  readonly openTotps = new Set<string>();
  #stood: { readonly settings: ModelSettings; readonly until_ms: number }[] = [];
  /** The latest time since the present settings were made. */
  #latest_ms = 0;
  #journal = 0;
  #names = 0;

  constructor(start_ms: number) {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: start_ms });
    this.custodian.install();
    this.custodian.isStopped = ({ withdrawalId, network }) => this.#isStopped(withdrawalId, network);
    this.market.install();
  }

  /** The settings that an order may be planned with: the present ones, and those of less than 5 s ago. */
  get settled(): readonly ModelSettings[] {
    const { settings } = this.model;
    return [
      settings,
      ...this.#stood.filter(({ until_ms }) => this.now_ms - until_ms <= 5_000).map((one) => one.settings),
    ];
  }

  /** Changes the settings of the model; the old ones may be used for a few seconds more. */
  changeSettings(change: Partial<ModelSettings>): void {
    const until_ms = Math.max(this.#latest_ms, this.now_ms);
    this.#stood.push({ settings: { ...this.model.settings }, until_ms });
    this.#stood = this.#stood.slice(-20);
    this.#latest_ms = 0;
    Object.assign(this.model.settings, change);
  }

  get now_ms(): number {
    return Date.now();
  }

  /** Moves the clock forward or back. Pending timers go on waiting. */
  moveClock(by_ms: number): void {
    // When the clock comes back to the same time after a step back, settings that were read before look new again.
    this.#latest_ms = Math.max(this.#latest_ms, this.now_ms);
    vi.setSystemTime(Date.now() + by_ms);
  }

  /** Between two steps nobody waits: the remaining timers belong to objects that were reset. */
  forgetTimers(): void {
    const { now_ms } = this;
    vi.clearAllTimers();
    // This sets the clock back to its start, so the time is restored.
    vi.setSystemTime(now_ms);
  }

  /** Whether a withdrawal must not be submitted: one in the ledger, or one that this step's request makes. */
  #isStopped(id: string, network: string): boolean {
    const { withdrawalsHalted, pausedNetworks } = this.model.settings;
    if (withdrawalsHalted || pausedNetworks.some((one) => one === network)) return true;
    const { accountId } = this.model.withdrawals.get(id) ?? this.wanted[0] ?? {};
    return accountId !== undefined && this.model.account(accountId)?.frozen === true;
  }

  /** A new, unique name. */
  name(prefix: string): string {
    this.#names += 1;
    return `${prefix}-${this.#names}`;
  }

  count(kind: 'operations' | 'faults' | 'answers', name: string, times = 1): void {
    if (times > 0) this[kind][name] = (this[kind][name] ?? 0) + times;
  }

  /** Takes over the present state of the ledger. */
  async begin(): Promise<void> {
    const { results } = await env.DB.prepare(
      'SELECT account, asset, CAST(amount AS TEXT) AS amount, CAST(floor AS TEXT) AS floor FROM balances',
    ).all<{ account: string; asset: Asset; amount: string; floor: string }>();
    for (const { account, asset, amount, floor } of results) {
      this.model.begin(account, asset, BigInt(amount), BigInt(floor));
    }
    this.#journal = (await env.DB.prepare('SELECT max(id) AS n FROM transfers').first<{ n: number | null }>())?.n ?? 0;
  }

  /**
   * Reads the movements since the last call from the journal, applies them to the model, and compares every balance and
   * every second factor (I1, I2, I3, I7). `explain` says whether each movement is allowed; those of withdrawals that
   * the custodian has decided on need no explanation.
   */
  async observe(): Promise<Movement[]> {
    await awaitGates();
    const [journal, balances, totps] = await env.DB.batch<Record<string, string | number>>([
      env.DB.prepare(
        'SELECT id, debit, credit, asset, CAST(amount AS TEXT) AS amount, kind, reference FROM transfers WHERE id > ? ORDER BY id',
      ).bind(this.#journal),
      env.DB.prepare('SELECT account, asset, CAST(amount AS TEXT) AS amount FROM balances'),
      env.DB.prepare('SELECT account_id, used_step, attempts, locked_until FROM totp'),
    ]);
    const movements: Movement[] = [];
    for (const row of journal?.results ?? []) {
      this.#journal += 1;
      must(row['id'] === this.#journal, 'the journal has a gap at', this.#journal);
      const movement = {
        ...withoutReference(row as unknown as Movement),
        reference: String(row['reference']),
        amount: BigInt(row['amount'] ?? 0),
      };
      this.model.move(movement);
      if (this.#isSettlement(movement)) continue;
      this.#tell(movement);
      movements.push(movement);
      if (movement.kind === 'withdrawal' && movement.debit !== house.payouts) this.#takeWithdrawal(movement);
    }
    const expected = this.model.list();
    must(balances?.results.length === expected.size, 'balances appeared or went');
    for (const { account, asset, amount } of balances?.results ?? []) {
      must(expected.get(`${account} ${asset}`) === BigInt(amount ?? 0), 'a balance is', account, asset, amount);
    }
    for (const row of totps?.results ?? []) this.#checkTotp(row);
    this.custodian.mustBeContent();
    return movements;
  }

  /** A withdrawal must have the values of one that a request of this step asked for. */
  #takeWithdrawal({ debit, asset, amount, credit, reference }: Movement): void {
    must(!this.model.withdrawals.has(reference), 'taken twice', reference);
    const wanted = this.wanted.find(
      (one) =>
        one.accountId === debit && one.asset === asset && one.amount + one.fee === amount && credit === house.payouts,
    );
    must(wanted !== undefined, 'a withdrawal that nobody asked for', reference, debit, asset, amount, credit);
    this.model.withdrawals.set(reference, { ...wanted, id: reference });
    this.model.tell(debit, `withdrawal.${wanted.status.toLowerCase()}`, reference);
  }

  /** Notes the events of a movement. Of the two of an order or a settlement the first tells. */
  #tell({ debit, credit, asset, kind, reference }: Movement): void {
    if (kind === 'deposit') this.model.tell(credit, 'deposit.completed', reference);
    if (kind === 'order' && credit === house.liquidity) this.model.tell(debit, 'order.filled', reference);
    if (kind !== 'settlement' || asset !== 'USDT') return;
    for (const party of [debit, credit]) this.model.tell(party, 'settlement.completed', reference);
  }

  /** Notes the events of a withdrawal's end, and of the receipt of the account that was paid inside the exchange. */
  #tellEnd({ accountId, id, status, recipient }: ModelWithdrawal, isNew: boolean): void {
    if (isNew) this.model.tell(accountId, `withdrawal.${status.toLowerCase()}`, id);
    if (status === 'COMPLETED' && recipient !== null) this.model.tell(recipient, 'deposit.completed', null);
  }

  /** A movement out of house:payouts ends a withdrawal that the model knows, in the way that the custodian decided. */
  #isSettlement({ debit, credit, asset, amount, kind, reference }: Movement): boolean {
    if (kind !== 'withdrawal' || debit !== house.payouts) return false;
    const withdrawal = this.model.withdrawals.get(reference);
    must(withdrawal?.asset === asset, 'a payout of no withdrawal', reference);
    // A withdrawal inside the exchange was paid when it was taken, which the step predicts.
    if (withdrawal.status === 'COMPLETED' && credit === withdrawal.recipient) {
      this.#tellEnd(withdrawal, false);
      return false;
    }
    const paid = this.custodian.find(reference);
    if (credit === house.fees) {
      must(withdrawal.status === 'COMPLETED' && amount === withdrawal.fee, 'a fee of', reference, amount);
    } else if (this.decided.has(reference)) {
      must(withdrawal.status === 'PENDING', 'reviewed twice', reference);
      const isBack = credit === withdrawal.accountId && amount === withdrawal.amount + withdrawal.fee;
      must(isBack || (credit === withdrawal.recipient && amount === withdrawal.amount), 'reviewed', reference);
      withdrawal.status = isBack ? 'FAILED' : 'COMPLETED';
      this.#tellEnd(withdrawal, true);
    } else if (credit === house.custody) {
      must(withdrawal.status === 'PROCESSING' && amount === withdrawal.amount, 'a second payout of', reference);
      must(paid?.status === 'sent' && paid.payments === 1, 'completed without being paid', reference);
      withdrawal.status = 'COMPLETED';
      this.#tellEnd(withdrawal, true);
    } else {
      must(credit === withdrawal.accountId && amount === withdrawal.amount + withdrawal.fee, 'given back', reference);
      must(withdrawal.status === 'PROCESSING' && paid?.status === 'refused', 'given back unrefused', reference);
      withdrawal.status = 'FAILED';
      this.#tellEnd(withdrawal, true);
    }
    return true;
  }

  #checkTotp({
    account_id: id,
    used_step: step,
    attempts,
    locked_until: locked,
  }: Record<string, string | number>): void {
    const totp = this.model.account(String(id))?.totp;
    must(totp !== undefined && totp !== null, 'a second factor of nobody');
    must(Number(step) >= totp.usedStep, 'a step went back', id, step, totp.usedStep);
    if (this.openTotps.delete(String(id))) {
      Object.assign(totp, { usedStep: Number(step), attempts: Number(attempts), lockedUntil: Number(locked) });
    }
    const isKnown = totp.usedStep === step && totp.attempts === attempts && totp.lockedUntil === locked;
    must(isKnown, 'a second factor is', id, step, attempts, locked, totp);
  }

  /** Waits until the custodian's late answer is in the ledger. */
  async awaitSettlement(): Promise<void> {
    for (let look = 0; look < 500; look += 1) {
      const open = this.withdrawalsIn('PROCESSING').filter(({ id }) => this.custodian.faultyIds.has(id));
      if (open.length === 0) return;
      await scheduler.wait(2);
      await this.observe();
    }
    throw new Disagreement('what the custodian said late is lost');
  }

  /** The withdrawals of one or all accounts in a state, oldest first. */
  withdrawalsIn(status: ModelWithdrawal['status']): ModelWithdrawal[] {
    return [...this.model.withdrawals.values()].filter((withdrawal) => withdrawal.status === status);
  }
}
