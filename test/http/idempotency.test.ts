import { describe, expect, it } from 'vitest';
import { fingerprint, readIdempotencyKey } from '../../src/http/area.ts';

/** The key that a header gives, or the code of its refusal. */
function read(header: string | undefined): string | null | { readonly refused: string } {
  const key = readIdempotencyKey(header);
  return key.ok ? key.value : { refused: key.code };
}

const refused = { refused: 'invalid_idempotency_key' };
const order = { coin: 'BTC', side: 'BUY', mode: 'COIN_QTY', value: '0.01' };

describe('the header Idempotency-Key', () => {
  it('may be missing', () => {
    expect(read(undefined)).toBeNull();
  });

  it.each([
    ['a UUID', '0b8f7a52-1c1e-4a8e-9d57-3a2f6c1d9e10'],
    ['one character', 'x'],
    ['255 characters', 'x'.repeat(255)],
    [
      'every visible ASCII character',
      Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join(''),
    ],
    ['text that looks like SQL', `';DROP_TABLE_replays;--`],
  ])('may be %s', (_, header) => {
    expect(read(header)).toBe(header);
  });

  it.each([
    ['empty', ''],
    ['256 characters', 'x'.repeat(256)],
    ['256 characters in quotes', `"${'x'.repeat(256)}"`],
    ['a space', ' '],
    ['two words', 'a b'],
    ['two words in quotes', '"a b"'],
    ['a tab', 'a\tb'],
    ['a line break', 'a\n'],
    ['a zero byte', 'a\u0000'],
    ['an escape character', '\u001Ba'],
    ['a delete character', 'a\u007F'],
    ['a letter outside ASCII', 'ż'],
    ['an emoji', '😀'],
  ])('may not be %s', (_, header) => {
    expect(read(header)).toEqual(refused);
  });

  it('may not be an empty pair of quotes, because its value has no character', () => {
    expect(read('""')).toEqual(refused);
  });

  it('means the same in quotes and without', () => {
    expect(read('"abc-123"')).toBe('abc-123');
    expect(read('abc-123')).toBe('abc-123');
    expect(read(`"${'x'.repeat(255)}"`)).toBe('x'.repeat(255));
  });

  it('is case-sensitive', () => {
    expect(read('ABC')).not.toBe(read('abc'));
  });
});

describe('the fingerprint of a request', () => {
  it('is the same whatever the order of the body’s fields', async () => {
    const reordered = { value: '0.01', mode: 'COIN_QTY', side: 'BUY', coin: 'BTC' };
    expect(await fingerprint('POST', '/orders', reordered)).toBe(await fingerprint('POST', '/orders', order));
  });

  it.each([
    ['another method', ['PUT', '/orders', order]],
    ['another route', ['POST', '/withdrawals', order]],
    ['another value', ['POST', '/orders', { ...order, value: '0.02' }]],
    ['the same amount written in another way', ['POST', '/orders', { ...order, value: '0.010' }]],
    ['a field more', ['POST', '/orders', { ...order, extra: '' }]],
    ['a field less', ['POST', '/orders', { coin: 'BTC', side: 'BUY', mode: 'COIN_QTY' }]],
    ['two values exchanged', ['POST', '/orders', { ...order, side: 'COIN_QTY', mode: 'BUY' }]],
    ['text that imitates another field', ['POST', '/orders', { ...order, value: '0.01","x":"y' }]],
  ] satisfies [string, [string, string, Record<string, string>]][])(
    'differs for %s',
    async (_, [method, route, body]) => {
      expect(await fingerprint(method, route, body)).not.toBe(await fingerprint('POST', '/orders', order));
    },
  );

  it('reveals nothing about the body', async () => {
    expect(await fingerprint('POST', '/orders', order)).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });
});
