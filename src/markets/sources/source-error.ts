/** How a venue failed, as far as it matters to when it is asked again. */
export type SourceFault =
  /** It could not be reached, was too slow, failed by itself, or what it said is not an answer. */
  | 'unavailable'
  /** It answers, but not this question: the fault lies with what was asked for. */
  | 'question_refused'
  /** It was asked too often. */
  | 'rate_limited'
  /** It serves no callers from where Bureau asks. */
  | 'geo_blocked';

interface SourceErrorOptions {
  readonly fault?: SourceFault | undefined;
  readonly retryAfter_ms?: number | undefined;
  readonly cause?: unknown;
}

/** A venue did not answer, refused, or said what cannot be trusted. The message is for the operator's log alone. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly fault: SourceFault;
  /** For how long the venue asked to be left alone, where it did. */
  readonly retryAfter_ms: number | undefined;

  constructor(message: string, { fault, retryAfter_ms, cause }: SourceErrorOptions = {}) {
    super(message, { cause });
    this.fault = fault ?? 'unavailable';
    this.retryAfter_ms = retryAfter_ms;
  }
}
