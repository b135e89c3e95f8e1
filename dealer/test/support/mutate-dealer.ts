import { cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Dealer } from '../../src/dealer.ts';
import type { Store } from '../../src/store.ts';

const PROJECT = join(import.meta.dirname, '..', '..', '..');

/** A mistake: texts that a file has once, and what stands in their place. */
export type Mistake = readonly (readonly [
  file: 'dealer.ts' | 'store.ts' | 'venues/bureau.ts',
  from: string,
  to: string,
])[];

/** Copies the dealer's sources with a mistake in them. Throws when they have nothing that the mistake applies to. */
export function copyDealer(mistake: Mistake): string {
  const shelf = join(PROJECT, '.wrangler', 'dealer-mutations');
  mkdirSync(shelf, { recursive: true });
  const folder = mkdtempSync(join(shelf, 'copy-'));
  cpSync(join(PROJECT, 'dealer', 'src'), join(folder, 'dealer', 'src'), { recursive: true });
  for (const shared of ['src', 'custodian']) symlinkSync(join(PROJECT, shared), join(folder, shared));
  const source = join(folder, 'dealer', 'src');
  for (const [file, from, to] of mistake) {
    const text = readFileSync(join(source, file), 'utf8');
    if (text.split(from).length !== 2) throw new Error(`${file} does not have this once: ${from}`);
    writeFileSync(
      join(source, file),
      text.replace(from, () => to),
    );
  }
  return source;
}

/** The dealer and its store with a mistake in them. */
export async function mutateDealer(mistake: Mistake): Promise<{ Dealer: typeof Dealer; Store: typeof Store }> {
  const source = copyDealer(mistake);
  const load = (file: string) => import(pathToFileURL(join(source, file)).href) as Promise<object>;
  const [dealer, store] = await Promise.all([load('dealer.ts'), load('store.ts')]);
  return { ...dealer, ...store } as { Dealer: typeof Dealer; Store: typeof Store };
}
