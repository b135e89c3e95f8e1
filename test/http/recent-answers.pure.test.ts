import { beforeEach, describe, expect, it } from 'vitest';
import { RecentAnswers } from '../../src/http/recent-answers.ts';

const NOW_MS = 1_800_000_000_000;

let recent = new RecentAnswers();

const answer = (body: string, left_ms = 30_000) => ({ body, tag: '"tag"', expires_ms: NOW_MS + left_ms });

beforeEach(() => {
  recent = new RecentAnswers();
});

describe('an answer of this isolate', () => {
  it.each([
    ['at once', 0, true],
    ['just before a second has passed', 999, true],
    ['after a second', 1_000, false],
    ['when the clock was set back', -1, false],
  ])('is found %s: %#', (_case, age_ms, isFound) => {
    recent.keep('tickers', answer('{}'), NOW_MS);
    expect(recent.find('tickers', NOW_MS + age_ms) !== undefined).toBe(isFound);
  });

  it('is not found when its own lifetime ends within the second', () => {
    recent.keep('tickers', answer('{}', 500), NOW_MS);
    expect(recent.find('tickers', NOW_MS + 499)?.body).toBe('{}');
    expect(recent.find('tickers', NOW_MS + 500)).toBeUndefined();
  });

  it('is replaced by a newer one of the same content', () => {
    recent.keep('tickers', answer('old'), NOW_MS);
    recent.keep('tickers', answer('new'), NOW_MS + 900);
    expect(recent.find('tickers', NOW_MS + 1_800)?.body).toBe('new');
  });
});

describe('the answers of this isolate', () => {
  it('are at most 64, the newest', () => {
    for (let index = 0; index < 65; index++) recent.keep(String(index), answer('{}'), NOW_MS);
    expect(recent.find('0', NOW_MS)).toBeUndefined();
    expect(recent.find('1', NOW_MS)).toBeDefined();
    expect(recent.find('64', NOW_MS)).toBeDefined();
  });

  it('are at most 4 Mi characters together, replaced and expired ones not counted', () => {
    const mega = 'x'.repeat(1024 * 1024);
    for (let index = 0; index < 9; index++) recent.keep('same', answer(mega), NOW_MS);
    for (const key of ['b', 'c', 'd']) recent.keep(key, answer(mega), NOW_MS);
    expect(recent.find('same', NOW_MS)).toBeDefined();
    recent.keep('e', answer('x'), NOW_MS);
    expect(recent.find('same', NOW_MS)).toBeUndefined();
    expect(['b', 'c', 'd', 'e'].every((key) => recent.find(key, NOW_MS))).toBe(true);
    expect(recent.find('b', NOW_MS + 1_000)).toBeUndefined();
    recent.keep('f', answer(mega), NOW_MS);
    expect(recent.find('c', NOW_MS)).toBeDefined();
  });

  it('do not include one that is too long by itself', () => {
    recent.keep('short', answer('{}'), NOW_MS);
    recent.keep('long', answer('x'.repeat(4 * 1024 * 1024 + 1)), NOW_MS);
    expect(recent.find('long', NOW_MS)).toBeUndefined();
    expect(recent.find('short', NOW_MS)).toBeDefined();
  });
});
