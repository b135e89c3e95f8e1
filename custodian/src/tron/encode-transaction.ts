import { sha256 } from '@noble/hashes/sha2.js';
import { concatBytes, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { hex } from '@scure/base';
import { accountOf } from '../account-address.ts';
import type { TronTransaction } from '../signer/requests.ts';

/**
 * The bytes of a Tron transaction, in protocol buffers: the two contracts that the custodian uses, a payment of TRX and a
 * call of a contract. The message is Tron's `Transaction.raw`; a field that is 0 is left out, so there is one form.
 */
const VARINT = 0;
const BYTES = 2;

/** A varint: seven bits a byte, the lowest first. */
function writeVarint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7fn; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  return Uint8Array.from([...bytes, Number(left)]);
}

function writeNumber(field: number, value: bigint): Uint8Array {
  if (value === 0n) return Uint8Array.of();
  return concatBytes(writeVarint(BigInt((field << 3) | VARINT)), writeVarint(value));
}

function writeBytes(field: number, value: Uint8Array): Uint8Array {
  return concatBytes(writeVarint(BigInt((field << 3) | BYTES)), writeVarint(BigInt(value.length)), value);
}

function writeAddress(field: number, address: string): Uint8Array {
  return writeBytes(field, hexToBytes(`41${accountOf('TRC20', address).slice(2)}`));
}

/** A kind of contract: its number, and its message for this transaction. */
function writeContract(owner: string, { to, value, data }: TronTransaction) {
  if (data === '0x') {
    const message = concatBytes(writeAddress(1, owner), writeAddress(2, to), writeNumber(3, BigInt(value)));
    return { kind: 1n, name: 'TransferContract', message };
  }
  const moved = writeNumber(3, BigInt(value));
  const called = writeBytes(4, hexToBytes(data.slice(2)));
  const message = concatBytes(writeAddress(1, owner), writeAddress(2, to), moved, called);
  return { kind: 31n, name: 'TriggerSmartContract', message };
}

/** The part of a transaction that is signed, and its id: the SHA-256 of these bytes. */
export function encodeRaw(owner: string, transaction: TronTransaction): { raw: Uint8Array; txHash: string } {
  const { refBlock, expiration_ms, timestamp_ms, feeLimit } = transaction;
  const { kind, name, message } = writeContract(owner, transaction);
  const any = concatBytes(writeBytes(1, utf8ToBytes(`type.googleapis.com/protocol.${name}`)), writeBytes(2, message));
  const id = hexToBytes(refBlock);
  const raw = concatBytes(
    // The last two bytes of the block's number, and eight bytes of its hash.
    writeBytes(1, id.subarray(6, 8)),
    writeBytes(4, id.subarray(8, 16)),
    writeNumber(8, BigInt(expiration_ms)),
    writeBytes(11, concatBytes(writeNumber(1, kind), writeBytes(2, any))),
    writeNumber(14, BigInt(timestamp_ms)),
    writeNumber(18, BigInt(feeLimit)),
  );
  return { raw, txHash: hex.encode(sha256(raw)) };
}

/** The whole transaction, as nodes take it. */
export function encodeSigned(raw: Uint8Array, signature: Uint8Array): string {
  return hex.encode(concatBytes(writeBytes(1, raw), writeBytes(2, signature)));
}
