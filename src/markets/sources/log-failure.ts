import { logFault } from '../../http/log.ts';
import { SourceError } from './source-error.ts';

/** Tells the operator why a source's answer was not used, in our own words: never with text that a venue sent. */
export function logSourceFailure(event: string, source: string, error: unknown): void {
  logFault(event, { source, reason: describeFailure(error) });
}

function describeFailure(error: unknown): string {
  if (error instanceof SourceError) return error.message;
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'did not answer in time';
  return `failed unexpectedly: ${error instanceof Error ? error.name : typeof error}`;
}
