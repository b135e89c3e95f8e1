import { fetchLitecoind } from '../support/fetch-litecoind.ts';
import { findAnvil } from '../support/start-anvil.ts';

/** Has both nodes at hand before the first test. Without them nothing here means anything, so the whole run fails. */
export default function findNodes(): void {
  console.log(`anvil: ${findAnvil()}`);
  console.log(`litecoind: ${fetchLitecoind().command}`);
}
