import { HARDENED_OFFSET, HDKey } from '@scure/bip32';
import { z } from 'zod';

/** The accounts (BIP-44, BIP-84) whose extended public keys the deposit addresses of five families are derived from. */
export const depositKeyPaths = {
  BTC: "m/84'/0'/0'",
  LTC: "m/84'/2'/0'",
  DOGE: "m/44'/3'/0'",
  EVM: "m/44'/60'/0'",
  TRC20: "m/44'/195'/0'",
} as const;

export type DepositKeyName = keyof typeof depositKeyPaths;

/** `m / purpose' / coin' / account'` */
const ACCOUNT_DEPTH = 3;

function parseAccountKey(text: string): HDKey | undefined {
  try {
    const key = HDKey.fromExtendedKey(text);
    const isAccountKey = key.depth === ACCOUNT_DEPTH && key.index === HARDENED_OFFSET;
    return isAccountKey && key.privateKey === null ? key : undefined;
  } catch {
    return undefined;
  }
}

/** An extended public key (BIP-32, `xpub…`) of an account numbered 0. A private key or another depth is refused. */
const AccountKey = z.string().transform((text, context) => {
  const key = parseAccountKey(text);
  if (key) return key;
  context.addIssue({ code: 'custom', message: 'is not the xpub of an account m/…/…/0’' });
  return z.NEVER;
});

/** The extended public keys of the house's wallet. No private key is ever at the edge. */
export const DepositKeys = z
  .strictObject({ BTC: AccountKey, LTC: AccountKey, DOGE: AccountKey, EVM: AccountKey, TRC20: AccountKey })
  .refine(
    (keys) => new Set(Object.values(keys).map(identifyKey)).size === Object.keys(keys).length,
    'names one key twice',
  );

export type DepositKeys = z.output<typeof DepositKeys>;

/**
 * The part of an extended key that addresses are derived from: two keys with the same identity give the same addresses.
 */
export function identifyKey(key: HDKey): string {
  return [key.publicKey, key.chainCode].map((bytes) => bytes?.join(',')).join(';');
}
