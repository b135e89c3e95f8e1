import { mkdirSync } from 'node:fs';
import { moveEarlierState } from '../keep-state.ts';
import type { Place } from './place.ts';

/** Makes the folder of the data. Data of an earlier schema is moved aside, of which it tells. */
export function prepareStorage({ storage }: Place, migrations: readonly string[]): void {
  const aside = moveEarlierState(storage, migrations, new Date());
  if (aside !== undefined) {
    console.log(
      `The data in ${storage} is of an earlier schema. It was moved to ${aside}, and the exchange begins empty.`,
    );
  }
  mkdirSync(storage, { recursive: true });
}
