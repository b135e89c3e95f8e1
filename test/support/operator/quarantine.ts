import { drawHash, reportDeposit } from '../deposits.ts';

/** Addresses that no account of a test has. */
export const NOBODYS = {
  ETH: '0x52908400098527886E0F7030069857D2E4169EE7',
  LTC: 'LUWPbpM43E2p7ZSh8cyTBEkvpHmr3cB8Ez',
} as const;

/** A confirmed deposit to an address of nobody, reported. */
export async function quarantine(network: keyof typeof NOBODYS, amount: string) {
  const address = NOBODYS[network];
  const report = { network, asset: network, address, amount, txHash: drawHash(network), confirmations: 100 };
  return { id: (await reportDeposit(report)).id, report };
}
