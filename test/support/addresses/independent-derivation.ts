import { bech32 } from 'bech32';
import bs58check from 'bs58check';
import { HDNodeWallet, Mnemonic, encodeBase58, getBytes, ripemd160, sha256 } from 'ethers';
import nacl from 'tweetnacl';
import { type Network, networks } from '../../../src/money/networks.ts';

/**
 * The addresses of an account index, derived from the mnemonic with private keys and with other libraries than the
 * Worker's: ethers for BIP-39, BIP-32 and EIP-55, bech32, bs58check, tweetnacl, and SLIP-0010 written from its text
 * with WebCrypto.
 */
export async function deriveIndependently(mnemonic: string, index: number): Promise<Record<Network, string>> {
  const { seed, root } = openWallet(mnemonic);
  const derive = (path: string) => root.derivePath(path);
  const evm = derive(`m/44'/60'/0'/0/${index}`).address;
  const addresses = Object.fromEntries(networks.map((network) => [network, evm])) as Record<Network, string>;
  return {
    ...addresses,
    BTC: bech32.encode('bc', [0, ...bech32.toWords(hash160(derive(`m/84'/0'/0'/0/${index}`)))]),
    LTC: bech32.encode('ltc', [0, ...bech32.toWords(hash160(derive(`m/84'/2'/0'/0/${index}`)))]),
    DOGE: bs58check.encode(Uint8Array.of(0x1e, ...hash160(derive(`m/44'/3'/0'/0/${index}`)))),
    TRC20: bs58check.encode(Uint8Array.of(0x41, ...getBytes(derive(`m/44'/195'/0'/0/${index}`).address))),
    SOL: await deriveSolana(seed, [44, 501, index, 0]),
  };
}

const wallets = new Map<string, { seed: Uint8Array; root: HDNodeWallet }>();

/** A mnemonic's seed takes 2048 rounds of HMAC, so each is computed once. */
function openWallet(mnemonic: string): { seed: Uint8Array; root: HDNodeWallet } {
  const known = wallets.get(mnemonic);
  if (known) return known;
  const seed = getBytes(Mnemonic.fromPhrase(mnemonic).computeSeed());
  const opened = { seed, root: HDNodeWallet.fromSeed(seed) };
  wallets.set(mnemonic, opened);
  return opened;
}

function hash160(node: HDNodeWallet): Uint8Array {
  return getBytes(ripemd160(sha256(node.publicKey)));
}

/** SLIP-0010 for ed25519: every step is hardened, and hashes 0x00, the private key and the step's number. */
async function deriveSolana(seed: Uint8Array, path: readonly number[]): Promise<string> {
  let node = await hmacSha512(new TextEncoder().encode('ed25519 seed'), seed);
  for (const step of path) {
    const data = new Uint8Array(37);
    data.set(node.subarray(0, 32), 1);
    new DataView(data.buffer).setUint32(33, 2 ** 31 + step);
    node = await hmacSha512(node.subarray(32), data);
  }
  return encodeBase58(nacl.sign.keyPair.fromSeed(node.subarray(0, 32)).publicKey);
}

async function hmacSha512(key: Uint8Array, data: Uint8Array): Promise<Uint8Array> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-512' }, false, ['sign']);
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, data));
}
