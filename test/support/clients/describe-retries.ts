import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ClientLanguage,
  type DrivenOptions,
  type FaultDetails,
  type Play,
  type ScriptResult,
  type Step,
  answer,
  between,
  breakOff,
  hang,
  refuse,
} from './driven-client.ts';

const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '100' };
const FILLED = { order: { id: 'first' } };
const EMPTY = { balances: [] };

const placeOrder = (options?: DrivenOptions) => ({
  operation: 'placeOrder',
  body: ORDER,
  ...(options && { options }),
});
const listBalances = (options?: DrivenOptions) => ({ operation: 'listBalances', ...(options && { options }) });

function valueOf({ outcomes }: ScriptResult): unknown {
  const [outcome] = outcomes;
  if (!outcome || 'fault' in outcome) throw new Error('the call failed', { cause: outcome?.fault });
  return outcome.value;
}

function faultOf({ outcomes }: ScriptResult): FaultDetails {
  const [outcome] = outcomes;
  if (!outcome || 'value' in outcome) throw new Error('the call succeeded', { cause: outcome?.value });
  return outcome.fault;
}

/** What every client promises about sending a request again, in any language. `open` starts the language. */
export function describeRetries(open: () => ClientLanguage): void {
  let language: ClientLanguage;
  beforeAll(() => {
    language = open();
  });
  afterAll(() => language.close());
  const play = (steps: Step[], call: Play['calls'][number], random = 0) =>
    language.play({ steps, random, calls: [call] });

  describe('one call', () => {
    it('has one Idempotency-Key and the same body in all its attempts', async () => {
      const steps = [
        breakOff,
        refuse('outcome_unknown', 504, true),
        refuse('service_unavailable', 503, true),
        answer(FILLED, 201),
      ];
      const played = await play(steps, placeOrder());
      expect(valueOf(played)).toEqual(FILLED);
      expect(played.sent).toHaveLength(4);
      expect(new Set(played.sent.map((request) => JSON.stringify(request))).size).toBe(1);
      expect(JSON.parse(played.sent[0]?.body ?? '')).toEqual(ORDER);
      expect(played.sent[0]?.key).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('has its own key, and another call another key', async () => {
      const steps = [answer(FILLED, 201), answer(FILLED, 201)];
      const { sent } = await language.play({ steps, calls: [placeOrder(), placeOrder()] });
      expect(sent).toHaveLength(2);
      expect(sent[0]?.key).not.toBe(sent[1]?.key);
    });

    it('uses the caller’s key, and shows the key when it fails', async () => {
      const played = await play([breakOff, breakOff], placeOrder({ idempotencyKey: 'mine', attempts: 2 }));
      expect(played.sent.map(({ key }) => key)).toEqual(['mine', 'mine']);
      const fault = faultOf(played);
      expect([fault.kind, fault.idempotencyKey, fault.attempts]).toEqual(['lost', 'mine', 2]);
      expect(fault.cause).toMatch(/: connection lost$/);
    });
  });

  describe('a request', () => {
    it('is not sent again after a refusal that is not retryable', async () => {
      const played = await play([refuse('insufficient_balance', 422, false)], placeOrder());
      const { code, status, retryable, requestId } = faultOf(played);
      expect([code, status, retryable, requestId]).toEqual(['insufficient_balance', 422, false, 'r-1']);
      expect(played.sent).toHaveLength(1);
    });

    it('is sent again after an unknown code that is marked as retryable', async () => {
      const { sent } = await play([refuse('code_of_tomorrow', 418, true), answer(EMPTY)], listBalances());
      expect(sent).toHaveLength(2);
    });

    it.each<[string, Step]>([
      ['a connection that broke', breakOff],
      ['a gateway’s own page', between('<html>', 502)],
      ['half an answer', between('{"balances":[', 200)],
      ['a limit of something between', between('slow down', 429)],
    ])('is sent again after its answer was lost to %s', async (_, step) => {
      const played = await play([step, answer(EMPTY)], listBalances());
      expect(valueOf(played)).toEqual(EMPTY);
      expect(played.sent).toHaveLength(2);
    });

    it.each([302, 403])('is not sent again after a proxy answered %i', async (status) => {
      const played = await play([between('', status)], listBalances());
      expect(faultOf(played)).toMatchObject({ kind: 'lost', attempts: 1 });
      expect(faultOf(played).message).toContain(`status ${status}`);
    });
  });

  describe('a client', () => {
    it('waits a random part of a span that doubles up to its limit', async () => {
      const steps = Array.from({ length: 8 }, () => breakOff);
      const { slept } = await play(steps, listBalances({ attempts: 8 }), 0.5);
      expect(slept).toEqual([125, 250, 500, 1_000, 2_000, 4_000, 4_000]);
    });

    it('waits as long as Retry-After asks, plus a random part', async () => {
      const dated = { Date: 'Sat, 21 Nov 2026 12:00:00 GMT', 'Retry-After': 'Sat, 21 Nov 2026 12:00:03 GMT' };
      const steps = [
        refuse('rate_limited', 429, true, { 'Retry-After': '7' }),
        refuse('rate_limited', 429, true, dated),
        refuse('rate_limited', 429, true, { 'Retry-After': 'soon' }),
        answer(EMPTY),
      ];
      const { slept } = await play(steps, listBalances(), 0.5);
      expect(slept).toEqual([7_125, 3_250, 500]);
    });

    it('reports a limit for the day at once, because the wait would be longer than the call may take', async () => {
      const played = await play([refuse('rate_limited', 429, true, { 'Retry-After': '3600' })], listBalances());
      expect([faultOf(played).code, faultOf(played).attempts, played.slept]).toEqual(['rate_limited', 1, []]);
    });

    it('gives up after the allowed attempts, with the last refusal', async () => {
      const played = await play(
        Array.from({ length: 9 }, () => refuse('price_unavailable', 503, true)),
        placeOrder(),
      );
      const { code, retryable, attempts, idempotencyKey } = faultOf(played);
      expect([code, retryable, attempts, played.sent.length]).toEqual(['price_unavailable', true, 5, 5]);
      expect(idempotencyKey).toBe(played.sent[0]?.key);
    });

    it('ends an attempt that takes too long, and tries again', async () => {
      const played = await play([hang, answer(FILLED, 201)], placeOrder({ timeoutMs: 300 }));
      expect(valueOf(played)).toEqual(FILLED);
      expect(played.slept).toEqual([300, 0]);
      expect(played.sent[0]).toEqual(played.sent[1]);
    });

    it('lets no attempt take longer than the whole call', async () => {
      const played = await play([hang, hang, hang], listBalances({ timeoutMs: 400, totalMs: 1_000 }));
      expect(played.slept).toEqual([400, 0, 400, 0, 200]);
      expect(faultOf(played).cause).toMatch(/^TimeoutError: /);
    });
  });

  describe('an error', () => {
    it('never contains the key', async () => {
      const { shown } = faultOf(await play([refuse('invalid_api_key', 401, false)], listBalances()));
      expect(shown).toContain('invalid_api_key');
      expect(shown).not.toContain('bk_test_key');
    });

    it('has the members of its code', async () => {
      const problem = {
        code: 'daily_limit_exceeded',
        retryable: false,
        status: 422,
        detail: '',
        limit: '5000',
        used: '1',
      };
      const body = { asset: 'BTC', network: 'BTC', amount: '1', address: 'x' };
      const { members, errors } = faultOf(await play([answer(problem, 422)], { operation: 'createWithdrawal', body }));
      expect([members, errors]).toEqual([{ limit: '5000', used: '1' }, []]);
    });
  });
}
