import { type EventType, eventSchemas } from './event.ts';

/** What an event of each type tells, and what its example shows of the record. */
const told: Readonly<Record<EventType, { readonly summary: string; readonly shown: object }>> = {
  'order.filled': { summary: 'An order was filled', shown: {} },
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
  'settlement.completed': {
    summary: 'A trade that was agreed elsewhere was settled',
    shown: { category: 'P2P', type: 'P2P_BUY', keyId: null, status: 'COMPLETED' },
  },
  'account.frozen': { summary: 'The operator froze the account', shown: { status: 'frozen' } },
  'account.thawed': { summary: 'The account may be used again', shown: { status: 'active' } },
  'security.totp_on': { summary: 'Two-factor authentication was switched on', shown: { twoFactor: true } },
  'security.totp_off': { summary: 'Two-factor authentication was switched off', shown: { twoFactor: false } },
  'key.created': { summary: 'An API key was made', shown: {} },
  'key.revoked': { summary: 'An API key was revoked', shown: {} },
  'allowlist.added': { summary: 'An address was approved for withdrawals', shown: {} },
  'allowlist.removed': { summary: 'The approval of an address was withdrawn', shown: {} },
  'endpoint.disabled': { summary: 'A webhook endpoint was switched off, because it is gone or fails', shown: {} },
  'endpoint.test': { summary: 'Sent to one endpoint when its holder asks for it', shown: { reason: null } },
};

/** One type of event for the document. */
export interface DescribedEvent {
  readonly type: EventType;
  /** The name of its schema among the document's components. */
  readonly schema: string;
  readonly summary: string;
  /** The members of the record that make an example one of this type. */
  readonly shown: object;
}

/** Every type of event, in the order of the schemas. */
export const describedEvents: readonly DescribedEvent[] = Object.entries(eventSchemas).flatMap(([schema, { shape }]) =>
  shape.type.options.map((type: EventType) => ({ type, schema, ...told[type] })),
);
