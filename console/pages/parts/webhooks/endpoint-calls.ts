import type { ComponentChildren, JSX } from 'preact';
import type { Delivery, DeliveryLog } from './delivery-state.ts';

/** A webhook endpoint as the API shows it, to an account and to the operator alike. */
export interface KnownEndpoint {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  readonly types: readonly string[];
  readonly status: 'enabled' | 'disabled';
  readonly reason: 'gone' | 'failing' | 'key_revoked' | null;
  readonly createdAt: string;
  readonly previousSecretUntil: string | null;
}

/** An endpoint to be made. */
export interface NewEndpoint<Type extends string> {
  readonly url: string;
  readonly description: string;
  /** None of them: all. */
  readonly types: Type[];
}

/** What is done with the webhook endpoints of an owner. Each call rejects with a `BureauError` when it is refused. */
export interface EndpointCalls<Type extends string> {
  readonly list: () => Promise<{ readonly webhookEndpoints: readonly KnownEndpoint[] }>;
  readonly create: (wanted: NewEndpoint<Type>) => Promise<{ readonly secret: string }>;
  readonly setStatus: (id: string, status: 'enabled' | 'disabled') => Promise<unknown>;
  readonly remove: (id: string) => Promise<unknown>;
  readonly rotateSecret: (id: string) => Promise<{ readonly secret: string }>;
  readonly test: (id: string) => Promise<{ readonly delivery: Delivery }>;
  readonly resend: (id: string, eventId: string) => Promise<{ readonly delivery: Delivery }>;
  /** Sends all events again that are kept. */
  readonly replay: (id: string) => Promise<unknown>;
  readonly listDeliveries: (id: string) => Promise<DeliveryLog>;
}

/** How a page lets somebody make a change: a form in place, or a dialog with a second look. */
export type Change = (change: {
  readonly label: string;
  /** What is changed, where the label does not say it alone. */
  readonly title: string;
  readonly act: () => Promise<void>;
  readonly danger?: boolean;
  /** One of several, none of which is why one came. */
  readonly plain?: boolean;
  /** What a form that has no dialog asks before it is done. */
  readonly asks?: string;
  readonly children?: ComponentChildren;
}) => JSX.Element;

/** Types of events by what they are about: the groups that one chooses from. */
export type EventGroups<Type extends string> = readonly (readonly [name: string, types: readonly Type[]])[];

/** Whose endpoints a page shows, and how they are changed. */
export interface EndpointSource<Type extends string> {
  readonly calls: EndpointCalls<Type>;
  readonly groups: EventGroups<Type>;
  /** `undefined` for who may only look. */
  readonly change: Change | undefined;
  /** Whether a change is made in a dialog, so that its place is a button. */
  readonly inDialogs?: boolean;
  /** What stands beside the form of a new endpoint, or below the endpoints. */
  readonly children?: (isBeside: boolean) => ComponentChildren;
}
