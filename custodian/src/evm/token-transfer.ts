import { readEvmAddress } from '../../../src/addresses/evm-address.ts';

/** `transfer(address,uint256)` of ERC-20. */
const SELECTOR = '0xa9059cbb';
const WORD = 64;

/** The call data of an ERC-20 transfer. */
export function writeTransfer(recipient: string, atoms: bigint): string {
  return `${SELECTOR}${recipient.slice(2).toLowerCase().padStart(WORD, '0')}${atoms.toString(16).padStart(WORD, '0')}`;
}

/** What the call data of exactly one ERC-20 transfer moves, or `undefined` for any other call. */
export function readTransfer(data: string): { readonly recipient: string; readonly atoms: bigint } | undefined {
  const words = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/.exec(data);
  const recipient = readEvmAddress(`0x${words?.[1] ?? ''}`);
  return recipient === undefined ? undefined : { recipient, atoms: BigInt(`0x${words?.[2] ?? '0'}`) };
}
