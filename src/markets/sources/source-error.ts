/** A venue did not answer, refused, or said what cannot be trusted. The message is for the operator's log alone. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
}
