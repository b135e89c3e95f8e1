import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, hex } from '@scure/base';

/** The programs and system accounts that our transactions name. */
export const SYSTEM_PROGRAM = '11111111111111111111111111111111';
export const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const ASSOCIATED_TOKEN_PROGRAM = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL';
const COMPUTE_BUDGET_PROGRAM = 'ComputeBudget111111111111111111111111111111';
const RECENT_BLOCKHASHES = 'SysvarRecentB1ockHashes11111111111111111111';
const RENT = 'SysvarRent111111111111111111111111111111111';

/** The numbers of the instructions that say which fence a transaction uses. */
const ADVANCE_NONCE = 4;
const ALLOCATE_WITH_SEED = 9;

const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** An account that an instruction names, and what it does with it. */
interface AccountUse {
  readonly key: string;
  readonly signs: boolean;
  readonly writes: boolean;
}

/** One step of a transaction. */
export interface Instruction {
  readonly program: string;
  readonly accounts: readonly AccountUse[];
  readonly data: Uint8Array;
}

const reads = (key: string): AccountUse => ({ key, signs: false, writes: false });
const writes = (key: string): AccountUse => ({ key, signs: false, writes: true });
const signs = (key: string): AccountUse => ({ key, signs: true, writes: false });
const pays = (key: string): AccountUse => ({ key, signs: true, writes: true });

/** A whole number in so many bytes, the lowest first. */
function little(value: bigint | number, bytes: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, place) => Number((BigInt(value) >> BigInt(8 * place)) & 0xffn));
}

function join(...parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

/** The nonce account's value is used up, and becomes another. It must be the first instruction. */
export function advanceNonce(account: string, authority: string): Instruction {
  const accounts = [writes(account), reads(RECENT_BLOCKHASHES), signs(authority)];
  return { program: SYSTEM_PROGRAM, accounts, data: little(ADVANCE_NONCE, 4) };
}

/** The compute units that the transaction may use, and what it offers for each, in millionths of a lamport. */
export function limitCompute(units: number, price: bigint): Instruction[] {
  return [
    { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: join(Uint8Array.of(2), little(units, 4)) },
    { program: COMPUTE_BUDGET_PROGRAM, accounts: [], data: join(Uint8Array.of(3), little(price, 8)) },
  ];
}

/** Makes the associated token account of a wallet, if there is none. Fails when that account is no longer the wallet's. */
export function makeTokenAccount(payer: string, owner: string, mint: string): Instruction {
  const account = tokenAccountOf(owner, mint);
  const accounts = [
    pays(payer),
    writes(account),
    reads(owner),
    reads(mint),
    reads(SYSTEM_PROGRAM),
    reads(TOKEN_PROGRAM),
  ];
  return { program: ASSOCIATED_TOKEN_PROGRAM, accounts, data: Uint8Array.of(1) };
}

/** Moves tokens between two token accounts of one mint. */
export function transferTokens(
  source: string,
  mint: string,
  target: string,
  owner: string,
  atoms: bigint,
  decimals: number,
): Instruction {
  const accounts = [writes(source), reads(mint), writes(target), signs(owner)];
  return {
    program: TOKEN_PROGRAM,
    accounts,
    data: join(Uint8Array.of(12), little(atoms, 8), Uint8Array.of(decimals)),
  };
}

/** The bytes of a nonce account, and the lamports that it needs to exist. */
const NONCE_BYTES = 80;
export const NONCE_RENT = 1_447_680n;

/** The lamports that a token account needs to exist. */
export const TOKEN_ACCOUNT_RENT = 2_039_280n;

/** A transaction pays so many lamports for each signature. */
export const SIGNATURE_FEE = 5_000n;

/**
 * Makes a nonce account of the pool, which `authority` alone can use. Somebody may have sent coins to its address, so it is
 * not made by one instruction, which would then fail.
 */
export function makeNonceAccount(payer: string, number: number, authority: string): Instruction[] {
  const account = nonceAccountOf(payer, number);
  const seed = new TextEncoder().encode(seedOf(number));
  const allocate = join(
    little(ALLOCATE_WITH_SEED, 4),
    base58.decode(payer),
    little(seed.length, 8),
    seed,
    little(NONCE_BYTES, 8),
    base58.decode(SYSTEM_PROGRAM),
  );
  return [
    { program: SYSTEM_PROGRAM, accounts: [writes(account), signs(payer)], data: allocate },
    {
      program: SYSTEM_PROGRAM,
      accounts: [pays(payer), writes(account)],
      data: join(little(2, 4), little(NONCE_RENT, 8)),
    },
    {
      program: SYSTEM_PROGRAM,
      accounts: [writes(account), reads(RECENT_BLOCKHASHES), reads(RENT)],
      data: join(little(6, 4), base58.decode(authority)),
    },
  ];
}

function seedOf(number: number): string {
  return `bureau-nonce-${number}`;
}

/** The address of a nonce account of the pool. It has no key of its own. */
export function nonceAccountOf(hot: string, number: number): string {
  const seed = new TextEncoder().encode(seedOf(number));
  return base58.encode(sha256(join(base58.decode(hot), seed, base58.decode(SYSTEM_PROGRAM))));
}

/** The address of a wallet's associated token account. */
export function tokenAccountOf(owner: string, mint: string): string {
  const seeds = [owner, TOKEN_PROGRAM, mint].map((key) => base58.decode(key));
  for (let bump = 255; bump >= 0; bump -= 1) {
    const address = sha256(
      join(
        ...seeds,
        Uint8Array.of(bump),
        base58.decode(ASSOCIATED_TOKEN_PROGRAM),
        new TextEncoder().encode('ProgramDerivedAddress'),
      ),
    );
    if (!isOnCurve(address)) return base58.encode(address);
  }
  throw new Error('there is no such token account');
}

function isOnCurve(bytes: Uint8Array): boolean {
  try {
    ed25519.Point.fromBytes(bytes, true);
    return true;
  } catch {
    return false;
  }
}

/** A length or an index in one to three bytes, seven bits each. */
function compact(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let rest = value; ; rest >>= 7) {
    if (rest < 0x80) return Uint8Array.from([...bytes, rest]);
    bytes.push((rest & 0x7f) | 0x80);
  }
}

/** Writes a legacy message: what is signed. The payer signs first. */
export function writeMessage(payer: string, lifetime: string, instructions: readonly Instruction[]): Uint8Array {
  const uses = [pays(payer), ...instructions.flatMap(({ accounts, program }) => [...accounts, reads(program)])];
  const keys = [...new Set(uses.map(({ key }) => key))].map((key) => ({
    key,
    signs: uses.some((use) => use.key === key && use.signs),
    writes: uses.some((use) => use.key === key && use.writes),
  }));
  // Signers come first, and among each kind those that are written. The payer is the first of all.
  const ordered = [true, false].flatMap((signing) =>
    [true, false].flatMap((writing) => keys.filter((one) => one.signs === signing && one.writes === writing)),
  );
  const place = (key: string) => ordered.findIndex((one) => one.key === key);
  const header = Uint8Array.of(
    ordered.filter((one) => one.signs).length,
    ordered.filter((one) => one.signs && !one.writes).length,
    ordered.filter((one) => !one.signs && !one.writes).length,
  );
  return join(
    header,
    compact(ordered.length),
    ...ordered.map(({ key }) => base58.decode(key)),
    base58.decode(lifetime),
    compact(instructions.length),
    ...instructions.map(({ program, accounts, data }) =>
      join(
        Uint8Array.of(place(program)),
        compact(accounts.length),
        Uint8Array.from(accounts.map(({ key }) => place(key))),
        compact(data.length),
        data,
      ),
    ),
  );
}

/** A message with its signatures, as nodes take it. */
export function writeTransaction(message: Uint8Array, signatures: readonly Uint8Array[]): Uint8Array {
  return join(compact(signatures.length), ...signatures, message);
}

/** Reads bytes one after the other. Throws at their end. */
class Reader {
  readonly #bytes: Uint8Array;
  #place = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(count: number): Uint8Array {
    const taken = this.#bytes.subarray(this.#place, this.#place + count);
    if (taken.length < count) throw new Error('the transaction ends too early');
    this.#place += count;
    return taken;
  }

  compact(): number {
    let value = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const [byte = 0] = this.take(1);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new Error('a length of the transaction is too long');
  }

  rest(): Uint8Array {
    return this.#bytes.subarray(this.#place);
  }
}

/** The message of a transaction, of any version. */
export function readMessage(transaction: Uint8Array): Uint8Array {
  const reader = new Reader(transaction);
  reader.take(reader.compact() * SIGNATURE_BYTES);
  return reader.rest();
}

/**
 * The fence of a message, which only one transaction of the chain can use: the value of a nonce account, an account of the
 * pool that is made, or the message itself while its blockhash lives.
 */
export function nameFence(message: Uint8Array): string {
  const reader = new Reader(message);
  const [first = 0] = reader.take(1);
  reader.take(first < 0x80 ? 2 : 3);
  const keys = Array.from({ length: reader.compact() }, () => base58.encode(reader.take(KEY_BYTES)));
  const lifetime = base58.encode(reader.take(KEY_BYTES));
  const count = reader.compact();
  const program = count > 0 ? keys[reader.take(1)[0] ?? 0] : undefined;
  if (program === SYSTEM_PROGRAM) {
    const accounts = reader.take(reader.compact());
    const [kind] = reader.take(reader.compact());
    const account = keys[accounts[0] ?? keys.length];
    if (kind === ADVANCE_NONCE && account !== undefined) return nameNonce(account, lifetime);
    if (kind === ALLOCATE_WITH_SEED && account !== undefined) return nameNewNonce(account);
  }
  return `message:${hex.encode(sha256(message))}`;
}

/** The fence of a nonce. Two accounts may have the same value. */
export function nameNonce(account: string, value: string): string {
  return `${account}:${value}`;
}

/** The fence of the transaction that makes a nonce account. */
function nameNewNonce(account: string): string {
  return `${account}:new`;
}
