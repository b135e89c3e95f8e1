import { bech32, bech32m } from 'bech32';
import bs58check from 'bs58check';
import { describe, expect, it } from 'vitest';
import { type AssetRecord, assets } from '../../src/money/assets.ts';
import { type Network, networkRecords, networks } from '../../src/money/networks.ts';
import { readAddress } from '../../src/addresses/validate-address.ts';
import { addressCases } from '../support/addresses/address-cases.ts';
import { addressVectors } from '../support/addresses/address-vectors.ts';

const evmNetworks = networks.filter((network) => networkRecords[network].family.kind === 'evm');

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const HEX = '0123456789abcdefABCDEF';

/** A version byte and a hash in base58check, encoded by another library. */
const base58check = (version: number, hash: readonly number[]) => bs58check.encode(Uint8Array.of(version, ...hash));
const witness = (code: typeof bech32, prefix: string, version: number, program: readonly number[]) =>
  code.encode(prefix, [version, ...code.toWords(Uint8Array.from(program))]);

const HASH = Array.from({ length: 20 }, (_, index) => 200 - index);
const NOTHING = HASH.map(() => 0);
const PROGRAM = Array.from({ length: 32 }, (_, index) => 200 - index);
/** The x coordinate of secp256k1's generator, and one that no point of the curve has. */
const ON_CURVE = [...Uint8Array.fromHex('79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798')];
const OFF_CURVE = [...Array.from({ length: 31 }, () => 1), 6];

describe('a text on a network', () => {
  it.each(addressCases)('$verdict on $network: $why', ({ network, text, verdict }) => {
    const canonical = readAddress(network, text);
    expect(canonical === undefined ? 'none' : 'address').toBe(verdict);
    if (canonical !== undefined) expect(canonical.toLowerCase()).toBe(text.toLowerCase());
  });

  it.each(addressVectors)('is accepted, in its canonical form: $network $index', ({ network, address }) => {
    expect(readAddress(network, address)).toBe(address);
    expect(address).toMatch(new RegExp(networkRecords[network].addressPattern));
  });

  it('is accepted only in the form that the document’s pattern shows', () => {
    for (const { network, text, verdict } of addressCases) {
      if (verdict === 'address') expect(text).toMatch(new RegExp(networkRecords[network].addressPattern));
    }
  });

  it('is refused on a network of another family', () => {
    for (const { network, address } of addressVectors) {
      const { kind } = networkRecords[network].family;
      const others = networks.filter((other) =>
        kind === 'evm' ? networkRecords[other].family.kind !== kind : other !== network,
      );
      for (const other of others) expect(readAddress(other, address), `${address} on ${other}`).toBeUndefined();
    }
  });
});

describe('an address with a typing error', () => {
  /** Every address here whose format has a checksum: all but Solana's, and EVM addresses in a single case. */
  const checked = addressVectors
    .map(({ network, address }) => ({ network, address }))
    .concat(
      addressCases
        .filter(({ verdict }) => verdict === 'address')
        .map(({ network, text }) => ({ network, address: text })),
    )
    .filter(({ network, address }) => network !== 'SOL' && /[A-Z].*[a-z]|[a-z].*[A-Z]|^(bc|ltc)1/.test(address));
  const distinct = [...new Map(checked.map((one) => [one.address, one])).values()];

  it('is tested for every family with a checksum', () => {
    const kinds = new Set(distinct.map(({ network }) => networkRecords[network].family.kind));
    expect([...kinds].toSorted()).toEqual(['bitcoin-like', 'evm', 'tron']);
    expect(distinct.length).toBeGreaterThan(15);
  });

  it.each(distinct)('is refused when any character was changed: $network $address', ({ network, address }) => {
    const alphabet = networkRecords[network].family.kind === 'evm' ? HEX : BASE58;
    const passed: string[] = [];
    for (let place = 0; place < address.length; place += 1) {
      for (const letter of `${alphabet}0OIl`) {
        const changed = address.slice(0, place) + letter + address.slice(place + 1);
        if (changed !== address && readAddress(network, changed) !== undefined) passed.push(changed);
      }
    }
    expect(passed).toEqual([]);
  });

  it.each(distinct)(
    'is refused when any character was left out or doubled: $network $address',
    ({ network, address }) => {
      const passed: string[] = [];
      for (let place = 0; place < address.length; place += 1) {
        const shorter = address.slice(0, place) + address.slice(place + 1);
        const longer = address.slice(0, place) + address.charAt(place) + address.slice(place);
        passed.push(...[shorter, longer].filter((changed) => readAddress(network, changed) !== undefined));
      }
      expect(passed).toEqual([]);
    },
  );
});

describe('the canonical form', () => {
  const checksummed = '0x9858EfFD232B4033E47d90003D41EC34EcaEda94';

  it.each(evmNetworks)('of an EVM address in a single case is EIP-55: %s', (network) => {
    expect(readAddress(network, checksummed.toLowerCase())).toBe(checksummed);
    expect(readAddress(network, `0x${checksummed.slice(2).toUpperCase()}`)).toBe(checksummed);
  });

  it.each([
    'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu',
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
  ])('of bech32 in upper case is lower case (BIP-173): %s', (address) => {
    expect(readAddress('BTC', address.toUpperCase())).toBe(address);
    expect(address.toUpperCase()).toMatch(new RegExp(networkRecords.BTC.addressPattern));
  });

  it.each([' ', '\n', '\t', '\u00A0', '\u200B', '\0'])('is not reached by trimming: %j', (space) => {
    for (const { network, address } of addressVectors) {
      expect(readAddress(network, `${space}${address}`)).toBeUndefined();
      expect(readAddress(network, `${address}${space}`)).toBeUndefined();
    }
  });

  it('is not reached from letters beyond ASCII whose lower case is ASCII', () => {
    // The Kelvin sign, whose lower case is k.
    const address = 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh'.toUpperCase().replaceAll('K', '\u212A');
    expect(address.toLowerCase()).toBe('ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh');
    expect(readAddress('LTC', address)).toBeUndefined();
  });

  it.each(networks)('is not searched for in a long text: %s', (network) => {
    expect(readAddress(network, 'z'.repeat(500_000))).toBeUndefined();
    expect(readAddress(network, '')).toBeUndefined();
  });
});

describe('Bitcoin, Litecoin and Dogecoin', () => {
  const accepted: [string, Network, string][] = [
    ['P2PKH', 'BTC', base58check(0x00, HASH)],
    ['P2SH', 'BTC', base58check(0x05, HASH)],
    ['P2WPKH (BIP-173)', 'BTC', witness(bech32, 'bc', 0, HASH)],
    ['P2WSH (BIP-173)', 'BTC', witness(bech32, 'bc', 0, PROGRAM)],
    ['P2TR (BIP-350)', 'BTC', witness(bech32m, 'bc', 1, ON_CURVE)],
    ['P2PKH', 'LTC', base58check(0x30, HASH)],
    ['P2SH', 'LTC', base58check(0x32, HASH)],
    ['P2WSH (BIP-173)', 'LTC', witness(bech32, 'ltc', 0, PROGRAM)],
    ['P2TR (BIP-350)', 'LTC', witness(bech32m, 'ltc', 1, ON_CURVE)],
    ['P2PKH', 'DOGE', base58check(0x1e, HASH)],
    ['P2SH', 'DOGE', base58check(0x16, HASH)],
  ];
  it.each(accepted)('accept %s: %s %s', (_name, network, text) => {
    expect(readAddress(network, text)).toBe(text);
    expect(text).toMatch(new RegExp(networkRecords[network].addressPattern));
  });

  const refused: [string, Network, string][] = [
    ['the old form 3… of P2SH', 'LTC', base58check(0x05, HASH)],
    ['a witness of Bitcoin', 'LTC', witness(bech32, 'bc', 0, HASH)],
    ['a witness of Litecoin', 'BTC', witness(bech32, 'ltc', 0, HASH)],
    ['a witness of the test network', 'BTC', witness(bech32, 'tb', 0, HASH)],
    ['a witness, which Dogecoin has not', 'DOGE', witness(bech32, 'doge', 0, HASH)],
    ['the test network', 'LTC', base58check(0x6f, HASH)],
    ['the test network', 'DOGE', base58check(0x71, HASH)],
    ['a hash of 19 bytes', 'BTC', base58check(0x00, HASH.slice(1))],
    ['a hash of 21 bytes', 'BTC', base58check(0x00, [...HASH, 1])],
    ['a private key', 'BTC', base58check(0x80, PROGRAM)],
    ['version 0 with bech32m (BIP-350)', 'BTC', witness(bech32m, 'bc', 0, HASH)],
    ['version 1 with bech32 (BIP-350)', 'BTC', witness(bech32, 'bc', 1, ON_CURVE)],
    ['version 1 of 20 bytes (BIP-350)', 'BTC', witness(bech32m, 'bc', 1, HASH)],
    ['version 1 that is no key (BIP-341)', 'BTC', witness(bech32m, 'bc', 1, OFF_CURVE)],
    ['version 0 of 25 bytes (BIP-173)', 'BTC', witness(bech32, 'bc', 0, PROGRAM.slice(7))],
    ['version 2, which anyone can spend', 'BTC', witness(bech32m, 'bc', 2, ON_CURVE)],
    ['version 16, which anyone can spend', 'LTC', witness(bech32m, 'ltc', 16, ON_CURVE)],
    ['the hash zero', 'BTC', base58check(0x00, NOTHING)],
    ['the script zero', 'BTC', base58check(0x05, NOTHING)],
    ['the witness zero', 'BTC', witness(bech32, 'bc', 0, NOTHING)],
    ['the hash zero', 'LTC', base58check(0x30, NOTHING)],
    ['the hash zero', 'DOGE', base58check(0x1e, NOTHING)],
    ['one that burns', 'BTC', '1BitcoinEaterAddressDontSendf59kuE'],
    ['one that burns', 'BTC', '1CounterpartyXXXXXXXXXXXXXXXUWLpVr'],
    ['one that burns', 'DOGE', 'DDogepartyxxxxxxxxxxxxxxxxxxw1dfzr'],
  ];
  it.each(refused)('refuse %s: %s %s', (_name, network, text) => {
    expect(readAddress(network, text)).toBeUndefined();
  });
});

describe('an address that nobody owns', () => {
  const listed = Object.entries<AssetRecord>(assets).flatMap(([asset, record]) =>
    record.networks.flatMap(({ network, contractAddress }) =>
      contractAddress === null ? [] : [{ asset, network, contract: contractAddress }],
    ),
  );

  it('is among others the contract of a listed token, of which there are 16', () => {
    expect(listed).toHaveLength(16);
  });

  it.each(listed)('is refused in every form: the contract of $asset on $network', ({ network, contract }) => {
    const forms = networkRecords[network].family.kind === 'evm' ? [contract, contract.toLowerCase()] : [contract];
    for (const form of forms) expect(readAddress(network, form)).toBeUndefined();
  });

  const reserved = [
    ['zero', '0x0000000000000000000000000000000000000000'],
    ['the first precompile', '0x0000000000000000000000000000000000000001'],
    ['the last of Prague', '0x0000000000000000000000000000000000000011'],
    ['P256VERIFY (EIP-7951)', '0x0000000000000000000000000000000000000100'],
    ['ArbSys', '0x0000000000000000000000000000000000000064'],
    ['a system contract of BNB Smart Chain', '0x0000000000000000000000000000000000001000'],
    ['the native token of Polygon', '0x0000000000000000000000000000000000001010'],
    ['dead', '0x000000000000000000000000000000000000dEaD'],
    ['a precompile of Avalanche', '0x0200000000000000000000000000000000000005'],
    ['the address at which Avalanche burns fees', '0x0100000000000000000000000000000000000000'],
    ['wrapped ether of the OP stack', '0x4200000000000000000000000000000000000006'],
    ['the placeholder for the native coin', '0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE'],
    ['all ones', '0xFFfFfFffFFfffFFfFFfFFFFFffFFFffffFfFFFfF'],
    ['the system’s (EIP-4788)', '0xffffFFFfFFffffffffffffffFfFFFfffFFFfFFfE'],
    ['dead with a number', '0xdEAD000000000000000042069420694206942069'],
    ['dead all over', '0xdeaddeaddeaddeaddeaddeaddeaddeaddeaddead'],
  ] as const;
  it.each(reserved)('is refused on every EVM network: %s', (_name, text) => {
    for (const network of evmNetworks) expect(readAddress(network, text.toLowerCase()), network).toBeUndefined();
  });

  it.each([
    ['zero', base58check(0x41, NOTHING)],
    ['a precompile', base58check(0x41, [...NOTHING.slice(1), 1])],
    ['the black hole of the first block', 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy'],
  ])('is refused on Tron: %s', (_name, text) => {
    expect(readAddress('TRC20', text)).toBeUndefined();
  });

  it.each([
    '11111111111111111111111111111111',
    '1nc1nerator11111111111111111111111111111111',
    'So11111111111111111111111111111111111111112',
    'Stake11111111111111111111111111111111111111',
    'SysvarRent111111111111111111111111111111111',
    'SysvarC1ock11111111111111111111111111111111',
    'Config1111111111111111111111111111111111111',
    'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
    'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
    'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
    'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  ])('is refused on Solana: %s', (text) => {
    expect(readAddress('SOL', text)).toBeUndefined();
  });
});
