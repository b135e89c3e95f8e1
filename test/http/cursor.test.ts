import { describe, expect, it } from 'vitest';
import { type CursorScope, readCursor, writeCursor } from '../../src/http/cursor.ts';

const SECRET = 'cursor-secret-of-at-least-32-characters';
const scope: CursorScope = { route: '/api/v1/orders', accountId: 'account-1' };
const position = '019a0000-0000-7000-8000-000000000001';

/** The code with which a cursor is refused, or `undefined` when it is accepted. */
async function refusalOf(cursor: string, at: CursorScope = scope, secret = SECRET): Promise<string | undefined> {
  const read = await readCursor(cursor, at, secret);
  return read.ok ? undefined : read.code;
}

describe('a cursor', () => {
  it('leads back to the end of its page', async () => {
    const cursor = await writeCursor(position, scope, SECRET);
    expect(await readCursor(cursor, scope, SECRET)).toEqual({ ok: true, value: position });
  });

  it('needs no quoting in a query', async () => {
    const cursor = await writeCursor(position, scope, SECRET);
    expect(encodeURIComponent(cursor)).toBe(cursor);
  });

  it('is refused when any single character was changed', async () => {
    const cursor = await writeCursor(position, scope, SECRET);
    const taken: string[] = [];
    for (let index = 0; index < cursor.length; index += 1) {
      const forged = cursor.slice(0, index) + (cursor.charAt(index) === '0' ? '1' : '0') + cursor.slice(index + 1);
      if ((await refusalOf(forged)) !== 'invalid_cursor') taken.push(forged);
    }
    expect(taken).toEqual([]);
  });

  it.each([
    ['on another list', { ...scope, route: '/api/v1/wallet/transactions' }, SECRET],
    ['for another account', { ...scope, accountId: 'account-2' }, SECRET],
    ['when it was made with another secret', scope, 'another-secret-of-at-least-32-characters'],
  ])('is refused %s', async (_, at, secret) => {
    expect(await refusalOf(await writeCursor(position, scope, SECRET), at, secret)).toBe('invalid_cursor');
  });

  it('is refused with the tag of another position', async () => {
    const [, tag] = (await writeCursor('other', scope, SECRET)).split('.');
    expect(await refusalOf(`${position}.${tag}`)).toBe('invalid_cursor');
  });

  it('is never valid for another list whose route and account give the same text when joined', async () => {
    const cursor = await writeCursor(position, { route: '/a', accountId: 'b/c' }, SECRET);
    expect(await refusalOf(cursor, { route: '/ab', accountId: '/c' })).toBe('invalid_cursor');
    const quoted = await writeCursor(position, { route: '/a","b', accountId: 'c' }, SECRET);
    expect(await refusalOf(quoted, { route: '/a', accountId: 'b","c' })).toBe('invalid_cursor');
  });

  it.each([
    ['nothing', ''],
    ['a point', '.'],
    ['a position without a tag', position],
    ['a position with an empty tag', `${position}.`],
    ['SQL', `' OR 1=1 --.x`],
    ['text outside ASCII', '😀.😀'],
  ])('is refused when it is %s', async (_, cursor) => {
    expect(await refusalOf(cursor)).toBe('invalid_cursor');
  });

  it('is refused with extra characters before, in the middle or after', async () => {
    const cursor = await writeCursor(position, scope, SECRET);
    for (const forged of [` ${cursor}`, `${cursor} `, `${cursor}.`, `${cursor}.${cursor}`, cursor.replace('.', '..')]) {
      expect(await refusalOf(forged)).toBe('invalid_cursor');
    }
  });
});
