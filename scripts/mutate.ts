import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import type { PlacedMutation } from './mutations/mutation.ts';
import { type Killed, recordVerdicts } from './mutations/record-verdicts.ts';
import { mutations } from './mutations/rooms.ts';
import { type Verdict, Workshop } from './mutations/workshop.ts';

/**
 * Asks whether the tests notice mistakes: makes each of the mutations in a copy of the project, runs the tests of its
 * room, and expects one to fail. Fails where a mistake survives, breaks the code, or no longer applies.
 *
 *     npm run mutate [-- [--record] [<room or part of a name>]]
 */

const AT_ONCE = 2;

const { values, positionals } = parseArgs({ options: { record: { type: 'boolean' } }, allowPositionals: true });
const [wanted] = positionals;
const isRoom = mutations.some(({ room }) => room === wanted);
const chosen = mutations.filter(({ room, name }) => !wanted || (isRoom ? room === wanted : name.includes(wanted)));

/** Judges the mutations of a queue, in a workshop of its own, until the queue is empty. */
async function judgeAll(
  workshop: Workshop,
  queue: PlacedMutation[],
  tell: (mutation: PlacedMutation, verdict: Verdict) => void,
): Promise<void> {
  for (let mutation = queue.shift(); mutation; mutation = queue.shift()) {
    tell(mutation, await workshop.judge(mutation));
  }
}

/** Without a mistake no test may fail, or each mutation would seem to be noticed. */
async function expectWholeNet(workshop: Workshop): Promise<void> {
  const files = new Set(chosen.flatMap(({ tests }) => tests));
  const verdict = await workshop.runTests([...files]);
  if (verdict.kind === 'survived') return;
  throw new Error(`the tests fail without any mistake: ${JSON.stringify(verdict)}`);
}

async function mutate(workshops: readonly Workshop[]): Promise<void> {
  const [first] = workshops;
  if (!first || chosen.length === 0) throw new Error(`there is no mutation "${wanted}"`);
  if (values.record && wanted) throw new Error('what is recorded is all of them');
  await expectWholeNet(first);
  const verdicts = new Map<PlacedMutation, Verdict>();
  const queue = [...chosen];
  const tell = (mutation: PlacedMutation, verdict: Verdict) => {
    verdicts.set(mutation, verdict);
    const found = verdict.kind === 'killed' ? `${verdict.by}: ${verdict.test}` : '';
    console.log(`${verdict.kind.padEnd(8)}  ${mutation.room}: ${mutation.name}  ${found}`);
    if (verdict.kind === 'broken') console.log(verdict.output);
  };
  await Promise.all(workshops.map((workshop) => judgeAll(workshop, queue, tell)));

  const killed = chosen.flatMap((mutation): Killed[] => {
    const verdict = verdicts.get(mutation);
    return verdict?.kind === 'killed' ? [{ mutation, by: verdict.by }] : [];
  });
  console.log(`\n${killed.length} of ${chosen.length} noticed`);
  if (values.record) recordVerdicts(killed, chosen.length);
  if (killed.length < chosen.length) process.exitCode = 1;
}

setPriority(10);
const workshops = Array.from({ length: AT_ONCE }, () => new Workshop());
const close = () => workshops.forEach((workshop) => workshop.close());
process.once('SIGINT', () => {
  close();
  process.exit(130);
});
try {
  await mutate(workshops);
} finally {
  close();
}
