import { fetchLitecoind } from '../support/fetch-litecoind.ts';
import { findAnvil } from '../support/start-anvil.ts';

/** Finds both nodes before the first test. Without them no test can run, so the whole run fails. */
export default function findNodes(): void {
  console.log(`anvil: ${findAnvil()}`);
  console.log(`litecoind: ${fetchLitecoind().command}`);
}
