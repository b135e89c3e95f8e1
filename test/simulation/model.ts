import type { StreamClient } from '../support/streams/stream-client.ts';
import type { Scope } from '../../src/keys/rights.ts';
import { type Asset, assetSymbols } from '../../src/money/assets.ts';
import type { Network } from '../../src/money/networks.ts';
import type { EndpointBody, Receiver } from '../support/events/receiver.ts';
import type { Trader } from '../support/exchange.ts';
import { ledgersUnderTest } from '../support/db/open-in-ledger.ts';
import { house } from '../../src/db/transfers.ts';
import { VENUE } from '../support/db/house-money.ts';
import { type House, houseOf, venueOf } from './house-of.ts';
import type { Movement } from './movement.ts';
import { must } from './must.ts';

export const DAY_MS = 86_400_000;

/** The model's entry of an Idempotency-Key. */
export interface Entry {
  readonly request: Post;
  readonly received_ms: number;
  /**
   * The newest request from which the exchange may count the 24 hours: the one that was answered, if earlier ones were
   * lost before they arrived.
   */
  counted_ms: number;
  /** The answer, byte by byte; `null` while the outcome is unknown. */
  answer: { readonly status: number; readonly body: string } | null;
  /** The record that the request made, once the journal has shown one. */
  recordId: string | null;
  /** The id in the `outcome_unknown` answer. */
  namedId: string | null;
}

export interface Post {
  readonly operation: 'placeOrder' | 'createWithdrawal';
  readonly body: Readonly<Record<string, string>>;
  readonly idempotencyKey: string | null;
}

export interface ModelKey {
  readonly trader: Trader;
  readonly scopes: readonly Scope[];
  revoked: boolean;
  readonly entries: Map<string, Entry>;
}

export interface ModelTotp {
  readonly secret: string;
  usedStep: number;
  attempts: number;
  lockedUntil: number;
}

/** An event that the account must be told. `subject` is `null` where nobody can know the record's id. */
export interface ModelEvent {
  readonly type: string;
  readonly subject: string | null;
}

/** Who reads an account's events, and what came so far. */
export interface ModelReader {
  readonly expected: ModelEvent[];
  /** The ids of what came, in order. */
  readonly seen: string[];
  after: number;
}

export const NOBODY = 'nobody';

/** Who reads the operator's feeds, one of each ledger, and what must come next. */
export interface ModelOperator {
  /** The statuses of deposits and withdrawals that must come, by account, in order. */
  readonly expected: Map<string, ModelEvent[]>;
  /** By ledger: the number of the newest row of the audit that came, and of the newest event. */
  readonly feeds: { audited: number; after: number }[];
}

/** The receiver of an account's events, and the endpoint that sends to it. */
export interface ModelWebhook {
  readonly manager: Trader;
  readonly receiver: Receiver;
  readonly endpoint: EndpointBody;
  readonly after: number;
  /** Whether the exchange switched it off. */
  isOff: boolean;
}

/** What a client saw of an event. */
export interface SeenEvent {
  readonly sequence: number;
  readonly type: string;
  readonly subject: string;
}

/** The client of an account's stream, which connects again after the last event that it saw. */
export interface ModelStream {
  client: StreamClient | undefined;
  readonly seen: SeenEvent[];
}

export interface ModelAccount {
  readonly id: string;
  /** `null` for an account that does not listen. */
  readonly reader: ModelReader | null;
  readonly webhook: ModelWebhook | null;
  readonly stream: ModelStream;
  frozen: boolean;
  /** The status of the newest event about it. */
  toldFrozen: boolean;
  limit: bigint;
  readonly keys: ModelKey[];
  readonly totp: ModelTotp | null;
  readonly addresses: Readonly<Record<string, string>>;
  /** When the approval of `<network> <address>` takes effect. */
  readonly approved: Map<string, number>;
}

export interface ModelWithdrawal {
  readonly id: string;
  readonly accountId: string;
  readonly asset: Asset;
  readonly network: Network;
  readonly address: string;
  readonly amount: bigint;
  readonly fee: bigint;
  readonly usdValue: bigint;
  readonly committed_ms: number;
  readonly recipient: string | null;
  readonly totpStep: number | null;
  status: 'PENDING' | 'PROCESSING' | 'COMPLETED' | 'FAILED';
  /** Whether the account of another ledger has it. */
  isDelivered?: boolean;
}

export interface ModelDeposit {
  readonly report: Record<string, string | number>;
  readonly accountId: string | null;
  readonly asset: Asset;
  readonly amount: bigint;
  readonly needed: number;
  isKnown: boolean;
  /** Whether that report found it below the minimum. */
  isDust: boolean;
  /** The status of the newest event about it. */
  told: ModelDeposit['status'] | null;
  status: 'PENDING' | 'COMPLETED' | 'FAILED' | 'QUARANTINED';
  /** What the operator decided about it while it was quarantined. */
  decision: 'KEPT' | 'CREDITED' | null;
  /** The account that it was credited to by that decision. */
  creditedTo: string | null;
}

/** A payment between two ledgers, and which of its sides are written. */
export interface ModelMovement {
  readonly asset: Asset;
  readonly amount: bigint;
  isOut: boolean;
  isIn: boolean;
}

export interface ModelReference {
  readonly path: string;
  readonly body: Record<string, string | number>;
  readonly movements: readonly Omit<Movement, 'reference'>[];
  isDone: boolean;
}

export interface ModelSettings {
  tradingHalted: boolean;
  withdrawalsHalted: boolean;
  pausedNetworks: Network[];
  allowlistMode: 'off' | 'strict';
  reviewThreshold: bigint | null;
  spreadBps: number;
  hedgingHalted: boolean;
}

const nameOf = (...parts: readonly string[]) => parts.join(' ');

/** The model of the exchange: what it owes, to whom, and why. */
export class Model {
  readonly accounts: ModelAccount[] = [];
  readonly operator: ModelOperator = {
    expected: new Map(),
    feeds: ledgersUnderTest.map(() => ({ audited: 0, after: 0 })),
  };
  readonly orders = new Map<string, string>();
  /** The names that accounts have given to their orders and withdrawals: `<account> <operation> <name>`. */
  readonly names = new Set<string>();
  readonly withdrawals = new Map<string, ModelWithdrawal>();
  readonly deposits: ModelDeposit[] = [];
  readonly references: ModelReference[] = [];
  /** By the id of the withdrawal, what is paid between ledgers. */
  readonly movements = new Map<string, ModelMovement>();
  readonly floors = new Map<string, bigint>();
  /** The one smallest deposit that the operator has set at the moment, in atoms. */
  depositMinimum: { readonly asset: Asset; readonly network: Network; readonly amount: bigint } | null = null;
  readonly settings: ModelSettings = {
    tradingHalted: false,
    withdrawalsHalted: false,
    pausedNetworks: [],
    allowlistMode: 'off',
    reviewThreshold: null,
    spreadBps: 0,
    hedgingHalted: false,
  };
  readonly #balances = new Map<string, bigint>();
  /** What the owner brought in of each asset, by the inventory that it is of. */
  readonly #capital = new Map<string, bigint>();

  balance(owner: string, asset: Asset): bigint {
    return this.#balances.get(`${owner} ${asset}`) ?? 0n;
  }

  floor(owner: string, asset: Asset): bigint {
    return this.floors.get(`${owner} ${asset}`) ?? 0n;
  }

  /** Whether an owner has this much above its floor. */
  affords(owner: string, asset: Asset, amount: bigint): boolean {
    return this.balance(owner, asset) - amount >= this.floor(owner, asset);
  }

  /** Whether so much may be deposited: what is at the venue counts for the supply cap. */
  admits(custody: string, asset: Asset, amount: bigint): boolean {
    const atVenue = this.balance(custody.replace(house.custody, VENUE), asset);
    return this.affords(custody, asset, amount) && this.affords(custody, asset, amount - atVenue);
  }

  /** What a house has of a coin beyond its capital, with what hedges have set aside. */
  position({ liquidity, hedging }: House, coin: Asset): bigint {
    return (
      this.balance(liquidity, coin) + this.balance(hedging, coin) - (this.#capital.get(`${liquidity} ${coin}`) ?? 0n)
    );
  }

  /** Whether an inventory may get this much more of a coin from a client: its position stays within its exposure. */
  accepts(own: House, coin: Asset, amount: bigint): boolean {
    const position = this.position(own, coin) + amount;
    return position - this.balance(own.hedging, coin) <= 0n || position <= -this.floor(own.liquidity, coin);
  }

  /** Moves two balances. Nobody may pass a floor (I2, I12). */
  move({ debit, credit, asset, amount, kind }: Movement): void {
    must(amount > 0n, 'a movement of nothing', debit, credit);
    must(this.affords(debit, asset, amount), 'a balance below its floor', debit, asset, amount);
    this.#balances.set(`${debit} ${asset}`, this.balance(debit, asset) - amount);
    this.#balances.set(`${credit} ${asset}`, this.balance(credit, asset) + amount);
    if (kind !== 'funding') return;
    this.#capital.set(`${credit} ${asset}`, (this.#capital.get(`${credit} ${asset}`) ?? 0n) + amount);
    this.#capital.set(`${debit} ${asset}`, (this.#capital.get(`${debit} ${asset}`) ?? 0n) - amount);
  }

  /** Takes over the balances from before the simulation. */
  begin(owner: string, asset: Asset, amount: bigint, floor: bigint): void {
    this.#balances.set(`${owner} ${asset}`, amount);
    this.floors.set(`${owner} ${asset}`, floor);
    // All that the venue has then is capital.
    if (owner.startsWith(VENUE)) this.#capital.set(`${owner.replace(VENUE, house.liquidity)} ${asset}`, -amount);
  }

  /** Notes what an account that listens must be told next, and the operator of deposits and withdrawals of everybody. */
  tell(accountId: string, type: string, subject: string | null): void {
    this.account(accountId)?.reader?.expected.push({ type, subject });
    if (!/^(?:deposit|withdrawal)\./.test(type)) return;
    const expected = this.operator.expected.get(accountId) ?? [];
    expected.push({ type, subject });
    this.operator.expected.set(accountId, expected);
  }

  /** Notes the event of a new status of the account, if it is new. */
  tellStatus(account: ModelAccount, frozen: boolean): void {
    if (account.toldFrozen !== frozen) this.tell(account.id, frozen ? 'account.frozen' : 'account.thawed', account.id);
    account.toldFrozen = frozen;
  }

  account(id: string): ModelAccount | undefined {
    return this.accounts.find((account) => account.id === id);
  }

  /** Whether an earlier order or withdrawal of the account has the name that a request gives. */
  isNamed(accountId: string, { operation, body }: Post): boolean {
    return this.names.has(nameOf(accountId, operation, body['clientOrderId'] ?? ''));
  }

  noteName(accountId: string, { operation, body }: Post): void {
    const name = body['clientOrderId'];
    if (name !== undefined) this.names.add(nameOf(accountId, operation, name));
  }

  ownerOf(network: string, address: string): ModelAccount | undefined {
    return this.accounts.find(({ addresses }) => addresses[network] === address);
  }

  /** What the last 24 hours used of an account's limit (I6). */
  used(accountId: string, now_ms: number): bigint {
    let used = 0n;
    for (const withdrawal of this.withdrawals.values()) {
      const counts = withdrawal.accountId === accountId && withdrawal.status !== 'FAILED';
      if (counts && withdrawal.committed_ms > now_ms - 86_400_000) used += withdrawal.usdValue;
    }
    return used;
  }

  list(): Map<string, bigint> {
    const houses = ledgersUnderTest.flatMap((ledger) => [...Object.values<string>(houseOf(ledger)), venueOf(ledger)]);
    const owners = [...houses, ...this.accounts.map(({ id }) => id)];
    return new Map(
      owners.flatMap((owner) =>
        assetSymbols.map((asset) => [`${owner} ${asset}`, this.balance(owner, asset)] as const),
      ),
    );
  }
}
