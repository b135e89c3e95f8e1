import type { Network } from '../../../src/money/networks.ts';

/** Whether a text is an address on a network, and its canonical form if that differs. */
export interface AddressCase {
  readonly network: Network;
  readonly text: string;
  readonly verdict: 'address' | 'none';
  /** The standard that the case proves, and what is wrong with the text. */
  readonly why: string;
}

function address(network: Network, text: string, why: string): AddressCase {
  return { network, text, verdict: 'address', why };
}

function none(network: Network, text: string, why: string): AddressCase {
  return { network, text, verdict: 'none', why };
}

export const addressCases: readonly AddressCase[] = [
  address('BTC', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', 'BIP-84: P2WPKH bech32'),
  address('BTC', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', 'BIP-350: P2TR bech32m'),
  address('BTC', '1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA', 'SLIP-132: P2PKH'),
  address('BTC', '37VucYSaXLCAsxYyAPfbSi9eh4iEcbShgf', 'SLIP-132: P2SH'),
  none(
    'BTC',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd',
    'BIP-350: v1 with bech32 instead of bech32m checksum',
  ),
  none(
    'BTC',
    'bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4',
    'BIP-350: invalid character in checksum (o)',
  ),
  none('BTC', 'bc1rw5uspcuh', 'BIP-173: invalid program length'),
  none('BTC', 'bc1zw508d6qejxtdg4y5r3zarvaryvqyzf3du', 'BIP-173: zero padding of more than 4 bits'),
  none('BTC', 'bc1gmk9yu', 'BIP-173: empty data section'),
  none('BTC', 'BC1SW50QGDZ25J', 'BIP-350: witness version 16, which anyone can spend today'),
  none('BTC', 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fYu', 'BIP-84: mixed case bech32'),
  none('BTC', 'mvbu1Gdy8SUjTenqerxUaZyYjmveZvt33q', 'Bitcoin: testnet P2PKH (0x6f)'),
  none('BTC', '1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabB', 'SLIP-132: base58check checksum'),
  none('BTC', 'bitcoincash:qr08q88p9etk89wgv05nwlrkm4l0urz4cyl36hh9sv', 'Bitcoin: Bitcoin Cash cashaddr'),
  none('BTC', ' bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', 'Bitcoin: a leading space'),
  address('LTC', 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh', 'Litecoin: P2WPKH'),
  address('LTC', 'LUWPbpM43E2p7ZSh8cyTBEkvpHmr3cB8Ez', 'Litecoin: P2PKH 0x30'),
  address('LTC', 'MBzcCaoLk9626cLj2UVvcxs6nsVUi39zEy', 'Litecoin: P2SH-P2WPKH (M…)'),
  none('LTC', '1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA', 'SLIP-132: Bitcoin P2PKH on LTC'),
  none('LTC', 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wj', 'Litecoin: bech32 checksum'),
  address('LTC', 'LdP8Qox1VAhCzLJNqrr74YovaWYyNBUWvL', 'Litecoin: P2PKH'),
  address('DOGE', 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L', 'Dogecoin: P2PKH'),
  address('DOGE', 'DLSSSUS3ex7YNDACJDxMER1ZMW579Vy8Zy', 'Dogecoin: P2PKH'),
  none('DOGE', '1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA', 'SLIP-132: Bitcoin version byte'),
  none('DOGE', 'LUWPbpM43E2p7ZSh8cyTBEkvpHmr3cB8Ez', 'Dogecoin: Litecoin version byte'),
  address('TRC20', 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC', 'Tron: base58check 0x41'),
  none('TRC20', 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdJ', 'Tron: checksum'),
  none('TRC20', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'Tron: EVM address'),
  none('TRC20', 'T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb', 'Tron: zero address 41+00*20 (used as native-token sentinel)'),
  none('TRC20', '41c8599111f29c1e1e061265b4af93ea1f274ad78a', 'Tron: hex form, not base58check'),
  address('BEP20', '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359', 'EIP-55: its checksum'),
  address('ARBITRUM', '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb', 'EIP-55: its checksum'),
  address('BASE', '0xde709f2102306220921060314715629080e2fb77', 'EIP-55: its checksum'),
  address('ETH', '0x9858effd232b4033e47d90003d41ec34ecaeda94', 'EIP-55: all lower case, which carries no checksum'),
  none('ETH', '0x5AAEB6053F3E94C9b9A09f33669435E7Ef1BEAED', 'EIP-55: mixed case with wrong checksum'),
  none('ETH', '0X5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'EIP-55: 0X prefix'),
  none('ETH', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAedd', 'EIP-55: 41 hex digits'),
  none('ETH', '0x0000000000000000000000000000000000000001', 'EIP-55: precompile'),
  none('ETH', '0xdAC17F958D2ee523a2206206994597C13D831ec7', 'EIP-55: USDT token contract as destination'),
  none('ETH', 'XE7338O073KYGTWWZN0F2WZ0R8PX5ZPPZS', 'EIP-55: the ICAP form'),
  none('BEP20', 'bnb1ten42eesehw0ktddcp0fws7d3ycsqez3aqvnpg', 'EIP-55: BEP2 Beacon Chain address'),
  none('POLYGON', 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH', 'EIP-55: Tron address'),
  address('SOL', 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk', 'Solana: on-curve wallet'),
  address('SOL', '68io7dTfyeWua1wD1YcCMka4y5iiChceaFRCBjqCM5PK', 'Solana: on-curve'),
  none('SOL', '2gVkYWexTHR5Hb2aLeQN3tnngvWzisFKXDUPrgMHpd', 'Solana: decodes to fewer than 32 bytes'),
  none('SOL', 'EDNd1ycsydWYwVmrYZvqYazFqwk1QjBgAUKFjBoz1jKP', 'Solana: off-curve (PDA)'),
  none('SOL', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', 'Solana: USDC mint as destination'),
  none('SOL', 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH', 'Solana: Tron address (valid base58 alphabet, 25 bytes)'),
];
