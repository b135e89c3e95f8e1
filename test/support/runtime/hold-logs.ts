import { beforeEach, inject } from 'vitest';

/** What the tests that run have logged. Each call prints a line. */
let lines: (() => void)[] = [];
let running = 0;

// This module is loaded once in a runtime, so the console of vitest is wrapped once.
if (inject('printedLogs') === 'of failed tests') {
  for (const method of ['debug', 'log', 'info', 'warn', 'error'] as const) {
    const print = console[method];
    console[method] = (...values: unknown[]) => {
      if (running === 0) print(...values);
      else lines.push(() => print(...values));
    };
  }
}

/**
 * Holds what the tests of a file log, and prints the lines of those that fail. Every request writes a line, and vitest
 * would send each line out of the runtime by a call of its own, only to drop it when the test has passed. A file calls
 * it once, as it begins.
 */
export function holdLogs(): void {
  lines = [];
  running = 0;
  beforeEach(({ task, onTestFinished }) => {
    running += 1;
    onTestFinished(() => {
      running -= 1;
      const held = lines;
      // Of tests beside each other, nobody knows which logged a line.
      if (running === 0 || task.result?.state === 'fail') lines = [];
      if (task.result?.state === 'fail') for (const print of held) print();
    });
  });
}
