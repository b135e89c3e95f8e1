import { describe, expect, it, vi } from 'vitest';
import { createHttpDealer, readDealAnswer } from '../../src/dealing/http-dealer.ts';
import type { Deal } from '../../src/dealing/contract.ts';

const dealt = {
  status: 'dealt',
  amount: '0.04',
  cost: '2607.28',
  fee: { asset: 'BTC', amount: '0.00004' },
  reference: '28',
};

describe('the dealer’s answer about a deal', () => {
  it('is dealt or refused where the contract says so, with the status that it says', () => {
    const { status: _status, ...moved } = dealt;
    expect(readDealAnswer(200, JSON.stringify(dealt))).toEqual({ kind: 'dealt', ...moved });
    expect(readDealAnswer(200, JSON.stringify({ ...dealt, fee: null }))).toMatchObject({ kind: 'dealt', fee: null });
    expect(readDealAnswer(422, '{"status":"refused","reason":"steps: no"}')).toEqual({
      kind: 'refused',
      reason: 'steps: no',
    });
    expect(readDealAnswer(409, '{"status":"busy","reason":"other"}')).toEqual({
      kind: 'refused',
      reason: 'busy: other',
    });
  });

  it.each<[number, string]>([
    [200, '{"status":"working"}'],
    [200, '{"status":"unknown"}'],
    [200, '{"status":"held","reason":"balance_differs: 1"}'],
    [404, '{"status":"never_seen"}'],
    [200, '{"status":"never_seen"}'],
    [200, '{"status":"refused","reason":"x"}'],
    [404, '{"status":"refused","reason":"x"}'],
    [409, '{"status":"refused","reason":"x"}'],
    [422, '{"status":"busy","reason":"x"}'],
    [422, '{"status":"refused"}'],
    [422, '{"status":"refused","reason":""}'],
    [422, '<html>refused</html>'],
    [422, ''],
    [409, '{}'],
    [500, JSON.stringify(dealt)],
    [201, JSON.stringify(dealt)],
    [200, JSON.stringify({ ...dealt, amount: '0' })],
    [200, JSON.stringify({ ...dealt, cost: '-1' })],
    [200, JSON.stringify({ ...dealt, amount: 0.04 })],
    [200, JSON.stringify({ ...dealt, fee: undefined })],
    [400, '{"error":"the id is known with another body"}'],
    [401, '{"error":"signature"}'],
    [503, '{"error":"nothing was stored"}'],
    [502, 'Bad gateway'],
  ])('is unresolved for everything else: %s %s', (status, text) => {
    expect(readDealAnswer(status, text).kind).toBe('unresolved');
  });

  it('is unresolved for whatever a gateway may say, with any status', () => {
    const texts = [
      'null',
      '[]',
      '"refused"',
      '0',
      '{"status":null}',
      '{"status":"Refused","reason":"x"}',
      '\u0000',
      '{',
    ];
    for (let status = 200; status < 600; status += 1) {
      for (const text of texts) expect(readDealAnswer(status, text).kind, `${status} ${text}`).toBe('unresolved');
    }
  });
});

const DEAL: Deal = {
  id: '019ac5a4-7c00-7000-8000-000000000001',
  ledger: 0,
  venue: 'binance',
  coin: 'BTC',
  side: 'BUY',
  amount: '0.05',
  limitPrice: '65195.5',
  sendBy: '2026-11-27T12:00:05.000Z',
};

describe('a deal that is submitted over HTTP', () => {
  const dealer = createHttpDealer({
    url: 'https://dealer.test/x/',
    keyId: 'bureau',
    secret: 'sandbox-dealing-secret-of-the-public-repository',
  });

  it('is the body of the contract, signed as it says', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_795_780_800_000 });
    const sent = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({ status: 'working' }));
    const plain = createHttpDealer({
      url: 'https://dealer.test',
      keyId: 'bureau',
      secret: 'sandbox-dealing-secret-of-the-public-repository',
    });
    expect(await plain.submit(DEAL)).toEqual({ kind: 'unresolved', reason: 'working' });
    const [url, init] = sent.mock.calls[0] ?? [];
    expect(url).toBe(`https://dealer.test/v1/deals/${DEAL.id}`);
    expect(init).toMatchObject({ method: 'PUT', redirect: 'manual', body: JSON.stringify(DEAL) });
    expect(Object.fromEntries(new Headers(init?.headers))).toMatchObject({
      'x-bureau-timestamp': '1795780800',
      'x-bureau-signature': 'v1=1bb984a060b3f3c43a61a4bd29b97d3e9ba4e9e74c33a151dc0559d311db9d4e',
    });
  });

  it('is unresolved when nobody answers, and a report is then not known', async () => {
    vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('Network connection lost'));
    expect(await dealer.submit(DEAL)).toEqual({ kind: 'unresolved', reason: 'no answer' });
    expect(await dealer.report('binance')).toBeUndefined();
  });
});
