import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(import.meta.dirname, '..', '..', '..');

/** A mistake: a text of a file, and its replacement. */
export interface Mistake {
  readonly file: string;
  readonly from: RegExp;
  readonly to: string;
}

/** Makes a copy of the custodian's code with mistakes in it. Returns the folder of its source. */
export function mutateCustodian(mistakes: readonly Mistake[]): string {
  const shelf = join(PROJECT, '.wrangler', 'custodian-mutations');
  mkdirSync(shelf, { recursive: true });
  const folder = mkdtempSync(join(shelf, 'copy-'));
  cpSync(join(PROJECT, 'src'), join(folder, 'src'), { recursive: true });
  cpSync(join(PROJECT, 'custodian', 'src'), join(folder, 'custodian', 'src'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  for (const { file, from, to } of mistakes) {
    const path = join(folder, 'custodian', 'src', file);
    const text = readFileSync(path, 'utf8');
    if (!from.test(text)) throw new Error(`${file} has nothing that this mistake applies to`);
    writeFileSync(path, text.replace(from, to));
  }
  return join(folder, 'custodian', 'src');
}

/** The wrong order of the steps: send first, then store what was sent. */
export const sendBeforeWriting: Mistake = {
  file: 'payer/advance-spends.ts',
  from: /async function startSpend[\s\S]*?\n}\n/,
  to: `async function startSpend(tools: SpendTools, queued: Spend, height: number): Promise<void> {
  const plan = await tools.payer.plan(queued);
  if (plan.kind !== 'plan') return;
  const answer = await tools.askSigner(tools.payer.request(queued, plan.plan));
  if (answer.kind !== 'signed') return tools.log('signer_refused', { id: queued.id });
  await broadcast(tools, queued, answer);
  tools.database.transact(() => {
    reserveFence(tools.database, queued, plan.fence, plan.plan);
    tools.payer.reserve(queued, plan.plan);
    storeVersion(tools.database, queued, answer, plan.plan, tools.payer.feeOf(plan.plan), height);
    tools.payer.noteStored(queued, plan.plan, answer);
  });
}
`,
};

/** A signer that forgets with which fence it signed a payout. */
export const signerForgetsAnchors: Mistake = {
  file: 'signer/signature-log.ts',
  from: /if \(earlier && !isVersion\) \{/,
  to: 'if (false) {',
};

/** A custodian that does not ask whether the chain knows a payment of ours that its database does not. */
export const chainIsNotCompared: readonly Mistake[] = [
  { file: 'service.ts', from: /const older = await payer\.findOlder\(\);/, to: 'const older = undefined;' },
  {
    file: 'evm/evm-payer.ts',
    from: /const older = spend\.purpose === 'sweep' \? undefined : findOlderNonce\(.*\);/,
    to: 'const older = undefined;',
  },
  { file: 'nodes/follow.ts', from: /if \(other && isAdopted\(database, network\)\)/, to: 'if (false)' },
];

/** Gives a version up when its expiration is two minutes past by the clock, whatever the chain shows. */
export const deathByClock: Mistake = {
  file: 'store/chain-state.ts',
  from: /OR dies_at < \(SELECT clock[\s\S]*?b\.parent_height\)\)\)`/,
  to: 'OR dies_at + 120000 < unixepoch() * 1000)`',
};

/** Believes what a token's `transfer` returned, and not its logs. */
export const returnValueIsBelieved: readonly Mistake[] = [
  {
    file: 'tron/tron-node.ts',
    from: /blockNumber: z\.number\(\),/,
    to: 'blockNumber: z.number(), contractResult: z.array(z.string()).default([]),',
  },
  {
    file: 'tron/tron-node.ts',
    from: /const \{ id, fee, blockNumber, receipt, result, log \} = Info\.parse\(json\);/,
    to: `const { id, fee, blockNumber, receipt, result, log, contractResult } = Info.parse(json);
  if (/^0{64}$/.test(contractResult[0] ?? '')) receipt.result = 'OUT_OF_TIME';`,
  },
  {
    file: 'tron/tron-chain.ts',
    from: /if \(\(info\.result === 'SUCCESS'\) !==/,
    to: 'if (false && (info.result === "SUCCESS") !==',
  },
  {
    file: 'store/spends.ts',
    from: /if \(purpose !== 'payout' \|\| contract === null\) return true;/,
    to: 'return true;',
  },
];
