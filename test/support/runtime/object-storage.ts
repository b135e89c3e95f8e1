import { runInDurableObject } from 'cloudflare:test';
import { vi } from 'vitest';
import type { Trader } from '../exchange.ts';

/**
 * Makes every write of an object's SQLite throw from the write with this number on, as failing storage does. Earlier
 * writes stay. The result counts the refused writes; call `restore` when done.
 */
export async function failStorageFrom(trader: Trader, write: number) {
  const sql = await runInDurableObject(
    trader.lane,
    (_lane, state) => Object.getPrototypeOf(state.storage.sql) as SqlStorage,
  );
  const exec = sql.exec;
  const state = { seen: 0, refused: 0 };
  const spy = vi.spyOn(sql, 'exec').mockImplementation(function look(this: SqlStorage, ...values: never[]) {
    const [query] = values as unknown as [string];
    if (/^\s*(INSERT|UPDATE|DELETE)/.test(query)) {
      state.seen += 1;
      if (state.seen >= write) {
        state.refused += 1;
        throw new Error('the disk is gone');
      }
    }
    return exec.apply(this, values as unknown as Parameters<SqlStorage['exec']>);
  } as SqlStorage['exec']);
  return { state, restore: () => spy.mockRestore() };
}
