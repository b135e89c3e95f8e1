/**
 * Whether an address is one of those that chains reserve: all bytes equal, or only zeros between the first byte and the
 * last two. Precompiles, system contracts and predeploys of all EVM networks are there (0x…01, 0x…1010, 0x0100…00,
 * 0x4200…06, 0x…dEaD), and nobody can find a key for such an address.
 */
export function isReserved(bytes: readonly number[]): boolean {
  return bytes.every((byte) => byte === bytes[0]) || bytes.slice(1, -2).every((byte) => byte === 0);
}
