import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { LateWrites } from '../../src/platform/turns.ts';
import { type IdempotentRequest, Replays } from '../../src/lane/once.ts';
import { env } from '../support/runtime/test-env.ts';

const NOON_MS = Date.UTC(2026, 10, 21, 12);
const DAY_MS = 24 * 60 * 60 * 1_000;

const answer = {
  status: 201,
  headers: { 'Content-Type': 'application/json', Location: '/api/v1/orders/1' },
  body: '{"order":{"note":"żółć \\u0000 \\"quoted\\" 😀"}}',
};

function freshObject() {
  return env.KEY_LANE.getByName(crypto.randomUUID());
}

const itWithReplays = (title: string, use: (replays: Replays, sql: SqlStorage) => void) =>
  it(title, () =>
    runInDurableObject(freshObject(), (_, { storage: { sql } }) => use(new Replays(sql, new LateWrites()), sql)),
  );

function requestOf(idempotencyKey: string, fingerprint = 'print'): IdempotentRequest {
  return { idempotencyKey, operation: 'placeOrder', fingerprint };
}

describe('what is stored for an Idempotency-Key', () => {
  itWithReplays('is an intent with its record’s id, until there is an answer', (replays) => {
    replays.enter(requestOf('k'), 'record', NOON_MS);
    expect(replays.find('k', NOON_MS)).toMatchObject({ fingerprint: 'print', recordId: 'record', answer: null });
    replays.remember('k', answer);
    expect(replays.find('k', NOON_MS)).toMatchObject({ fingerprint: 'print', recordId: 'record', answer });
  });

  itWithReplays('is the first answer, even when a parallel request or the alarm answers later', (replays) => {
    const later = { ...answer, status: 500 };
    replays.enter(requestOf('k'), 'record', NOON_MS);
    expect(replays.remember('k', answer)).toEqual(answer);
    expect(replays.remember('k', later)).toEqual(answer);
    expect(replays.find('k', NOON_MS)?.answer).toEqual(answer);
  });

  itWithReplays('is separate from that of another key, which may differ only in case', (replays) => {
    replays.enter(requestOf('Key', 'one'), 'record 1', NOON_MS);
    replays.enter(requestOf('key', 'two'), 'record 2', NOON_MS);
    expect(replays.find('Key', NOON_MS)?.recordId).toBe('record 1');
    expect(replays.find('key', NOON_MS)?.recordId).toBe('record 2');
    expect(replays.find('key ', NOON_MS)).toBeUndefined();
  });

  itWithReplays('treats the key as text and never as SQL', (replays) => {
    replays.enter(requestOf('k'), 'record', NOON_MS);
    const hostile = `'; DELETE FROM replays; --`;
    expect(replays.find(hostile, NOON_MS)).toBeUndefined();
    replays.enter(requestOf(hostile), 'other', NOON_MS);
    replays.forget(`' OR '1'='1`);
    expect(replays.find('k', NOON_MS)?.recordId).toBe('record');
    expect(replays.find(hostile, NOON_MS)?.recordId).toBe('other');
  });

  itWithReplays('is all that is deleted when an intent is removed: other keys stay', (replays) => {
    replays.enter(requestOf('k'), 'record', NOON_MS);
    replays.enter(requestOf('other'), 'record', NOON_MS);
    replays.forget('k');
    expect(replays.find('k', NOON_MS)).toBeUndefined();
    expect(replays.find('other', NOON_MS)).toBeDefined();
  });
});

describe('the 24 hours of an Idempotency-Key', () => {
  itWithReplays('hold at 24 hours minus one second, and are over at 24 hours and one second', (replays) => {
    replays.enter(requestOf('k'), 'record', NOON_MS, answer);
    expect(replays.find('k', NOON_MS + DAY_MS - 1_000)).toBeDefined();
    expect(replays.find('k', NOON_MS + DAY_MS - 1)).toBeDefined();
    expect(replays.find('k', NOON_MS + DAY_MS)).toBeUndefined();
    expect(replays.find('k', NOON_MS + DAY_MS + 1_000)).toBeUndefined();
  });

  itWithReplays('start at the first receipt: neither the answer nor a replay extends them', (replays) => {
    replays.enter(requestOf('k'), 'record', NOON_MS);
    replays.remember('k', answer);
    expect(replays.find('k', NOON_MS + DAY_MS - 1_000)).toBeDefined();
    expect(replays.find('k', NOON_MS + DAY_MS + 1_000)).toBeUndefined();
  });

  itWithReplays('start again when the key is used after them, and nothing of the first use is left', (replays) => {
    replays.enter(requestOf('k', 'old'), 'old record', NOON_MS, answer);
    replays.enter(requestOf('k', 'new'), 'new record', NOON_MS + DAY_MS);
    const found = replays.find('k', NOON_MS + 2 * DAY_MS - 1_000);
    expect(found).toMatchObject({ fingerprint: 'new', recordId: 'new record', answer: null });
  });
});

describe('the purge', () => {
  itWithReplays('deletes what expired, and not a moment too early', (replays, sql) => {
    replays.enter(requestOf('old'), 'record', NOON_MS, answer);
    replays.enter(requestOf('young'), 'record', NOON_MS + 1_000, answer);
    const count = () => sql.exec('SELECT count(*) AS count FROM replays').one()['count'];
    replays.purge(NOON_MS + DAY_MS - 1);
    expect(count()).toBe(2);
    replays.purge(NOON_MS + DAY_MS);
    expect(count()).toBe(1);
    expect(replays.find('young', NOON_MS + DAY_MS)).toBeDefined();
  });

  itWithReplays('knows when it is due: when the oldest entry expires, or never', (replays) => {
    expect(replays.nextExpiry()).toBeUndefined();
    replays.enter(requestOf('late'), 'record', NOON_MS + 5_000, answer);
    replays.enter(requestOf('early'), 'record', NOON_MS);
    expect(replays.nextExpiry()).toBe(NOON_MS + DAY_MS);
    replays.purge(NOON_MS + DAY_MS);
    expect(replays.nextExpiry()).toBe(NOON_MS + 5_000 + DAY_MS);
  });
});

describe('an answer that is written late', () => {
  const openIn = (sql: SqlStorage) =>
    sql.exec('SELECT count(*) AS count FROM replays WHERE answer IS NULL').one()['count'];

  itWithReplays('is found at once, and is written together with the next intent', (replays, sql) => {
    replays.enter(requestOf('k'), 'record', NOON_MS);
    replays.rememberLate('k', answer);
    expect([replays.find('k', NOON_MS)?.answer, openIn(sql)]).toEqual([answer, 1]);
    replays.enter(requestOf('next'), 'next record', NOON_MS);
    expect(replays.listOpen(50).map(({ idempotencyKey }) => idempotencyKey)).toEqual(['next']);
  });

  itWithReplays(
    'leaves its intent, with the record’s id, when the object dies before it is written',
    (replays, sql) => {
      replays.enter(requestOf('k'), 'record', NOON_MS);
      replays.rememberLate('k', answer);
      const next = new Replays(sql, new LateWrites());
      expect(next.find('k', NOON_MS)).toMatchObject({ recordId: 'record', answer: null });
    },
  );

  itWithReplays('is the first answer, even when another comes later', (replays) => {
    replays.enter(requestOf('k'), 'record', NOON_MS);
    replays.rememberLate('k', answer);
    expect(replays.remember('k', { ...answer, status: 500 })).toEqual(answer);
  });
});

describe('the open intents', () => {
  itWithReplays('are those without an answer, each with the data that finds its record', (replays) => {
    replays.enter(requestOf('open'), 'record 1', NOON_MS);
    replays.enter(requestOf('answered'), 'record 2', NOON_MS);
    replays.remember('answered', answer);
    replays.enter(requestOf('refused'), 'record 3', NOON_MS, answer);
    expect(replays.listOpen(50)).toEqual([{ idempotencyKey: 'open', operation: 'placeOrder', recordId: 'record 1' }]);
  });

  itWithReplays('are listed up to the given number', (replays) => {
    for (let index = 0; index < 5; index += 1) replays.enter(requestOf(`k${index}`), `record ${index}`, NOON_MS);
    expect(replays.listOpen(3)).toHaveLength(3);
    expect(replays.listOpen(50)).toHaveLength(5);
  });
});
