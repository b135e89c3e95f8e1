import { describe, expect, it } from 'vitest';
import { asOperator, json, openAccount } from '../support/exchange.ts';
import { env } from '../support/runtime/test-env.ts';

interface Page {
  readonly entries: readonly { readonly id: string; readonly action: string; readonly target: string }[];
  readonly nextAfter: number;
}

const read = async (query: string) => json<Page>(await asOperator('GET', `/events?${query}`));

describe('the operator’s feed', () => {
  it('gives every row of the audit once, in order, however small the pages are and whatever comes meanwhile', async () => {
    await openAccount({ USDT: '1' });
    const seen: string[] = [];
    let after = 0;
    for (let pages = 0; ; pages += 1) {
      const page = await read(`after=${after}&limit=2`);
      if (page.entries.length === 0) {
        expect(page.nextAfter).toBe(after);
        break;
      }
      seen.push(...page.entries.map(({ id }) => id));
      after = page.nextAfter;
      if (pages < 2) await openAccount();
    }
    const { results } = await env.DB.prepare('SELECT id FROM audit ORDER BY id').all<{ id: number }>();
    expect(seen).toEqual(results.map(({ id }) => String(id)));
    expect(seen).toEqual(seen.map((_, at) => String(at + 1)));
  });

  it('begins with the first row, and goes on after the given one alone', async () => {
    const target = await openAccount();
    const { entries } = await read('');
    expect(entries[0]?.id).toBe('1');
    const mine = entries.find((entry) => entry.target === target);
    const { entries: later } = await read(`after=${mine?.id}`);
    expect(later.every(({ id }) => Number(id) > Number(mine?.id))).toBe(true);
    expect(later).not.toContainEqual(mine);
  });

  it.each(['after=-1', 'after=x', 'limit=0', 'limit=201'])('refuses %s', async (query) => {
    expect((await asOperator('GET', `/events?${query}`)).status).toBe(400);
  });
});
