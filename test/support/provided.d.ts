/** Whose logs are printed: those of failed tests alone, or everything as it is logged. */
export type PrintedLogs = 'of failed tests' | 'all';

declare module 'vitest' {
  /** What a run tells its test files in workerd. */
  interface ProvidedContext {
    readonly printedLogs: PrintedLogs;
  }
}
