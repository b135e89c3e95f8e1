import { setTimeout as sleep } from 'node:timers/promises';
import type { Payout } from '../../src/custody/custody.ts';
import { readLookupAnswer, readSubmitAnswer } from '../../src/custody/read-answer.ts';
import { readHoldings } from '../../src/custody/read-holdings.ts';
import { isProvenUnpaid } from '../../src/custody/verify-refusal.ts';
import { CustodianClient, type Said } from './custodian-client.ts';

/** What the custodian is asked to pay: a small amount that it has, on a network for tests. */
export type Order = Omit<Payout, 'withdrawalId'>;

/** What a custodian is held to its contract with. */
export interface Trial {
  readonly client: CustodianClient;
  readonly order: Order;
  /** An amount that it has not, so that the payout must wait; absent when nothing is to be held. */
  readonly tooMuch?: string | undefined;
  readonly signerKey?: string | undefined;
  /** How much the address of the order has received in all; absent when nobody can say it. */
  readonly received?: (() => Promise<string>) | undefined;
  /** How long a payout may take, and how long to wait between two look-ups. */
  readonly patience_ms: number;
  readonly pause_ms: number;
}

/** A promise of docs/custody.md. Its check throws when the custodian breaks it, and returns what it saw. */
export interface Clause {
  readonly name: string;
  readonly check: (trial: Trial) => Promise<string>;
}

/** Thrown by a check that has nothing to check. */
export class NotAsked extends Error {}

function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(what);
}

const describe = ({ status, body }: Said) => `${status} ${JSON.stringify(body)}`;
const payoutOf = ({ order }: Trial, changes: Partial<Payout> = {}): Payout => ({
  withdrawalId: CustodianClient.newId(),
  ...order,
  ...changes,
});

function readState(said: Said, { network }: Order, how: 'PUT' | 'GET') {
  const read = how === 'PUT' ? readSubmitAnswer : readLookupAnswer;
  return read(said.status, JSON.stringify(said.body), network);
}

/** Looks a payout up until its state is one of these. Throws when it becomes another final one, or takes too long. */
async function untilState(trial: Trial, { withdrawalId }: Payout, kinds: readonly string[]) {
  const tries = Math.ceil(trial.patience_ms / trial.pause_ms);
  let last = '';
  for (let count = 0; count < tries; count += 1) {
    const said = await trial.client.lookUp(withdrawalId);
    const state = readState(said, trial.order, 'GET');
    if (kinds.includes(state.kind)) return { said, state };
    demand(!['sent', 'refused', 'never_seen', 'unknown'].includes(state.kind), `it became ${describe(said)}`);
    last = describe(said);
    await sleep(trial.pause_ms);
  }
  throw new Error(`it is still ${last}`);
}

async function expectUnseen({ client, order }: Trial, { withdrawalId }: Payout): Promise<void> {
  const said = await client.lookUp(withdrawalId);
  demand(readState(said, order, 'GET').kind === 'never_seen', `a look-up answered ${describe(said)}`);
}

async function expectTaken({ order }: Trial, said: Said): Promise<void> {
  const { kind } = readState(said, order, 'PUT');
  demand(['sent', 'accepted', 'held'].includes(kind), `a submission answered ${describe(said)}`);
}

const signatures: Clause = {
  name: 'Signature: a request that Bureau did not sign, or long ago, has no effect',
  check: async (trial) => {
    const { client } = trial;
    const payout = payoutOf(trial);
    const now_s = Math.floor(Date.now() / 1000);
    const wrongs = [
      { headers: { 'X-Bureau-Signature': `v1=${'0'.repeat(64)}` } },
      { headers: { 'X-Bureau-Signature': '' } },
      { headers: { 'X-Bureau-Key-Id': 'somebody-else' } },
      { timestamp_s: now_s - 400 },
      { timestamp_s: now_s + 400 },
    ];
    for (const wrong of wrongs) {
      for (const said of [await client.submit(payout, wrong), await client.lookUp(payout.withdrawalId, wrong)]) {
        demand(said.status === 401, `${JSON.stringify(wrong)}: it answered ${describe(said)}`);
      }
    }
    await expectUnseen(trial, payout);
    return `${wrongs.length} wrong requests were answered by 401`;
  },
};

const neverSeen: Clause = {
  name: 'Never seen: an unknown id is 404 with that body, however often it is asked for',
  check: async (trial) => {
    const payout = payoutOf(trial);
    for (let count = 0; count < 3; count += 1) await expectUnseen(trial, payout);
    return 'three look-ups';
  },
};

const notAPayout: Clause = {
  name: 'Submit: a body for another id, or none, is an error and is not taken',
  check: async (trial) => {
    const payout = payoutOf(trial);
    for (const body of [JSON.stringify(payoutOf(trial)), '{}', 'no JSON', '']) {
      const said = await trial.client.submit(payout, { body });
      demand(said.status >= 400 && said.status < 500 && said.status !== 409, `it answered ${describe(said)}`);
      demand(readState(said, trial.order, 'PUT').kind === 'unknown', `it answered ${describe(said)}`);
    }
    await expectUnseen(trial, payout);
    return 'four wrong bodies';
  },
};

const ownSignature: Clause = {
  name: 'The payout’s own signature: an order that another key signed is not taken',
  check: async (trial) => {
    const payout = payoutOf(trial);
    const said = await trial.client.submit(payout, { signingKey: '99'.repeat(32) });
    if (readState(said, trial.order, 'PUT').kind !== 'unknown') throw new NotAsked('this custodian does not check it');
    await expectUnseen(trial, payout);
    return `it answered ${said.status}`;
  },
};

const onceForEver: Clause = {
  name: 'Once for ever: ten submissions at once, and more afterwards, are one payout under one hash',
  check: async (trial) => {
    const payout = payoutOf(trial);
    const before = await trial.received?.();
    const first = await Promise.all(Array.from({ length: 10 }, () => trial.client.submit(payout)));
    for (const said of first) await expectTaken(trial, said);
    const other = await trial.client.submit({
      ...payout,
      amount: `${payout.amount}${payout.amount.includes('.') ? '' : '.'}1`,
    });
    demand(readState(other, trial.order, 'PUT').kind === 'unknown', `another amount for the id: ${describe(other)}`);
    const { said, state } = await untilState(trial, payout, ['sent']);
    demand(state.kind === 'sent', describe(said));
    for (let count = 0; count < 3; count += 1) {
      const again = readState(await trial.client.submit(payout), trial.order, 'PUT');
      demand(again.kind === 'sent' && again.txHash === state.txHash, `submitted again: ${JSON.stringify(again)}`);
    }
    if (before === undefined) return `sent as ${state.txHash}; nobody looked at the chain`;
    const paid = toUnits((await trial.received?.()) ?? '0') - toUnits(before);
    demand(
      paid === toUnits(payout.amount),
      `the address has received ${paid} units instead of ${toUnits(payout.amount)}`,
    );
    return `sent as ${state.txHash}, and the address has it once`;
  },
};

const lostAnswers: Clause = {
  name: 'Lost answers: a submission whose answer nobody hears is taken once, or not at all until it is sent again',
  check: async (trial) => {
    const payout = payoutOf(trial);
    const before = await trial.received?.();
    for (let count = 0; count < 3; count += 1) await trial.client.submitAndVanish(payout);
    await expectTaken(trial, await trial.client.submit(payout));
    await trial.client.submitAndVanish(payout);
    await untilState(trial, payout, ['sent']);
    if (before === undefined) return 'four lost answers; nobody looked at the chain';
    const paid = toUnits((await trial.received?.()) ?? '0') - toUnits(before);
    demand(paid === toUnits(payout.amount), `the address has received ${paid} units`);
    return 'four lost answers, and one payment';
  },
};

const held: Clause = {
  name: 'Held: what cannot be paid now is held or accepted, and never refused',
  check: async (trial) => {
    if (trial.tooMuch === undefined) throw new NotAsked('no amount is named that it has not');
    const payout = payoutOf(trial, { amount: trial.tooMuch });
    await expectTaken(trial, await trial.client.submit(payout));
    const tries = Math.ceil(Math.min(trial.patience_ms, 20_000) / trial.pause_ms);
    for (let count = 0; count < tries; count += 1) {
      const said = await trial.client.lookUp(payout.withdrawalId);
      const state = readState(said, trial.order, 'GET');
      demand(state.kind === 'held' || state.kind === 'accepted', `it became ${describe(said)}`);
      if (state.kind === 'held') return `held: ${state.reason}`;
      await sleep(trial.pause_ms);
    }
    return 'accepted, without a reason';
  },
};

const refusedWithProof: Clause = {
  name: 'Refused: what can never be paid is refused for ever, with the signer’s proof that nothing is signed for it',
  check: async (trial) => {
    const payout = payoutOf(trial, { address: 'nowhere' });
    await trial.client.submit(payout);
    const { said, state } = await untilState(trial, payout, ['refused']);
    demand(state.kind === 'refused', describe(said));
    const again = readState(await trial.client.submit(payout), trial.order, 'PUT');
    demand(again.kind === 'refused', `submitted again: ${JSON.stringify(again)}`);
    if (trial.signerKey === undefined) return 'refused; its signer’s key is not known';
    const isProven = await isProvenUnpaid(payout.withdrawalId, state.proof, trial.signerKey);
    demand(isProven, `its proof is not valid: ${JSON.stringify(state.proof)}`);
    return 'refused, with proof';
  },
};

const holdings: Clause = {
  name: 'Holdings: it says what it holds in the form that Bureau reads, or that it does not say it',
  check: async ({ client, order }) => {
    const said = await client.holdings();
    const read = readHoldings(said.status, said.text);
    demand(read !== undefined, `it answered ${said.status} ${said.text.slice(0, 200)}`);
    if (said.status === 404) return 'it does not say it';
    const network = read.find((one) => one.network === order.network);
    return network
      ? `${order.network} as of ${new Date(network.at_ms).toISOString()}`
      : `nothing of ${order.network} yet`;
  },
};

export const clauses: readonly Clause[] = [
  signatures,
  neverSeen,
  notAPayout,
  ownSignature,
  onceForEver,
  lostAnswers,
  held,
  refusedWithProof,
  holdings,
];

/** An amount with at most 18 decimals, in the smallest of them. */
function toUnits(amount: string): bigint {
  const [whole = '0', decimals = ''] = amount.split('.');
  return BigInt(whole + decimals.padEnd(18, '0'));
}
