import { spawn } from 'node:child_process';

export interface VitestRun<Figures> {
  readonly passed: boolean;
  /** What the test printed as `figures {…}`; absent when it came to none. */
  readonly figures: Figures | undefined;
  readonly lines: readonly string[];
}

/** Runs tests of the sandbox with variables of the environment that make them longer. */
export async function runVitest<Figures>(
  tests: string,
  variables: Readonly<Record<string, string>>,
): Promise<VitestRun<Figures>> {
  const words = ['run', '--project', 'sandbox', '--silent=false', '--no-color', tests];
  const vitest = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', ...words], {
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [vitest.stdout, vitest.stderr]) stream.on('data', (part) => (output += String(part)));
  const code = await new Promise((resolve) => vitest.once('close', resolve));
  const lines = output.split('\n');
  const line = lines.find((one) => one.includes('figures {'));
  const figures = line === undefined ? undefined : (JSON.parse(line.slice(line.indexOf('{'))) as Figures);
  return { passed: code === 0, figures, lines };
}
