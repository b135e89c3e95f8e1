/** How the runtime begins to tell of an exception, which a test has caused or expects, and of its stack. */
const NOISE = /^(uncaught exception; |stack: |e = |kj\/|workerd\/)/;

/**
 * Holds what the runtimes print beside the tests, and prints it when the run has failed, each text once. Tests abort
 * objects, break connections and have the Worker throw; the runtime tells of each, which says nothing in a run that
 * passes, and would hide the name of a failed test by its length.
 */
export function holdRuntimeNoise(): void {
  const held = new Map<string, number>();
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...values: unknown[]) => boolean;
    stream.write = (chunk: unknown, ...others: unknown[]) => {
      if (typeof chunk !== 'string' || !NOISE.test(chunk)) return write(chunk, ...others);
      held.set(chunk, (held.get(chunk) ?? 0) + 1);
      return true;
    };
  }
  process.once('exit', (code) => {
    if (code === 0) return;
    const texts = [...held].map(([text, times]) => `${times} times: ${text}`);
    process.stdout.write(`The runtimes printed:\n${texts.join('')}`);
  });
}
