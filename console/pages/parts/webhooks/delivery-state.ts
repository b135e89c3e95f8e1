import { showSecond, showTime } from '../../format.ts';

/** An attempt to deliver an event. */
export interface Delivery {
  readonly eventId: string;
  readonly type: string;
  readonly at: string;
  readonly outcome: 'DELIVERED' | 'FAILED';
  readonly status: number | null;
  readonly fault: 'timed_out' | 'unreachable' | null;
  readonly durationMs: number;
  /** How the body of a failure's answer began: the receiver's text. */
  readonly answer: string | null;
}

/** The newest attempts of an endpoint, and how far it is. */
export interface DeliveryLog {
  readonly deliveries: readonly Delivery[];
  readonly setAside: readonly Delivery[];
  /** The number up to which events are done with. */
  readonly deliveredTo: number;
  readonly nextAttemptAt: string | null;
}

const faults = { timed_out: 'no answer in time', unreachable: 'not reached' } as const;

/** How an attempt ended: the status of a pill, and its words. */
export function nameOutcome({ outcome }: Pick<Delivery, 'outcome'>): readonly [status: string, words: string] {
  return outcome === 'DELIVERED' ? ['completed', 'Delivered'] : ['failed', 'Failed'];
}

/** What was answered. */
export function nameAnswer({ status, fault, durationMs }: Delivery): string {
  return fault === null ? `HTTP ${status ?? 'nothing'} in ${durationMs} ms` : faults[fault];
}

/** A test is no event, and is not made again. */
export function isTest({ type }: Pick<Delivery, 'type'>): boolean {
  return type === 'endpoint.test';
}

/** Which of the owner's events it was. */
export function numberOf({ eventId }: Pick<Delivery, 'eventId'>): number {
  return Number(/\d+$/.exec(eventId)?.[0]);
}

/** The attempts of each event together. They come newest first, and stay so. */
export function groupAttempts(attempts: readonly Delivery[]): readonly (readonly [Delivery, ...Delivery[]])[] {
  const groups = new Map<string, [Delivery, ...Delivery[]]>();
  for (const attempt of attempts) {
    const group = groups.get(attempt.eventId);
    if (group) group.push(attempt);
    else groups.set(attempt.eventId, [attempt]);
  }
  return [...groups.values()];
}

/** The events of which the newest attempt failed. */
export function listFailed({ deliveries, setAside }: Pick<DeliveryLog, 'deliveries' | 'setAside'>): readonly string[] {
  const newest = groupAttempts([...deliveries, ...setAside]).map(([attempt]) => attempt);
  return newest.filter((attempt) => attempt.outcome === 'FAILED' && !isTest(attempt)).map(({ eventId }) => eventId);
}

/** Whether a failed attempt is made again by itself, and when; `undefined` of what did not fail and of a test. */
export function tellNext(
  delivery: Delivery,
  { deliveredTo, nextAttemptAt }: Pick<DeliveryLog, 'deliveredTo' | 'nextAttemptAt'>,
): string | undefined {
  if (delivery.outcome === 'DELIVERED' || isTest(delivery)) return undefined;
  if (numberOf(delivery) <= deliveredTo) return 'no automatic retry';
  return nextAttemptAt === null ? 'being sent again' : `sent again ${showSecond(nextAttemptAt)}`;
}

/** How far an endpoint is: the status of a pill, and its words. */
export function nameProgress(
  { deliveries, setAside, deliveredTo, nextAttemptAt }: DeliveryLog,
  isOn: boolean,
): readonly [status: string, words: string] {
  if (!isOn) return ['failed', 'Switched off'];
  const events = deliveries.filter((delivery) => !isTest(delivery));
  // What is done with may have been sent once more, and is not tried again.
  const hasFailed = events.find((delivery) => numberOf(delivery) > deliveredTo)?.outcome === 'FAILED';
  if (hasFailed && nextAttemptAt !== null) return ['failed', `Failed, again at ${showTime(nextAttemptAt)}`];
  // An attempt that is being made has no time.
  if (hasFailed || nextAttemptAt !== null) return ['pending', 'On its way'];
  if (setAside.length > 0) return ['failed', `${setAside.length} not delivered`];
  return events.length > 0 ? ['completed', 'All delivered'] : ['pending', 'Nothing to deliver yet'];
}
