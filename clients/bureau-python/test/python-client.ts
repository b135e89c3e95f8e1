import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import {
  ClientFault,
  type ClientLanguage,
  type DrivenClient,
  type DrivenSettings,
  type FaultDetails,
  type ScriptResult,
} from '../../../test/support/clients/driven-client.ts';

const DRIVER = 'clients/bureau-python/test/drive.py';
export const SOURCE = 'clients/bureau-python/src';

/** The Python to test with, the distribution's unless told. */
export const PYTHON = process.env['PYTHON'] ?? '/usr/bin/python3';

type Reply = { readonly value: unknown } | { readonly fault: FaultDetails };

/** Asks a Python process one question a line, one after the other. */
class PythonDriver {
  readonly #process: ChildProcessByStdio<Writable, Readable, null>;
  readonly #replies: AsyncIterator<string>;
  #last: Promise<unknown> = Promise.resolve();

  constructor() {
    const env = { ...process.env, PYTHONPATH: SOURCE, PYTHONDONTWRITEBYTECODE: '1' };
    this.#process = spawn(PYTHON, ['-W', 'error', DRIVER], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    this.#replies = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  ask(question: object): Promise<Reply> {
    const reply = this.#last.then(async () => {
      this.#process.stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await this.#replies.next();
      if (done) throw new Error(`${PYTHON} ended: what it says is above`);
      return JSON.parse(value) as Reply;
    });
    this.#last = reply.catch(() => undefined);
    return reply;
  }

  async value(question: object): Promise<unknown> {
    const reply = await this.ask(question);
    if ('fault' in reply) throw new ClientFault(reply.fault);
    return reply.value;
  }

  async end(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const ended = once(this.#process, 'exit');
    this.#process.stdin.end();
    await ended;
  }
}

/** The Python client, in a process of its own. */
export function openPython(): ClientLanguage {
  const driver = new PythonDriver();
  const connect = (settings: DrivenSettings): DrivenClient => ({
    call: (call) => driver.value({ settings, call }),
    walk: async (list, walk) => (await driver.value({ settings, walk: { list, ...walk } })) as unknown[],
  });
  return {
    name: 'bureau-python',
    connect,
    play: async (play) => (await driver.value({ play })) as ScriptResult,
    listOperations: async () => (await driver.value({ operations: true })) as string[],
    close: () => driver.end(),
  };
}
