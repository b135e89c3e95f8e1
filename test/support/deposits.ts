import type { Deposit } from '../../src/deposits/deposit.ts';
import { type Trader, operate } from './exchange.ts';

/** A hash of no transaction anywhere, as its network writes it. */
export function drawHash(network = 'ETH'): string {
  const hash = crypto.getRandomValues(new Uint8Array(32)).toHex();
  return ['BTC', 'LTC', 'DOGE'].includes(network) ? hash : `0x${hash}`;
}

/** A report of 2.5 coins to the account's own address, by default of ETH, with all confirmations. */
export async function reportFor<Change extends object>(trader: Trader, change: Change = {} as Change) {
  const { network = 'ETH' } = change as { network?: string };
  const address = await trader.addressOn(network);
  const report = { network, address, asset: network, amount: '2.5', txHash: drawHash(network), confirmations: 200 };
  return { ...report, ...change };
}

export async function reportDeposit(report: object): Promise<Deposit> {
  return (await operate<{ deposit: Deposit }>('POST', '/deposits', report)).deposit;
}
