import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import type { Mutation } from './mutations/mutation.ts';
import { mutations } from './mutations/rooms.ts';
import { type Verdict, MutatedCopy } from './mutations/mutated-copy.ts';

/**
 * Checks that the tests notice mistakes. It makes each mutation in a copy of the project, runs the tests that belong to
 * it, and expects one to fail. It fails when a mutation survives, breaks the code, or no longer applies.
 *
 *     npm run mutate [-- <room or part of a name>...]
 */

const AT_ONCE = 2;

const { positionals: wanted } = parseArgs({ allowPositionals: true });
const rooms = new Set(mutations.map(({ room }) => room));
const isWanted = ({ room, name }: Mutation) =>
  wanted.some((word) => (rooms.has(word) ? room === word : name.includes(word)));
const chosen = wanted.length === 0 ? mutations : mutations.filter(isWanted);

/** Takes mutations from the queue and tries them in its own copy until the queue is empty. */
async function judgeAll(
  copy: MutatedCopy,
  queue: Mutation[],
  tell: (mutation: Mutation, verdict: Verdict) => void,
): Promise<void> {
  for (let mutation = queue.shift(); mutation; mutation = queue.shift()) {
    tell(mutation, await copy.judge(mutation));
  }
}

async function expectPassingTests(copy: MutatedCopy): Promise<void> {
  const files = new Set(chosen.flatMap(({ tests }) => tests));
  const verdict = await copy.runTests([...files]);
  if (verdict.kind === 'survived') return;
  throw new Error(`the tests fail without any mistake: ${JSON.stringify(verdict)}`);
}

async function mutate(copies: readonly MutatedCopy[]): Promise<void> {
  const [first] = copies;
  if (!first || chosen.length === 0) throw new Error(`there is no mutation "${wanted.join(' ')}"`);
  await expectPassingTests(first);
  const verdicts = new Map<Mutation, Verdict>();
  const queue = [...chosen];
  const tell = (mutation: Mutation, verdict: Verdict) => {
    verdicts.set(mutation, verdict);
    const found = verdict.kind === 'killed' ? `${verdict.by}: ${verdict.test}` : '';
    console.log(`${verdict.kind.padEnd(8)}  ${mutation.room}: ${mutation.name}  ${found}`);
    if (verdict.kind === 'broken') console.log(verdict.output);
  };
  await Promise.all(copies.map((copy) => judgeAll(copy, queue, tell)));

  const killed = chosen.filter((mutation) => verdicts.get(mutation)?.kind === 'killed');
  console.log(`\n${killed.length} of ${chosen.length} noticed`);
  if (killed.length < chosen.length) process.exitCode = 1;
}

setPriority(10);
const copies = Array.from({ length: AT_ONCE }, () => new MutatedCopy());
const close = () => copies.forEach((copy) => copy.close());
process.once('SIGINT', () => {
  close();
  process.exit(130);
});
try {
  await mutate(copies);
} finally {
  close();
}
