import { operate } from '../exchange.ts';

/** Addresses that no account of a test has. */
export const NOBODYS = {
  ETH: '0x52908400098527886E0F7030069857D2E4169EE7',
  LTC: 'LUWPbpM43E2p7ZSh8cyTBEkvpHmr3cB8Ez',
} as const;

export interface NobodysReport {
  readonly network: keyof typeof NOBODYS;
  readonly asset: string;
  readonly address: string;
  readonly amount: string;
  readonly txHash: string;
  readonly confirmations: number;
}

/** A confirmed deposit to an address of nobody, reported. */
export async function quarantine(
  network: keyof typeof NOBODYS,
  amount: string,
): Promise<{ readonly id: string; readonly report: NobodysReport }> {
  const hash = crypto.getRandomValues(new Uint8Array(32)).toHex();
  const txHash = network === 'ETH' ? `0x${hash}` : hash;
  const report = { network, asset: network, address: NOBODYS[network], amount, txHash, confirmations: 100 };
  const { deposit } = await operate<{ deposit: { id: string } }>('POST', '/deposits', report);
  return { id: deposit.id, report };
}
