import { spawn } from 'node:child_process';
import { type LocalExchange, expectThat } from './local-exchange.ts';

/** The values that a reader puts into a document's examples, by the names of their variables. */
export type ExampleValues = Readonly<Record<string, string>>;

/** What the output of a document's examples must show, and how often. */
export type Expectation = readonly [what: string, pattern: RegExp, times?: number];

/** Reads the values of the demo account that `npm start` printed. */
export function readDemoValues(exchange: LocalExchange) {
  return {
    KEY: exchange.valueOf('api key'),
    OPERATOR: exchange.valueOf('operator token'),
    ACCOUNT: exchange.valueOf('demo account'),
    ADMIN: /^signed in as \S+: (.+)$/m.exec(exchange.greeting)?.[1] ?? '',
    URL: exchange.origin,
    CONSOLE: exchange.consoleOrigin,
    PORT: new URL(exchange.origin).port,
    CONSOLE_PORT: new URL(exchange.consoleOrigin).port,
    BUREAU_STORAGE: exchange.storage,
  } satisfies ExampleValues;
}

/** Runs lines in a shell and returns their output. Rejects when one of them fails. */
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

function readBlocks(markdown: string, language: string): string[] {
  const [, ...blocks] = markdown.split(new RegExp(`^\`\`\`${language}\\n`, 'm'));
  return blocks.map((block) => block.split(/^```/m)[0] ?? '');
}

/** Returns the blocks of one language of a document, put together. Others, such as `console`, are not run. */
export function readExamples(markdown: string, language: 'sh' | 'ts' | 'python' = 'sh'): string {
  return readBlocks(markdown, language).join('\n');
}

/** The names of what a document says that a command prints, such as "api key". */
export function readPrintedNames(markdown: string): string[] {
  const lines = readBlocks(markdown, 'console output').join('\n').split('\n');
  return lines.flatMap((line) => /^([^:]+): /.exec(line)?.[1] ?? []);
}

/** What the output must show of the answers that a document prints: their members and types, with whatever values. */
export function expectAnswers(markdown: string): Expectation[] {
  return readBlocks(markdown, 'json answer').map((answer) => {
    const exact = JSON.stringify(JSON.parse(answer)).replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    const pattern = exact.replaceAll(/:"[^"]*"/g, ':"[^"]*"').replaceAll(/:-?\d[\d\\.]*/g, String.raw`:-?\d[\d.]*`);
    return ['an answer with the members that it prints', new RegExp(pattern)];
  });
}

/** Runs the `sh` blocks of a document with `values` in place of its own, and returns their output. */
export function runExamples(markdown: string, values: ExampleValues, directory?: string): Promise<string> {
  const own = new RegExp(`^(export )?(${Object.keys(values).join('|')})=`);
  const lines = readExamples(markdown)
    .split('\n')
    .filter((line) => !own.test(line));
  if (lines.every((line) => line.trim() === '')) throw new Error('the document has no examples');
  const assignments = Object.entries(values).map(([name, value]) => `export ${name}=${value}`);
  return runShell([...assignments, ...lines].join('\n'), directory);
}

/** Fails when the output of a document's examples lacks something that is expected of it. */
export function expectOutput(document: string, output: string, expected: readonly Expectation[]): void {
  for (const [what, pattern, times] of expected) {
    const seen = output.match(pattern) ?? [];
    const isThere = times === undefined ? seen.length > 0 : seen.length === times;
    if (!isThere) console.error(output);
    expectThat(isThere, `${document} shows ${what}`);
  }
}
