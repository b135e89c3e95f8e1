/** How the runtime begins to tell of an exception, which a test has caused or expects, and of its stack. */
const NOISE = /^(uncaught exception; |stack: |e = |kj\/|workerd\/)/;

/**
 * Holds what the runtimes print beside the tests, and prints it when the run has failed. Tests abort objects, break
 * connections and have the Worker throw; the runtime tells of each, which says nothing in a run that passes.
 */
export function holdRuntimeNoise(): void {
  const held: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    const write = stream.write.bind(stream) as (...values: unknown[]) => boolean;
    stream.write = (chunk: unknown, ...others: unknown[]) => {
      if (typeof chunk !== 'string' || !NOISE.test(chunk)) return write(chunk, ...others);
      held.push(chunk);
      return true;
    };
  }
  process.once('exit', (code) => {
    if (code !== 0) process.stdout.write(`The runtimes printed:\n${held.join('')}`);
  });
}
