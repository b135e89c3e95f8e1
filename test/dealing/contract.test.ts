import { expect, it } from 'vitest';
import page from '../../docs/dealing.md?raw';
import { signRequest } from '../../src/custody/sign-request.ts';
import { Deal, DealAnswer, VenueReport } from '../../src/dealing/contract.ts';

/** The worked example of docs/dealing.md. Its values were computed with openssl. */
const key = { keyId: 'bureau', secret: 'sandbox-dealing-secret-of-the-public-repository' };
const path = '/v1/deals/019ac5a4-7c00-7000-8000-000000000001';
const body =
  '{"id":"019ac5a4-7c00-7000-8000-000000000001","ledger":0,"venue":"binance","coin":"BTC","side":"BUY","amount":"0.05","limitPrice":"65195.5","sendBy":"2026-11-27T12:00:05.000Z"}';

it('the worked example of the page is signed as it says', async () => {
  for (const request of [
    { method: 'PUT', path, body },
    { method: 'GET', path, body: '' },
  ] as const) {
    const headers = await signRequest(request, key, 1795780800);
    expect(page).toContain(`X-Bureau-Signature: ${headers['X-Bureau-Signature']}`);
  }
  for (const part of [body, key.keyId, key.secret, '1795780800']) expect(page).toContain(part);
  expect(Deal.parse(JSON.parse(body)).amount).toBe('0.05');
});

/** Every piece of JSON on the page that has a status, and the report's lines. */
const answers = [...page.matchAll(/`(\{"status".+?\})`/g)].map(([, text = '']) => text);
const report = /\n {4}\{\n {6}"venue": "binance",\n {6}"at"[^]+?\n {4}\}\n/.exec(page)?.[0] ?? '';

it('every answer of the page fits its schema', () => {
  const states = answers.map((text) => DealAnswer.parse(JSON.parse(text)).status);
  expect(new Set(states)).toEqual(new Set(DealAnswer.options.map(({ shape }) => shape.status.value)));
  expect(VenueReport.parse(JSON.parse(report))).toEqual(JSON.parse(report));
});

it.each([
  { amount: '0' },
  { amount: '-0.1' },
  { amount: '1e-3' },
  { amount: 0.05 },
  { limitPrice: '0.00' },
  { id: '019AC5A4-7C00-7000-8000-000000000001' },
  { ledger: -1 },
  { sendBy: '2026-11-27T12:00:05Z' },
  { sendBy: '2026-11-27T13:00:05.000+01:00' },
  { quoteId: '1' },
])('a deal may not have %o', (part) => {
  expect(Deal.safeParse({ ...(JSON.parse(body) as object), ...part }).success).toBe(false);
});
