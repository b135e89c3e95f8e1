import { describe, expect, it } from 'vitest';
import { BureauClient, BureauConnectionError } from '../../clients/bureau-client/src/index.ts';
import { describeRetries } from '../support/clients/describe-retries.ts';
import { answer, breakOff } from '../support/clients/driven-client.ts';
import { play } from '../support/clients/played-network.ts';
import { openTypeScript } from '../support/clients/typescript-client.ts';

const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '100' } as const;

describeRetries(openTypeScript);

describe('the caller’s signal', () => {
  it('ends an attempt in progress', async () => {
    const controller = new AbortController();
    const { client, sent } = play([() => controller.abort(new Error('no more'))]);
    await expect(client.placeOrder(ORDER, { signal: controller.signal })).rejects.toThrow('no more');
    expect(sent).toHaveLength(1);
  });

  it('ends the wait between two attempts', async () => {
    const controller = new AbortController();
    const { client, sent } = play([breakOff, answer({ balances: [] })], {
      whileWaiting: () => controller.abort(new Error('no more')),
    });
    await expect(client.listBalances({ signal: controller.signal })).rejects.toThrow('no more');
    expect(sent).toHaveLength(1);
  });

  it('that is already aborted lets no request be sent', async () => {
    const { client, sent } = play([]);
    await expect(client.placeOrder(ORDER, { signal: AbortSignal.abort(new Error('no more')) })).rejects.toThrow(
      'no more',
    );
    expect(sent).toEqual([]);
  });
});

it('uses the default for an option that is undefined, as in programs without types', async () => {
  const { client, sent } = play([breakOff, breakOff, breakOff, breakOff, breakOff, breakOff]);
  const options = { attempts: undefined, totalMs: undefined } as object;
  await expect(client.listBalances(options)).rejects.toThrow(BureauConnectionError);
  expect(sent).toHaveLength(5);
});

describe('reading all pages of a list', () => {
  it('requests one page after the other, as rows are needed, until there is no cursor', async () => {
    const asked: string[] = [];
    const pages: Record<string, unknown> = {
      '': { orders: [{ id: '4' }, { id: '3' }], nextCursor: 'a' },
      a: { orders: [], nextCursor: 'b' },
      b: { orders: [{ id: '1' }], nextCursor: null },
    };
    const client = new BureauClient({
      origin: 'https://bureau.test',
      fetch: (url) => {
        const { search, searchParams } = new URL(url);
        asked.push(search);
        return Promise.resolve(Response.json(pages[searchParams.get('cursor') ?? '']));
      },
    });
    const ids: string[] = [];
    for await (const { id } of client.orders({ pageSize: 2 })) {
      ids.push(id);
      if (id === '4') expect(asked).toEqual(['?limit=2']);
    }
    expect(ids).toEqual(['4', '3', '1']);
    expect(asked).toEqual(['?limit=2', '?limit=2&cursor=a', '?limit=2&cursor=b']);
  });
});
