import type { Network } from '../../../src/money/networks.ts';

/** The public test mnemonic (BIP-39), from which every vector here is derived. Never fund it. */
export const TEST_MNEMONIC =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about';

/** The mnemonic's address on a network, the account index in its path, and the standard that it proves. */
export interface AddressVector {
  readonly network: Network;
  readonly index: number;
  readonly address: string;
  readonly standard: string;
  /** Whether others have published it, or only two independent sets of libraries agree on it. */
  readonly isPublished: boolean;
}

function vector(
  network: Network,
  index: number,
  address: string,
  standard: string,
  isPublished: boolean,
): AddressVector {
  return { network, index, address, standard, isPublished };
}

export const addressVectors: readonly AddressVector[] = [
  vector('BTC', 0, 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu', 'BIP-84', true),
  vector('ETH', 0, '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', 'BIP-44 under coin type 60, EIP-55', true),
  vector('BEP20', 0, '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', 'BIP-44 under coin type 60, EIP-55', true),
  vector('ARBITRUM', 0, '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', 'BIP-44 under coin type 60, EIP-55', true),
  vector('OPTIMISM', 0, '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', 'BIP-44 under coin type 60, EIP-55', true),
  vector('BASE', 0, '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', 'BIP-44 under coin type 60, EIP-55', true),
  vector('AVAX', 0, '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', 'BIP-44 under coin type 60, EIP-55', true),
  vector('POLYGON', 0, '0x9858EfFD232B4033E47d90003D41EC34EcaEda94', 'BIP-44 under coin type 60, EIP-55', true),
  vector('TRC20', 0, 'TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH', 'BIP-44 under coin type 195', true),
  vector('TRC20', 2, 'TYJPRrdB5APNeRs4R7fYZSwW3TcrTKw2gx', 'BIP-44 under coin type 195', true),
  vector('SOL', 0, 'HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk', 'SLIP-0010 under coin type 501', true),
  vector('SOL', 2, '7WktogJEd2wQ9eH2oWusmcoFTgeYi6rS632UviTBJ2jm', 'SLIP-0010 under coin type 501', true),
  vector('LTC', 0, 'ltc1qjmxnz78nmc8nq77wuxh25n2es7rzm5c2rkk4wh', 'BIP-84 under coin type 2', true),
  vector('DOGE', 0, 'DBus3bamQjgJULBJtYXpEzDWQRwF5iwxgC', 'BIP-44 under coin type 3', true),
  vector('BTC', 2, 'bc1qp59yckz4ae5c4efgw2s5wfyvrz0ala7rgvuz8z', 'BIP-84', false),
  vector('BEP20', 2, '0xb6716976A3ebe8D39aCEB04372f22Ff8e6802D7A', 'BIP-44 under coin type 60, EIP-55', false),
  vector('ETH', 2, '0xb6716976A3ebe8D39aCEB04372f22Ff8e6802D7A', 'BIP-44 under coin type 60, EIP-55', false),
  vector('ARBITRUM', 2, '0xb6716976A3ebe8D39aCEB04372f22Ff8e6802D7A', 'BIP-44 under coin type 60, EIP-55', false),
  vector('OPTIMISM', 2, '0xb6716976A3ebe8D39aCEB04372f22Ff8e6802D7A', 'BIP-44 under coin type 60, EIP-55', false),
  vector('BASE', 2, '0xb6716976A3ebe8D39aCEB04372f22Ff8e6802D7A', 'BIP-44 under coin type 60, EIP-55', false),
  vector('AVAX', 2, '0xb6716976A3ebe8D39aCEB04372f22Ff8e6802D7A', 'BIP-44 under coin type 60, EIP-55', false),
  vector('POLYGON', 2, '0xb6716976A3ebe8D39aCEB04372f22Ff8e6802D7A', 'BIP-44 under coin type 60, EIP-55', false),
  vector('LTC', 2, 'ltc1qc6aucuznvhh9uvux246x24vf9y9ncfk729m92s', 'BIP-84 under coin type 2', false),
  vector('DOGE', 2, 'D8K3KyDQ9FXeC3ADCuWW7cnWC7RvjHjV8H', 'BIP-44 under coin type 3', false),
];
