import { spawn } from 'node:child_process';
import { type LocalExchange, expectThat } from './local-exchange.ts';

/** What a reader puts in the place of a walk's dots, by the names of its variables. */
export type WalkValues = Readonly<Record<string, string>>;

/** What a reader must see of a walk, and how often. */
export type Sight = readonly [what: string, pattern: RegExp, times?: number];

/** The values of the demo account, as `npm start` printed them. */
export function valuesOfDemo(exchange: LocalExchange) {
  return {
    KEY: exchange.valueOf('api key'),
    OPERATOR: exchange.valueOf('operator token'),
    ACCOUNT: exchange.valueOf('demo account'),
    URL: exchange.origin,
  } satisfies WalkValues;
}

/** Runs lines in a shell, as a reader would paste them, and gives what they print. Rejects when one of them fails. */
export function runShell(script: string, directory = '.'): Promise<string> {
  return new Promise((resolve, reject) => {
    const shell = spawn('bash', ['-euc', script], { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    shell.stdout.on('data', (part) => (output += String(part)));
    shell.on('exit', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`${script}\nended with ${code}:\n${output}`)),
    );
  });
}

/** The lines of a document's `sh` blocks. Blocks of other languages, `console` among them, are there to be read. */
export function readWalk(markdown: string): string {
  const blocks = markdown.split(/^```sh\n/m).slice(1);
  return blocks.map((block) => block.split(/^```/m)[0]).join('\n');
}

/** Runs a document's walk as it stands there, with `values` in the place of its own, and gives what it prints. */
export function runWalk(markdown: string, values: WalkValues, directory?: string): Promise<string> {
  const own = new RegExp(`^(export )?(${Object.keys(values).join('|')})=`);
  const lines = readWalk(markdown)
    .split('\n')
    .filter((line) => !own.test(line));
  if (lines.every((line) => line.trim() === '')) throw new Error('the document has no walk');
  const assignments = Object.entries(values).map(([name, value]) => `export ${name}=${value}`);
  return runShell([...assignments, ...lines].join('\n'), directory);
}

/** Looks for what a walk promises in what it printed. */
export function expectSights(walk: string, output: string, sights: readonly Sight[]): void {
  for (const [what, pattern, times] of sights) {
    const seen = output.match(pattern) ?? [];
    const isThere = times === undefined ? seen.length > 0 : seen.length === times;
    if (!isThere) console.error(output);
    expectThat(isThere, `${walk} shows ${what}`);
  }
}
