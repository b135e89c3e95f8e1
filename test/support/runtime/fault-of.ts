import { SourceError } from '../../../src/markets/sources/source-error.ts';

/** The fault that a parser finds in a whole answer, or its result when it accepts the answer. */
export function faultOf(parse: () => unknown): unknown {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SourceError) return error.fault;
    throw error;
  }
}
