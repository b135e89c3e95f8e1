import { z } from '@hono/zod-openapi';
import { AllowlistEntry } from '../accounts/allowlist.ts';
import type { events } from '../db/schema/events.ts';
import type { SentEvent } from '../http/document/build-document.ts';
import { Id, Timestamp } from '../http/wire-types.ts';
import { OwnApiKey } from '../keys/api-key.ts';
import { Order } from '../orders/order.ts';
import { DepositBase } from '../deposits/account-deposit.ts';
import { Transaction } from '../activity/transactions.ts';
import { Withdrawal } from '../withdrawals/withdrawal.ts';

const EXAMPLE_ACCOUNT = '01a1fcca-895a-7000-b43c-11f474a4f8d5';

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

/** What the document says of a type of event, and which members make the example of its record one of this type. */
type Telling = readonly [summary: string, shown?: object];

/** The events about one kind of record: their schema, and each type as the document has it. */
export function describeKind<
  const Types extends Readonly<Record<string, Telling>>,
  Name extends string,
  Data extends z.ZodType,
>(schemaName: string, types: Types, data: Readonly<Record<Name, Data>>, exampleId = `evt_${EXAMPLE_ACCOUNT}_12`) {
  const schema = z
    .object({
      id: z.string().openapi({
        description: 'Unique: the same event always has the same id, however often it is delivered',
        example: exampleId,
      }),
      type: z.enum(Object.keys(types) as (keyof Types & string)[]),
      timestamp: Timestamp,
      sequence: Sequence,
      data: z.object(data).openapi({ description: 'The record as it is now, which may be newer than the event' }),
    })
    .openapi(schemaName);
  const sent = Object.entries<Telling>(types).map(([type, [summary, shown = {}]]): SentEvent => {
    return { type, schema: schemaName, summary, shown };
  });
  return { schema, sent };
}

/** What happens to deposits and withdrawals, which an account and the operator are told alike. */
export const depositTypes = {
  'deposit.completed': ['A deposit was credited', { status: 'COMPLETED' }],
  'deposit.pending': [
    'A deposit was seen on its chain, and waits for confirmations',
    { status: 'PENDING', confirmations: 1 },
  ],
  'deposit.failed': ['A deposit was reverted on its chain', { status: 'FAILED' }],
  'deposit.quarantined': ['A deposit is held for the operator, and not credited', { status: 'QUARANTINED' }],
} as const;

export const withdrawalTypes = {
  'withdrawal.completed': ['A withdrawal was paid', { status: 'COMPLETED' }],
  'withdrawal.pending': ['A withdrawal waits for its review', { status: 'PENDING', txHash: null }],
  'withdrawal.processing': ['A withdrawal is with the custodian', { status: 'PROCESSING', txHash: null }],
  'withdrawal.failed': [
    'A withdrawal failed, and its money was returned',
    { status: 'FAILED', txHash: null, reason: 'refused' },
  ],
} as const;

export const endpointKind = describeKind(
  'EndpointEvent',
  {
    'endpoint.disabled': ['A webhook endpoint was switched off, because it is gone or fails'],
    'endpoint.test': ['Sent to one endpoint when its holder asks for it', { reason: null }],
  },
  {
    webhookEndpoint: z.object({
      id: Id,
      url: z.string().openapi({ example: 'https://hooks.your-company.com/bureau' }),
      reason: z
        .enum(['gone', 'failing', 'key_revoked'])
        .nullable()
        .openapi({ description: 'Why it was switched off; null in a test', example: 'failing' }),
    }),
  },
);

/** The kinds of an account’s events, in the order of the document. */
const kinds = [
  describeKind('OrderEvent', { 'order.filled': ['An order was filled'] }, { order: Order }),
  describeKind('DepositEvent', depositTypes, { deposit: EventDeposit }),
  describeKind('WithdrawalEvent', withdrawalTypes, { withdrawal: Withdrawal }),
  describeKind(
    'SettlementEvent',
    {
      'settlement.completed': [
        'A trade that was agreed elsewhere was settled',
        { category: 'P2P', type: 'P2P_BUY', keyId: null, status: 'COMPLETED' },
      ],
    },
    { transaction: Transaction },
  ),
  describeKind(
    'AccountEvent',
    {
      'account.frozen': ['The operator froze the account', { status: 'frozen' }],
      'account.thawed': ['The account may be used again', { status: 'active' }],
      'security.totp_on': ['Two-factor authentication was switched on', { twoFactor: true }],
      'security.totp_off': ['Two-factor authentication was switched off', { twoFactor: false }],
    },
    { account: EventAccount },
  ),
  describeKind(
    'SecurityEvent',
    {
      'security.signed_in': [
        'Somebody signed in to the console with a browser that was not known',
        { browser: 'Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0' },
      ],
      'security.passkey_added': ['A passkey was added', { passkey: 'laptop' }],
      'security.passkey_removed': ['A passkey was removed', { passkey: 'laptop' }],
      'security.recovery_codes_drawn': ['New recovery codes took the place of the old ones'],
      'security.recovery_allowed': [
        'Two of the exchange’s people agreed that the holder may recover the account without a code',
      ],
      'security.recovered': ['The account was recovered: nothing leaves it for 24 hours', { proof: 'recovery_code' }],
    },
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
  ),
  describeKind(
    'KeyEvent',
    { 'key.created': ['An API key was made'], 'key.revoked': ['An API key was revoked'] },
    { apiKey: OwnApiKey },
  ),
  describeKind(
    'AllowlistEvent',
    {
      'allowlist.added': ['An address was approved for withdrawals'],
      'allowlist.removed': ['The approval of an address was withdrawn'],
    },
    { allowlistEntry: AllowlistEntry },
  ),
  endpointKind,
] as const;

export function anyOf<const Kinds extends readonly Pick<ReturnType<typeof describeKind>, 'schema'>[]>(
  name: string,
  all: Kinds,
) {
  type Schema = Kinds[number]['schema'];
  return z
    .discriminatedUnion('type', all.map(({ schema }) => schema) as unknown as [Schema, ...Schema[]])
    .openapi(name);
}

/** An account’s event on the wire: what happened, and the record that it happened to. */
export const Event = anyOf('Event', kinds);

export type Event = z.output<typeof Event>;

export type EventType = Event['type'];

/** Every type of an account’s events, as the document has it. */
export const sentEvents = kinds.flatMap(({ sent }) => sent);

export const eventTypes = sentEvents.map(({ type }) => type as EventType);

/** A row is told to `accountId`, which is an account's id or the operator; `detail` is JSON, for where no record may be left. */
export type EventRow = typeof events.$inferSelect;

/** The id of an event: the same however often it is delivered, and by whichever way. */
export function idOfEvent({ accountId, sequence }: Pick<EventRow, 'accountId' | 'sequence'>): string {
  return `evt_${accountId}_${sequence}`;
}
