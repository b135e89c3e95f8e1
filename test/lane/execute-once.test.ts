import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { answerJson, type Outcome, accept, overloaded, refuse } from '../../src/http/answer.ts';
import { accountFrozen } from '../../src/keys/record.ts';
import {
  type Attempt,
  type Execution,
  type LookUp,
  executeOnce,
  type IdempotentRequest,
  type Replay,
  Replays,
} from '../../src/lane/once.ts';
import { LateWrites } from '../../src/platform/turns.ts';
import { env } from '../support/runtime/test-env.ts';

const NOON_MS = Date.UTC(2026, 10, 21, 12);
const FIRST: IdempotentRequest = { idempotencyKey: 'k', operation: 'placeOrder', fingerprint: 'print' };

/** How an attempt ends. In this test a record's row is its id. */
type End = Exclude<Attempt<string>, { kind: 'committed' }> | { readonly kind: 'committed' };

const committed: End = { kind: 'committed' };
const lost: End = { kind: 'unknown' };
const turnedAway: End = { kind: 'refused', refusal: overloaded };
const tooPoor: End = { kind: 'refused', refusal: refuse('insufficient_balance', 'no') };
const halted: End = { kind: 'refused', refusal: refuse('trading_halted', 'no') };

/** The results of one request's steps, in order. A step that is not in the script fails the test. */
interface Script {
  readonly isFrozen?: boolean;
  readonly plan?: Outcome<string>;
  readonly commits?: readonly End[];
  readonly looks?: readonly LookUp<string>['kind'][];
  /** Whether the record may change after its commit, as a withdrawal that waits for review does. */
  readonly changes?: boolean;
}

type Step = { readonly step: string; readonly recordId?: string; readonly stood?: Replay | undefined };

interface Lane {
  send(
    script: Script,
    request?: IdempotentRequest | null,
    at_ms?: number,
  ): Promise<{ status: number; code: unknown; body: string; headers: object; replayed: boolean; steps: Step[] }>;
  stands(): Replay | undefined;
  /** What an object that restarts now would find. */
  standsAnew(idempotencyKey: string): Replay | undefined;
}

const answerOf = (recordId: string) =>
  answerJson(201, { id: recordId, note: 'ż😀' }, { Location: `/orders/${recordId}` });

/** Runs a test inside a fresh object, with the object's replays. Every request has its own request id. */
function inLane(use: (lane: Lane) => Promise<void>): Promise<void> {
  return runInDurableObject(env.KEY_LANE.getByName(crypto.randomUUID()), (_, state) => {
    const replays = new Replays(state.storage.sql, new LateWrites());
    const stands = () => replays.find('k', NOON_MS);
    return use({
      stands,
      standsAnew: (key) => new Replays(state.storage.sql, new LateWrites()).find(key, NOON_MS),
      send: async (script, request = FIRST, at_ms = NOON_MS) => {
        const steps: Step[] = [];
        const commits = [...(script.commits ?? [])];
        const looks = [...(script.looks ?? [])];
        const next = <T>(rest: T[], step: string): T => {
          const value = rest.shift();
          if (value === undefined) throw new Error(`unexpected ${step}`);
          return value;
        };
        const execution: Execution<string, string> = {
          plan: async () => {
            steps.push({ step: 'plan' });
            return script.plan ?? accept('plan');
          },
          commit: async (recordId) => {
            steps.push({ step: 'commit', recordId, stood: stands() });
            const end = next(commits, 'commit');
            return end.kind === 'committed' ? { ...end, row: recordId } : end;
          },
          answer: answerOf,
          ...(script.changes && { finish: { isOpen: () => false, run: (row) => Promise.resolve(row) } }),
          lookUp: async (recordId) => {
            steps.push({ step: 'look', recordId });
            const kind = next(looks, 'look');
            return kind === 'found' ? { kind, row: recordId } : { kind };
          },
          describeUnknown: (recordId) => refuse('outcome_unknown', 'open', { members: { orderId: recordId } }),
        };
        const facts = { requestId: crypto.randomUUID(), url: 'https://bureau.test/orders', path: '/orders' };
        const sync = async () => {
          steps.push({ step: 'sync' });
          await state.storage.sync();
        };
        const mayAct = () => (script.isFrozen ? accountFrozen : accept(null));
        const lane = { ledger: 0, admitted_ms: at_ms, now: () => at_ms, mayAct, sync };
        const { answer, replayed } = await executeOnce(execution, request, replays, facts, lane);
        expect([commits, looks]).toEqual([[], []]);
        const { code } = JSON.parse(answer.body) as { code?: unknown };
        return { status: answer.status, code, body: answer.body, headers: answer.headers, replayed, steps };
      },
    });
  });
}

const itInLane = (title: string, use: (lane: Lane) => Promise<void>) => it(title, () => inLane(use));

const named = (steps: readonly Step[]) => steps.map(({ step }) => step);

describe('a frozen account', () => {
  itInLane('is refused a new effect before anything is planned, and nothing is stored', async (lane) => {
    const refused = await lane.send({ isFrozen: true });
    expect([refused.status, refused.code, refused.steps]).toEqual([403, 'account_frozen', []]);
    expect(lane.stands()).toBeUndefined();
    expect((await lane.send({ commits: [committed] })).status).toBe(201);
  });

  itInLane('is given an answer that it was given before', async (lane) => {
    const first = await lane.send({ commits: [committed] });
    expect(await lane.send({ isFrozen: true })).toMatchObject({ status: 201, body: first.body, replayed: true });
  });

  itInLane(
    'is given the answer of a lost request, and is refused a request of which nothing is known',
    async (lane) => {
      await lane.send({ commits: [lost], looks: ['unknown'] });
      expect(await lane.send({ isFrozen: true, looks: ['found'] })).toMatchObject({ status: 201, replayed: true });
    },
  );
});

describe('a request that goes well', () => {
  itInLane(
    'is planned, has its intent stored, is committed, and has its answer stored, in this order',
    async (lane) => {
      const done = await lane.send({ commits: [committed] });
      expect(named(done.steps)).toEqual(['plan', 'sync', 'commit']);
      expect(done).toMatchObject({ status: 201, replayed: false });
      // When the batch was sent, the intent was stored, with the id of the record that the batch makes.
      const commit = done.steps.at(-1);
      expect(commit?.stood).toMatchObject({ fingerprint: 'print', recordId: commit?.recordId, answer: null });
      expect(lane.stands()?.answer?.body).toBe(done.body);
    },
  );

  itInLane('has its answer stored late when its record never changes, and at once when it may change', async (lane) => {
    await lane.send({ commits: [committed] });
    expect(lane.standsAnew('k')?.answer).toBeNull();
    await lane.send({ commits: [committed], changes: true }, { ...FIRST, idempotencyKey: 'changes' });
    expect(lane.standsAnew('changes')?.answer).not.toBeNull();
  });

  itInLane('gets the same answer again, byte for byte, without any step', async (lane) => {
    const { status, body, headers } = await lane.send({ commits: [committed] });
    const again = await lane.send({});
    expect(again).toEqual({ status, code: undefined, body, headers, replayed: true, steps: [] });
  });

  itInLane('stores nothing and is executed each time when it has no Idempotency-Key', async (lane) => {
    const one = await lane.send({ commits: [committed] }, null);
    const other = await lane.send({ commits: [committed] }, null);
    expect([named(one.steps), named(other.steps)]).toEqual([
      ['plan', 'sync', 'commit'],
      ['plan', 'sync', 'commit'],
    ]);
    expect(other.body).not.toBe(one.body);
    expect(lane.stands()).toBeUndefined();
  });
});

describe('an Idempotency-Key that is used for another request', () => {
  itInLane('is refused without any step, and keeps its first answer', async (lane) => {
    const first = await lane.send({ commits: [committed] });
    const other = await lane.send({}, { ...FIRST, fingerprint: 'other' });
    expect(other).toMatchObject({ status: 422, code: 'idempotency_key_reused', replayed: false, steps: [] });
    expect((await lane.send({})).body).toBe(first.body);
  });

  itInLane('is refused as well while the first request’s outcome is open', async (lane) => {
    await lane.send({ commits: [lost], looks: ['unknown'] });
    const other = await lane.send({}, { ...FIRST, fingerprint: 'other' });
    expect(other).toMatchObject({ status: 422, code: 'idempotency_key_reused', steps: [] });
  });
});

describe('a refusal', () => {
  itInLane('about money before the commit is stored without an intent, and remains the answer', async (lane) => {
    const first = await lane.send({ plan: refuse('amount_below_minimum', 'too small') });
    expect(named(first.steps)).toEqual(['plan']);
    const again = await lane.send({});
    expect(again).toMatchObject({ status: 422, body: first.body, replayed: true, steps: [] });
  });

  itInLane('about money by the database replaces the intent, and remains the answer', async (lane) => {
    const first = await lane.send({ commits: [tooPoor] });
    expect(first).toMatchObject({ status: 422, code: 'insufficient_balance' });
    const again = await lane.send({});
    expect(again).toMatchObject({ body: first.body, replayed: true, steps: [] });
  });

  itInLane('that is temporary stores nothing, and the same request is executed later', async (lane) => {
    const first = await lane.send({ plan: refuse('price_unavailable', 'no price') });
    expect(first).toMatchObject({ status: 503, code: 'price_unavailable' });
    expect(lane.stands()).toBeUndefined();
    expect(await lane.send({ commits: [committed] })).toMatchObject({ status: 201, replayed: false });
  });

  itInLane('that is temporary, by the database, removes the intent', async (lane) => {
    expect(await lane.send({ commits: [halted] })).toMatchObject({ status: 503, code: 'trading_halted' });
    expect(lane.stands()).toBeUndefined();
  });

  itInLane('by an overloaded database that did nothing stores nothing, and is not retried at once', async (lane) => {
    const first = await lane.send({ commits: [turnedAway] });
    expect(named(first.steps)).toEqual(['plan', 'sync', 'commit']);
    expect(first).toMatchObject({ status: 503, code: 'service_unavailable', headers: { 'Retry-After': '1' } });
    expect(lane.stands()).toBeUndefined();
  });

  itInLane('stores nothing without an Idempotency-Key', async (lane) => {
    await lane.send({ plan: refuse('amount_below_minimum', 'too small') }, null);
    await lane.send({ commits: [halted] }, null);
    expect(lane.stands()).toBeUndefined();
  });
});

describe('a write whose outcome is unknown', () => {
  it.each([
    ['it is found at once', { commits: [lost], looks: ['found'] }],
    ['it collides with an earlier write of the same record', { commits: [lost], looks: ['found'] }],
    ['it lands before the second write, which collides', { commits: [lost, lost], looks: ['absent', 'found'] }],
    ['the second write is lost too, but landed', { commits: [lost, lost], looks: ['absent', 'found'] }],
    ['the second write is rejected, but the first landed', { commits: [lost, turnedAway], looks: ['absent', 'found'] }],
    ['the second write goes through', { commits: [lost, committed], looks: ['absent'] }],
  ] satisfies [string, Script][])('is answered with the record that was made when %s', (_, script) =>
    inLane(async (lane) => {
      const done = await lane.send(script);
      expect(done).toMatchObject({ status: 201, replayed: false });
      // There is one record, however often the write was sent.
      expect(new Set(done.steps.flatMap(({ recordId }) => recordId ?? [])).size).toBe(1);
      expect(await lane.send({})).toMatchObject({ body: done.body, replayed: true, steps: [] });
    }),
  );

  it.each([
    ['the look fails', { commits: [lost], looks: ['unknown'] }],
    ['the second look fails', { commits: [lost, lost], looks: ['absent', 'unknown'] }],
    ['two writes are lost and none is found', { commits: [lost, lost], looks: ['absent', 'absent'] }],
    ['the second write is rejected and none is found', { commits: [lost, turnedAway], looks: ['absent', 'absent'] }],
  ] satisfies [string, Script][])('stays open, under its record’s id, when %s', (_, script) =>
    inLane(async (lane) => {
      const open = await lane.send(script);
      const recordId = open.steps.at(-1)?.recordId;
      expect(open).toMatchObject({ status: 504, code: 'outcome_unknown', replayed: false });
      expect(JSON.parse(open.body)).toMatchObject({ orderId: recordId });
      expect(lane.stands()).toMatchObject({ fingerprint: 'print', recordId, answer: null });
    }),
  );

  it.each([
    ['may pass', halted],
    ['is about money', tooPoor],
  ])('stays open when a second write gets a refusal that %s, because the first may still land', (_, refusal) =>
    inLane(async (lane) => {
      const open = await lane.send({ commits: [lost, refusal], looks: ['absent', 'absent'] });
      const recordId = open.steps.at(-1)?.recordId;
      expect(open).toMatchObject({ status: 504, code: 'outcome_unknown' });
      expect(lane.stands()).toMatchObject({ fingerprint: 'print', recordId, answer: null });
      // The first write lands after all, and the next retry gets its record.
      const retry = await lane.send({ looks: ['found'] });
      expect(retry).toMatchObject({ status: 201, body: answerOf(recordId ?? '').body });
    }),
  );
});

describe('a retry that finds an intent without an answer', () => {
  /** Leaves an open intent, as a crash would, and returns its record's id. */
  async function leaveOpen(lane: Lane): Promise<string> {
    await lane.send({ commits: [lost], looks: ['unknown'] });
    return lane.stands()?.recordId ?? '';
  }

  itInLane('looks for the record first, and gives its answer when it finds one', async (lane) => {
    const recordId = await leaveOpen(lane);
    const retry = await lane.send({ looks: ['found'] });
    expect(named(retry.steps)).toEqual(['look']);
    expect(retry).toMatchObject({ status: 201, replayed: true, body: answerOf(recordId).body });
    expect(await lane.send({})).toMatchObject({ body: retry.body, replayed: true, steps: [] });
  });

  itInLane('executes under the same id when there is no record, so that a late first write collides', async (lane) => {
    const recordId = await leaveOpen(lane);
    const retry = await lane.send({ looks: ['absent', 'found'], commits: [lost] });
    expect(retry.steps).toMatchObject([
      { step: 'look', recordId },
      { step: 'plan' },
      { step: 'sync' },
      { step: 'commit', recordId },
      { step: 'look', recordId },
    ]);
    expect(retry).toMatchObject({ status: 201, body: answerOf(recordId).body });
  });

  itInLane('is told that the outcome is open when the look-up fails, and executes nothing', async (lane) => {
    const recordId = await leaveOpen(lane);
    const retry = await lane.send({ looks: ['unknown'] });
    expect(retry).toMatchObject({ status: 504, code: 'outcome_unknown' });
    expect(named(retry.steps)).toEqual(['look']);
    expect(lane.stands()).toMatchObject({ recordId, answer: null });
  });

  it.each([
    ['the rules', { looks: ['absent'], plan: refuse('price_unavailable', 'no price') }],
    ['the database', { looks: ['absent'], commits: [halted] }],
    ['an overloaded database', { looks: ['absent'], commits: [turnedAway] }],
  ] satisfies [string, Script][])('never removes the intent after a temporary refusal by %s', (_, script) =>
    inLane(async (lane) => {
      const recordId = await leaveOpen(lane);
      expect(await lane.send(script)).toMatchObject({ status: 503 });
      expect(lane.stands()).toMatchObject({ fingerprint: 'print', recordId, answer: null });
      expect(await lane.send({ looks: ['found'] })).toMatchObject({ status: 201, body: answerOf(recordId).body });
    }),
  );

  const refusals: [string, Script][] = [
    ['the rules', { looks: ['absent'], plan: refuse('amount_above_maximum', 'too much') }],
    ['the database', { looks: ['absent'], commits: [tooPoor] }],
  ];
  it.each(refusals)('does not accept a final refusal by %s while the first write may still land', (_, script) =>
    inLane(async (lane) => {
      const recordId = await leaveOpen(lane);
      const retry = await lane.send(script, FIRST, NOON_MS + 59_999);
      expect(retry).toMatchObject({ status: 504, code: 'outcome_unknown' });
      expect(lane.stands()).toMatchObject({ recordId, answer: null });
    }),
  );

  it.each(refusals)('accepts a final refusal by %s once the first write can no longer land', (_, script) =>
    inLane(async (lane) => {
      await leaveOpen(lane);
      const retry = await lane.send(script, FIRST, NOON_MS + 60_000);
      expect(retry.status).toBe(422);
      expect(await lane.send({})).toMatchObject({ body: retry.body, replayed: true, steps: [] });
    }),
  );

  itInLane('keeps the intent of a write that threw, and resolves it later', async (lane) => {
    // The script has no commit, so the step throws, as a bug would.
    await expect(lane.send({})).rejects.toThrow('unexpected commit');
    const recordId = lane.stands()?.recordId;
    const retry = await lane.send({ looks: ['absent'], commits: [committed] });
    expect(retry.steps.at(-1)).toMatchObject({ step: 'commit', recordId });
    expect(retry.status).toBe(201);
  });
});
