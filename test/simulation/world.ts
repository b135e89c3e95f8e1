import { vi } from 'vitest';
import { type Asset, scaleOf } from '../../src/money/assets.ts';
import { VENUE } from '../support/db/house-money.ts';
import { databaseOf, ledgersUnderTest } from '../support/db/open-in-ledger.ts';
import { ProgrammedCustodian } from './custodian.ts';
import { ProgrammedDealer } from './dealer.ts';
import { type HedgeRow, type HedgerLook, ModelHedges } from './follow-hedges.ts';
import { houseOfAccount, isTransit, nameOwner } from './house-of.ts';
import { Market } from './market.ts';
import { Model, type ModelSettings, type ModelWithdrawal, NOBODY } from './model.ts';
import { type Movement, withoutReference } from './movement.ts';
import { Disagreement, must } from './must.ts';
import { awaitGates } from './settle-gates.ts';
import { advanceWithdrawal, checkTransit, isAcross, noteHalf } from './between-ledgers.ts';

/** A row of a ledger, as D1 returns it. */
type Row = Readonly<Record<string, string | number | null>>;

/** The exchange, its surroundings, and the model. */
export class World {
  readonly model = new Model();
  readonly hedges = new ModelHedges();
  readonly custodian = new ProgrammedCustodian();
  readonly dealer = new ProgrammedDealer();
  readonly market = new Market();
  readonly operations: Record<string, number> = {};
  readonly faults: Record<string, number> = {};
  readonly answers: Record<string, number> = {};
  /** The look of a hedger that this step made. */
  look: HedgerLook | undefined;
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
  /** By ledger, the number of the newest transfer that was read. */
  readonly #journals: number[] = [];
  #names = 0;
  /** Withdrawals that must not be paid, when the last step ended. */
  #stopped: ReadonlySet<string> = new Set();
  /** What was read that moved between ledgers, and the withdrawal that it is of. */
  readonly #across: (Movement & { readonly record: string })[] = [];

  /** By ledger, what was read that hedges moved. */
  readonly #hedged: Movement[][] = ledgersUnderTest.map(() => []);

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

  /** Takes over the present state of all ledgers. */
  async begin(): Promise<void> {
    for (const ledger of ledgersUnderTest) {
      const database = databaseOf(ledger);
      const { results } = await database
        .prepare('SELECT account, asset, CAST(amount AS TEXT) AS amount, CAST(floor AS TEXT) AS floor FROM balances')
        .all<{ account: string; asset: Asset; amount: string; floor: string }>();
      for (const { account, asset, amount, floor } of results) {
        this.model.begin(nameOwner(account, ledger), asset, BigInt(amount), BigInt(floor));
        if (account === VENUE) this.dealer.fund(asset, -BigInt(amount), scaleOf(asset));
      }
      const newest = await database.prepare('SELECT max(id) AS n FROM transfers').first<{ n: number | null }>();
      this.#journals[ledger] = newest?.n ?? 0;
    }
  }

  /**
   * Reads the movements since the last call from the journals of all ledgers, applies them to the model, and compares
   * every balance and every second factor (I1, I2, I3, I7). The balances of each asset sum to zero over all ledgers.
   * Returns the movements that a step must explain; those of withdrawals that the custodian has decided on need no
   * explanation.
   */
  async observe(): Promise<Movement[]> {
    await awaitGates();
    const seen = await Promise.all(ledgersUnderTest.map((ledger) => this.#read(ledger)));
    const movements = seen.flatMap(({ journal }, ledger) => this.#follow(ledger, journal));
    this.#followAcross();
    for (const [ledger, { hedges }] of seen.entries()) {
      this.hedges.follow(this.model, this.dealer, ledger, hedges, this.#hedged[ledger]?.splice(0) ?? [], this.look);
    }
    const expected = this.model.list();
    const sums = new Map<string, bigint>();
    let count = 0;
    for (const [ledger, { balances }] of seen.entries()) {
      count += balances.length;
      for (const { account, asset, amount, floor } of balances) {
        const owner = nameOwner(String(account), ledger);
        must(expected.get(`${owner} ${asset}`) === BigInt(amount ?? 0), 'a balance is', owner, asset, amount);
        must(this.model.floor(owner, asset as Asset) === BigInt(floor ?? 0), 'a floor is', owner, asset, floor);
        sums.set(String(asset), (sums.get(String(asset)) ?? 0n) + BigInt(amount ?? 0));
      }
    }
    must(count === expected.size, 'balances appeared or went', count, expected.size);
    for (const [asset, sum] of sums) must(sum === 0n, 'the balances of all ledgers sum to', sum, asset);
    for (const row of seen.flatMap(({ totps }) => totps)) this.#checkTotp(row);
    this.custodian.mustBeContent();
    this.dealer.mustBeContent();
    this.#stopped = new Set(
      this.withdrawalsIn('PROCESSING').flatMap(({ id, network }) => (this.#isStopped(id, network) ? id : [])),
    );
    return movements;
  }

  /** What is new in a ledger's journal, all of its balances, and all second factors. */
  async #read(ledger: number) {
    const database = databaseOf(ledger);
    const [journal, balances, totps, hedges] = await database.batch<Row>([
      database
        .prepare(
          `SELECT id, debit, credit, asset, CAST(amount AS TEXT) AS amount, kind, reference, CASE
             WHEN credit = 'house:transit' THEN reference
             WHEN debit = 'house:transit' THEN (
               SELECT withdrawal_id FROM deposits
               WHERE account_id = transfers.credit AND deposits.id = transfers.reference)
           END AS record
           FROM transfers WHERE id > ? ORDER BY id`,
        )
        .bind(this.#journals[ledger] ?? 0),
      database.prepare(
        'SELECT account, asset, CAST(amount AS TEXT) AS amount, CAST(floor AS TEXT) AS floor FROM balances',
      ),
      database.prepare('SELECT account_id, used_step, attempts, locked_until FROM totp'),
      database.prepare(
        `SELECT id, status, coin, side, CAST(coin_amount AS TEXT) AS amount, CAST(limit_price AS TEXT) AS "limit",
           CAST(middle_price AS TEXT) AS middle, CAST(set_aside AS TEXT) AS setAside, send_by AS sendBy
         FROM hedges ORDER BY id`,
      ),
    ]);
    return {
      journal: journal?.results ?? [],
      balances: balances?.results ?? [],
      totps: totps?.results ?? [],
      hedges: (hedges?.results ?? []) as HedgeRow[],
    };
  }

  /** Applies the new rows of a ledger's journal to the model. Returns the movements that a step must explain. */
  #follow(ledger: number, journal: readonly Row[]): Movement[] {
    const movements: Movement[] = [];
    for (const row of journal) {
      const number = (this.#journals[ledger] ?? 0) + 1;
      must(row['id'] === number, 'the journal has a gap at', ledger, number);
      this.#journals[ledger] = number;
      const { record } = row;
      const { debit, credit, ...rest } = withoutReference(row as unknown as Movement);
      const movement: Movement = {
        ...rest,
        debit: nameOwner(debit, ledger),
        credit: nameOwner(credit, ledger),
        reference: String(row['reference']),
        amount: BigInt(row['amount'] ?? 0),
      };
      this.model.move(movement);
      if (record !== null) {
        this.#across.push({ ...movement, record: String(record) });
        noteHalf(this.model, String(record), movement);
        this.#tellHalf(movement, String(record));
        continue;
      }
      if (movement.kind === 'hedge') {
        this.#hedged[ledger]?.push(movement);
        continue;
      }
      this.#fundVenue(movement);
      if (this.#isSettlement(movement)) continue;
      this.#tell(movement);
      movements.push(movement);
      const isTaken = movement.kind === 'withdrawal' && this.model.account(movement.debit) !== undefined;
      if (isTaken) this.#takeWithdrawal(movement);
    }
    return movements;
  }

  /** What people send to the venue, or take back, moves there as well. */
  #fundVenue({ kind, debit, credit, asset, amount }: Movement): void {
    if (kind !== 'funding') return;
    if (debit.startsWith(VENUE)) this.dealer.fund(asset, amount, scaleOf(asset));
    if (credit.startsWith(VENUE)) this.dealer.fund(asset, -amount, scaleOf(asset));
  }

  /** What was moved between ledgers belongs to a withdrawal. */
  #followAcross(): void {
    for (const [record, rows] of Map.groupBy(this.#across.splice(0), (one) => one.record)) {
      const withdrawal = this.model.withdrawals.get(record);
      must(withdrawal !== undefined, 'moved for no withdrawal', record, rows);
      this.count('operations', 'side of a payment between ledgers', rows.length);
      this.#advanceWithdrawal(withdrawal, rows);
    }
    checkTransit(this.model);
  }

  /** The half in the ledger that pays comes first, whichever ledger was read first. */
  #advanceWithdrawal(withdrawal: ModelWithdrawal, rows: readonly Movement[]): void {
    const { id, network } = withdrawal;
    // A halt of the same step may have come after it.
    const isStopped = this.#stopped.has(id) && this.#isStopped(id, network);
    const inOrder = rows.toSorted((one, other) => Number(isTransit(one.credit)) - Number(isTransit(other.credit)));
    for (const row of inOrder) advanceWithdrawal(withdrawal, row, isStopped);
  }

  /** A withdrawal must have the values of one that a request of this step asked for. */
  #takeWithdrawal({ debit, asset, amount, credit, reference }: Movement): void {
    must(!this.model.withdrawals.has(reference), 'taken twice', reference);
    const isOwn = credit === houseOfAccount(debit).payouts;
    const wanted = this.wanted.find(
      (one) => isOwn && one.accountId === debit && one.asset === asset && one.amount + one.fee === amount,
    );
    must(wanted !== undefined, 'a withdrawal that nobody asked for', reference, debit, asset, amount, credit);
    this.model.withdrawals.set(reference, { ...wanted, id: reference });
    this.model.tell(debit, `withdrawal.${wanted.status.toLowerCase()}`, reference);
  }

  /** Notes the events of a movement. Of the two of an order or a settlement the first tells. */
  #tell({ debit, credit, asset, kind, reference }: Movement): void {
    if (kind === 'deposit') this.model.tell(credit, 'deposit.completed', reference);
    if (kind === 'order' && this.model.account(debit)) this.model.tell(debit, 'order.filled', reference);
    if (kind !== 'settlement' || asset !== 'USDT') return;
    for (const party of [debit, credit]) this.model.tell(party, 'settlement.completed', reference);
  }

  /** Notes the event of a side, in the order of its ledger: the account that gets something is told, and the one that paid. */
  #tellHalf({ credit, reference }: Movement, record: string): void {
    if (this.model.account(credit) !== undefined) this.model.tell(credit, 'deposit.completed', reference);
    else this.model.tell(this.model.withdrawals.get(record)?.accountId ?? NOBODY, 'withdrawal.completed', record);
  }

  /** Notes the events of a withdrawal's end, and of the receipt of the account that was paid inside the exchange. */
  #tellEnd({ accountId, id, status, recipient }: ModelWithdrawal, isNew: boolean): void {
    if (isNew) this.model.tell(accountId, `withdrawal.${status.toLowerCase()}`, id);
    if (status === 'COMPLETED' && recipient !== null) this.model.tell(recipient, 'deposit.completed', null);
  }

  /** A movement out of house:payouts ends a withdrawal that the model knows, in the way that the custodian decided. */
  #isSettlement({ debit, credit, asset, amount, kind, reference }: Movement): boolean {
    if (kind !== 'withdrawal' || this.model.account(debit)) return false;
    const withdrawal = this.model.withdrawals.get(reference);
    must(withdrawal?.asset === asset, 'a payout of no withdrawal', reference);
    const house = houseOfAccount(withdrawal.accountId);
    must(debit === house.payouts, 'a payout from', debit, reference);
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
    } else if (isAcross(withdrawal)) {
      const isBack = credit === withdrawal.accountId && amount === withdrawal.amount;
      const isUnpaid = withdrawal.status === 'PROCESSING' && !withdrawal.isDelivered;
      must(isBack && isUnpaid, 'given back', reference, withdrawal);
      must(this.model.settings.withdrawalsHalted, 'given back though the other ledger does not refuse', reference);
      withdrawal.status = 'FAILED';
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

  #checkTotp({ account_id: id, used_step: step, attempts, locked_until: locked }: Row): void {
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
