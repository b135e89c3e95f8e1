import { z } from '@hono/zod-openapi';
import { AllowlistEntry } from '../accounts/allowlist.ts';
import { Id, Timestamp } from '../http/wire-types.ts';
import { OwnApiKey } from '../keys/api-key.ts';
import { Order } from '../orders/order.ts';
import { DepositBase } from '../deposits/account-deposit.ts';
import { Transaction } from '../activity/transactions.ts';
import { Withdrawal } from '../withdrawals/withdrawal.ts';

/** The number of an event: 1, 2, 3 and so on for each listener, in the order in which things happened. */
export const Sequence = z.number().int().openapi({
  description: 'The number of the event: 1, 2, 3 and so on, without a gap',
  example: 12,
});

/** A deposit in an account’s event. Unlike a list it also shows one that is held for the operator. */
const EventDeposit = DepositBase.extend({
  status: z.enum(['PENDING', 'COMPLETED', 'FAILED', 'QUARANTINED']).openapi({
    description: 'Waits for confirmations; credited; reverted on its chain; held for the operator',
    example: 'COMPLETED',
  }),
}).openapi('EventDeposit');

const EventAccount = z
  .object({
    id: Id,
    status: z.enum(['active', 'frozen']),
    twoFactor: z.boolean().openapi({ description: 'Whether withdrawals need a two-factor code', example: true }),
  })
  .openapi('EventAccount');

/** The schema of the events about one kind of record. */
export function describeKind<const Types extends readonly [string, ...string[]], Data extends z.ZodRawShape>(
  name: string,
  types: Types,
  data: Data,
  exampleId = 'evt_01a1fcca-895a-7000-b43c-11f474a4f8d5_12',
) {
  return z
    .object({
      id: z.string().openapi({
        description: 'Unique: the same event always has the same id, however often it is delivered',
        example: exampleId,
      }),
      type: z.enum(types),
      timestamp: Timestamp,
      sequence: Sequence,
      data: z.object(data).openapi({ description: 'The record as it is now, which may be newer than the event' }),
    })
    .openapi(name);
}

const OrderEvent = describeKind('OrderEvent', ['order.filled'], { order: Order });

const DepositEvent = describeKind(
  'DepositEvent',
  ['deposit.completed', 'deposit.pending', 'deposit.failed', 'deposit.quarantined'],
  { deposit: EventDeposit },
);

const WithdrawalEvent = describeKind(
  'WithdrawalEvent',
  ['withdrawal.completed', 'withdrawal.pending', 'withdrawal.processing', 'withdrawal.failed'],
  { withdrawal: Withdrawal },
);

const SettlementEvent = describeKind('SettlementEvent', ['settlement.completed'], { transaction: Transaction });

const AccountEvent = describeKind(
  'AccountEvent',
  ['account.frozen', 'account.thawed', 'security.totp_on', 'security.totp_off'],
  { account: EventAccount },
);

const SecurityEvent = describeKind(
  'SecurityEvent',
  [
    'security.signed_in',
    'security.passkey_added',
    'security.passkey_removed',
    'security.recovery_codes_drawn',
    'security.recovery_allowed',
    'security.recovered',
  ],
  {
    security: z.object({
      accountId: Id,
      passkey: z.string().nullable().openapi({ description: 'The name of a passkey', example: null }),
      browser: z.string().nullable().openapi({ description: 'A browser, as it names itself', example: null }),
      proof: z.enum(['totp', 'recovery_code', 'allowed']).nullable().openapi({
        description:
          'What a recovery showed: a code of the second factor, a recovery code, or that two of the exchange’s people agreed',
        example: null,
      }),
    }),
  },
);

const KeyEvent = describeKind('KeyEvent', ['key.created', 'key.revoked'], { apiKey: OwnApiKey });

const AllowlistEvent = describeKind('AllowlistEvent', ['allowlist.added', 'allowlist.removed'], {
  allowlistEntry: AllowlistEntry,
});

export const EndpointEvent = describeKind('EndpointEvent', ['endpoint.disabled', 'endpoint.test'], {
  webhookEndpoint: z.object({
    id: Id,
    url: z.string().openapi({ example: 'https://hooks.your-company.com/bureau' }),
    reason: z
      .enum(['gone', 'failing', 'key_revoked'])
      .nullable()
      .openapi({ description: 'Why it was switched off; null in a test', example: 'failing' }),
  }),
});

/** The schemas of events by their names in the document, and in its order. */
export const eventSchemas = {
  OrderEvent,
  DepositEvent,
  WithdrawalEvent,
  SettlementEvent,
  AccountEvent,
  SecurityEvent,
  KeyEvent,
  AllowlistEvent,
  EndpointEvent,
} as const;

/** An account’s event on the wire: what happened, and the record that it happened to. */
export const Event = z
  .discriminatedUnion('type', [
    OrderEvent,
    DepositEvent,
    WithdrawalEvent,
    SettlementEvent,
    AccountEvent,
    SecurityEvent,
    KeyEvent,
    AllowlistEvent,
    EndpointEvent,
  ])
  .openapi('Event');

export type Event = z.output<typeof Event>;

export type EventType = Event['type'];

/** Every type of an account’s events. */
export const eventTypes = Object.values(eventSchemas).flatMap(
  (schema): readonly EventType[] => schema.shape.type.options,
);

/** A row of `events`. */
export interface EventRow {
  /** Who is told: an account by its id, or the operator. */
  readonly accountId: string;
  readonly sequence: number;
  readonly type: string;
  /** The id of the record. */
  readonly subject: string;
  /** What is shown where no record may be left, as JSON. */
  readonly detail: string | null;
  readonly ts: number;
}

/** The id of an event: the same however often it is delivered, and by whichever way. */
export function idOfEvent({ accountId, sequence }: Pick<EventRow, 'accountId' | 'sequence'>): string {
  return `evt_${accountId}_${sequence}`;
}
