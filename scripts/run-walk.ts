import { spawn } from 'node:child_process';
import type { LocalExchange } from './local-exchange.ts';

/** What a reader puts in the place of a walk's dots. */
export interface WalkValues {
  readonly KEY: string;
  readonly OPERATOR: string;
  readonly ACCOUNT: string;
  readonly URL: string;
}

/** The values of the demo account, as `npm start` printed them. */
export function valuesOfDemo(exchange: LocalExchange): WalkValues {
  return {
    KEY: exchange.valueOf('api key'),
    OPERATOR: exchange.valueOf('operator token'),
    ACCOUNT: exchange.valueOf('demo account'),
    URL: exchange.origin,
  };
}

/** Runs lines in a shell, as a reader would paste them, and gives what they print. Rejects when one of them fails. */
export function runShell(script: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const shell = spawn('bash', ['-euc', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    shell.stdout.on('data', (part) => (output += String(part)));
    shell.on('exit', (code) => (code === 0 ? resolve(output) : reject(new Error(`${script}\nended with ${code}`))));
  });
}

/** The lines of a document's `sh` blocks. Blocks of other languages, `console` among them, are there to be read. */
export function readWalk(markdown: string): string {
  const blocks = markdown.split(/^```sh\n/m).slice(1);
  return blocks.map((block) => block.split(/^```/m)[0]).join('\n');
}

/** Runs a document's walk as it stands there, with `values` in the place of its own, and gives what it prints. */
export function runWalk(markdown: string, values: WalkValues): Promise<string> {
  const assignments = Object.entries(values).map(([name, value]) => `${name}=${value}`);
  const lines = readWalk(markdown)
    .split('\n')
    .filter((line) => !/^(KEY|OPERATOR|ACCOUNT|URL)=/.test(line));
  if (lines.every((line) => line.trim() === '')) throw new Error('the document has no walk');
  return runShell([...assignments, ...lines].join('\n'));
}
