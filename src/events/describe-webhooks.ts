import { type EventType, eventSchemas } from './event.ts';
import { type OperatorEventType, operatorEventSchemas } from './operator-event.ts';

/** What an event tells, and what its example shows of the record. */
interface Told {
  readonly summary: string;
  readonly shown: object;
}

/** The events of deposits and withdrawals, which an account and the operator are told alike. */
const movements = {
  'deposit.pending': {
    summary: 'A deposit was seen on its chain, and waits for confirmations',
    shown: { status: 'PENDING', confirmations: 1 },
  },
  'deposit.completed': { summary: 'A deposit was credited', shown: { status: 'COMPLETED' } },
  'deposit.failed': { summary: 'A deposit was reverted on its chain', shown: { status: 'FAILED' } },
  'deposit.quarantined': {
    summary: 'A deposit is held for the operator, and not credited',
    shown: { status: 'QUARANTINED' },
  },
  'withdrawal.pending': {
    summary: 'A withdrawal waits for its review',
    shown: { status: 'PENDING', txHash: null },
  },
  'withdrawal.processing': {
    summary: 'A withdrawal is with the custodian',
    shown: { status: 'PROCESSING', txHash: null },
  },
  'withdrawal.completed': { summary: 'A withdrawal was paid', shown: { status: 'COMPLETED' } },
  'withdrawal.failed': {
    summary: 'A withdrawal failed, and its money was returned',
    shown: { status: 'FAILED', txHash: null, reason: 'refused' },
  },
} as const satisfies Record<string, Told>;

const endpoints = {
  'endpoint.disabled': { summary: 'A webhook endpoint was switched off, because it is gone or fails', shown: {} },
  'endpoint.test': { summary: 'Sent to one endpoint when its holder asks for it', shown: { reason: null } },
} as const satisfies Record<string, Told>;

const told: Readonly<Record<EventType, Told>> = {
  'order.filled': { summary: 'An order was filled', shown: {} },
  ...movements,
  'settlement.completed': {
    summary: 'A trade that was agreed elsewhere was settled',
    shown: { category: 'P2P', type: 'P2P_BUY', keyId: null, status: 'COMPLETED' },
  },
  'account.frozen': { summary: 'The operator froze the account', shown: { status: 'frozen' } },
  'account.thawed': { summary: 'The account may be used again', shown: { status: 'active' } },
  'security.totp_on': { summary: 'Two-factor authentication was switched on', shown: { twoFactor: true } },
  'security.totp_off': { summary: 'Two-factor authentication was switched off', shown: { twoFactor: false } },
  'security.signed_in': {
    summary: 'Somebody signed in to the console with a browser that was not known',
    shown: { browser: 'Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0' },
  },
  'security.passkey_added': { summary: 'A passkey was added', shown: { passkey: 'laptop' } },
  'security.passkey_removed': { summary: 'A passkey was removed', shown: { passkey: 'laptop' } },
  'security.recovery_codes_drawn': { summary: 'New recovery codes took the place of the old ones', shown: {} },
  'security.recovery_allowed': {
    summary: 'Two of the exchange’s people agreed that the holder may recover the account without a code',
    shown: {},
  },
  'security.recovered': {
    summary: 'The account was recovered: nothing leaves it for 24 hours',
    shown: { proof: 'recovery_code' },
  },
  'key.created': { summary: 'An API key was made', shown: {} },
  'key.revoked': { summary: 'An API key was revoked', shown: {} },
  'allowlist.added': { summary: 'An address was approved for withdrawals', shown: {} },
  'allowlist.removed': { summary: 'The approval of an address was withdrawn', shown: {} },
  ...endpoints,
};

const toldOperator: Readonly<Record<OperatorEventType, Told>> = {
  'audit.added': { summary: 'Somebody changed something, or the reconciliation did', shown: {} },
  ...movements,
  ...endpoints,
};

/** One type of event for the document. */
export interface DescribedEvent extends Told {
  readonly type: string;
  /** The name of its schema among the document's components. */
  readonly schema: string;
}

function describe<Type extends string>(
  schemas: Readonly<Record<string, { readonly shape: { readonly type: { readonly options: readonly Type[] } } }>>,
  toldOf: Readonly<Record<Type, Told>>,
): DescribedEvent[] {
  return Object.entries(schemas).flatMap(([schema, { shape }]) =>
    shape.type.options.map((type) => ({ type, schema, ...toldOf[type] })),
  );
}

/** Every type of an account's events, in the order of the schemas. */
export const describedEvents: readonly DescribedEvent[] = describe<EventType>(eventSchemas, told);

/** Every type of the operator's events. */
export const describedOperatorEvents: readonly DescribedEvent[] = describe<OperatorEventType>(
  operatorEventSchemas,
  toldOperator,
);
