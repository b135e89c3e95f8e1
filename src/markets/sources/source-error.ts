/** How a venue failed, which decides when it is asked again. */
export type SourceFault =
  /** It could not be reached, was too slow, failed, or sent something that is not an answer. */
  | 'unavailable'
  /** It works, but refuses this question. */
  | 'question_refused'
  /** It was asked too often. */
  | 'rate_limited'
  /** A firewall in front of it refuses the address, which other Workers may share; the country may be allowed. */
  | 'address_blocked'
  /** It refuses callers from the country where the object runs. */
  | 'geo_blocked';

interface SourceErrorOptions {
  readonly fault?: SourceFault | undefined;
  readonly retryAfter_ms?: number | undefined;
  readonly cause?: unknown;
}

/**
 * A venue did not answer, refused, or sent something that cannot be trusted. The message is only for the operator's
 * log.
 */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly fault: SourceFault;
  /** How long the venue asked us to wait, if it did. */
  readonly retryAfter_ms: number | undefined;

  constructor(message: string, { fault, retryAfter_ms, cause }: SourceErrorOptions = {}) {
    super(message, { cause });
    this.fault = fault ?? 'unavailable';
    this.retryAfter_ms = retryAfter_ms;
  }
}
