/**
 * Whether the bytes of an address are a number that chains reserve rather than a key's: all the same, as zero is, or
 * nothing but zeros between the first byte and the last two. Precompiles, system contracts and predeploys of every
 * EVM network stand there (0x…01, 0x…1010, 0x0100…00, 0x4200…06, 0x…dEaD), and no one finds a key for such an address.
 */
export function isReserved(bytes: readonly number[]): boolean {
  return bytes.every((byte) => byte === bytes[0]) || bytes.slice(1, -2).every((byte) => byte === 0);
}
