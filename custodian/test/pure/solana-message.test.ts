import {
  type Instruction,
  address as toAddress,
  appendTransactionMessageInstructions,
  compileTransactionMessage,
  createAddressWithSeed,
  createNoopSigner,
  createTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getPublicKeyFromAddress,
  getTransactionDecoder,
  lamports,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  blockhash as toBlockhash,
  verifySignature,
} from '@solana/kit';
import {
  SYSTEM_PROGRAM_ADDRESS,
  getAdvanceNonceAccountInstruction,
  getAllocateWithSeedInstruction,
  getInitializeNonceAccountInstruction,
  getTransferSolInstruction,
} from '@solana-program/system';
import { getCreateAssociatedTokenIdempotentInstruction, getTransferCheckedInstruction } from '@solana-program/token';
import { hex } from '@scure/base';
import { expect, test } from 'vitest';
import { signSolana } from '../../src/signer/encode.ts';
import { nameFence, nonceAccountOf, readMessage, tokenAccountOf } from '../../src/solana/solana-message.ts';
import { writePayment } from '../../src/solana/write-payment.ts';
import { associatedOf, customerOf, drawWallet, hot } from '../support/play-solana-customer.ts';
import { wallet } from '../support/run-custodian.ts';
import { MINTS } from '../support/start-solana.ts';

const VALUE = 'GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W';
const hotSigner = createNoopSigner(toAddress(hot));
const compute = { computeLimit: 132_000, computePrice: '1001' };

/** The same transaction by kit and the programs' own libraries, but for the limits of its computing. */
function byKit(instructions: readonly Instruction[]) {
  const message = pipe(
    createTransactionMessage({ version: 'legacy' }),
    (one) => setTransactionMessageFeePayer(toAddress(hot), one),
    (one) =>
      setTransactionMessageLifetimeUsingBlockhash({ blockhash: toBlockhash(VALUE), lastValidBlockHeight: 1n }, one),
    (one) => appendTransactionMessageInstructions(instructions, one),
  );
  return compileTransactionMessage(message);
}

type Compiled = ReturnType<typeof byKit>;

/** Who signs, who is written, and what each instruction says: all but the order of the accounts. */
function readCompiled({ header, staticAccounts, instructions, lifetimeToken }: Compiled) {
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header;
  const roles = Object.fromEntries(
    staticAccounts.map((key, place) => {
      const signs = place < numSignerAccounts;
      const end = signs
        ? numSignerAccounts - numReadonlySignerAccounts
        : staticAccounts.length - numReadonlyNonSignerAccounts;
      return [key, `${signs ? 'signs' : ''} ${place < end ? 'writes' : 'reads'}`];
    }),
  );
  return {
    payer: staticAccounts[0],
    lifetimeToken,
    roles,
    instructions: instructions.map(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => ({
      program: staticAccounts[programAddressIndex],
      accounts: accountIndices.map((place) => staticAccounts[place]),
      data: hex.encode(new Uint8Array(data)),
    })),
  };
}

/** Two instructions of another program, which the libraries here do not write: their bytes are of its documentation. */
const budget: Instruction[] = [
  { programAddress: toAddress('ComputeBudget111111111111111111111111111111'), data: hex.decode('02a0030200') },
  { programAddress: toAddress('ComputeBudget111111111111111111111111111111'), data: hex.decode('03e903000000000000') },
].map((one) => ({ ...one, accounts: [] }));

function compare(message: Uint8Array, instructions: readonly Instruction[]): void {
  const ours = getCompiledTransactionMessageDecoder().decode(message) as Compiled;
  expect(readCompiled(ours)).toEqual(readCompiled(byKit(instructions)));
}

const advance = () =>
  getAdvanceNonceAccountInstruction({
    nonceAccount: toAddress(nonceAccountOf(hot, 3)),
    nonceAuthority: hotSigner,
  });

async function moves(owner: string, recipient: string, sources: readonly string[]): Promise<Instruction[]> {
  const ata = toAddress(await associatedOf(recipient));
  const mint = toAddress(MINTS.USDC);
  return [
    getCreateAssociatedTokenIdempotentInstruction({ payer: hotSigner, ata, owner: toAddress(recipient), mint }),
    ...sources.map((source, place) =>
      getTransferCheckedInstruction({
        source: toAddress(source),
        mint,
        destination: ata,
        authority: createNoopSigner(toAddress(owner)),
        amount: 12_500_000n + BigInt(place),
        decimals: 6,
      }),
    ),
  ];
}

const pay = (recipient: string, sources: readonly string[]) => ({
  mint: MINTS.USDC,
  recipient,
  transfers: sources.map((source, place) => ({ source, atoms: String(12_500_000 + place) })),
});

test('a payout is what the libraries of kit and of the programs write', async () => {
  const [recipient, source] = [await drawWallet(), await associatedOf(hot)];
  const message = writePayment(
    { nonceAccount: 3, lifetime: VALUE, ...compute, payment: pay(recipient, [source]) },
    { hot, owner: hot, newNonce: null },
  );
  compare(message, [advance(), ...budget, ...(await moves(hot, recipient, [source]))]);
  expect(nameFence(message)).toBe(`${nonceAccountOf(hot, 3)}:${VALUE}`);
});

test('a sweep of several accounts is signed by the hot wallet, which pays, and by the deposit address', async () => {
  const owner = customerOf(5);
  const sources = [await associatedOf(owner), await drawWallet()];
  const parties = { hot, owner, newNonce: null };
  const message = writePayment({ nonceAccount: 3, lifetime: VALUE, ...compute, payment: pay(hot, sources) }, parties);
  compare(message, [advance(), ...budget, ...(await moves(owner, hot, sources))]);
  const keys = [wallet.solanaKey({ account: 'hot', index: 0 }), wallet.solanaKey({ account: 'deposit', index: 5 })];
  const { raw } = signSolana(message, keys);
  const { signatures, messageBytes } = getTransactionDecoder().decode(hex.decode(raw));
  expect(Object.keys(signatures)).toEqual([hot, owner]);
  for (const [signer, signature] of Object.entries(signatures)) {
    const key = await getPublicKeyFromAddress(toAddress(signer));
    if (!signature) throw new Error('both have signed');
    expect(await verifySignature(key, signature, messageBytes)).toBe(true);
  }
  expect(readMessage(hex.decode(raw))).toEqual(message);
});

test('a nonce account is made in steps that coins at its address do not stop, and its fence is the account', () => {
  const account = toAddress(nonceAccountOf(hot, 7));
  const message = writePayment(
    { nonceAccount: null, lifetime: VALUE, ...compute, payment: null },
    { hot, owner: hot, newNonce: 7 },
  );
  compare(message, [
    getAllocateWithSeedInstruction({
      newAccount: account,
      baseAccount: hotSigner,
      base: toAddress(hot),
      seed: 'bureau-nonce-7',
      space: 80n,
      programAddress: SYSTEM_PROGRAM_ADDRESS,
    }),
    getTransferSolInstruction({ source: hotSigner, destination: account, amount: lamports(1_447_680n) }),
    getInitializeNonceAccountInstruction({ nonceAccount: account, nonceAuthority: toAddress(hot) }),
    ...budget,
  ]);
  expect(nameFence(message)).toBe(`${account}:new`);
});

test('without a nonce the fence is the message itself, of any version; one that ends too early is an error', async () => {
  const parties = { hot, owner: hot, newNonce: null };
  const payment = pay(await drawWallet(), [await associatedOf(hot)]);
  const message = writePayment({ nonceAccount: null, lifetime: VALUE, ...compute, payment }, parties);
  expect(nameFence(message)).toMatch(/^message:[0-9a-f]{64}$/);
  expect(nameFence(Uint8Array.of(0x80, ...message))).not.toBe(nameFence(message));
  const byNonce = writePayment({ nonceAccount: 1, lifetime: VALUE, ...compute, payment }, parties);
  expect(nameFence(Uint8Array.of(0x80, ...byNonce))).toBe(nameFence(byNonce));
  expect(() => nameFence(message.subarray(0, 40))).toThrow('ends too early');
});

test('addresses are those of kit, and keys those that wallets derive', async () => {
  const owners = [hot, ...(await Promise.all(Array.from({ length: 20 }, drawWallet)))];
  for (const owner of owners) {
    for (const mint of Object.values(MINTS)) expect(tokenAccountOf(owner, mint)).toBe(await associatedOf(owner, mint));
  }
  for (const number of [0, 7, 199]) {
    const seed = `bureau-nonce-${number}`;
    const known = { baseAddress: toAddress(hot), programAddress: SYSTEM_PROGRAM_ADDRESS, seed };
    expect(nonceAccountOf(hot, number)).toBe(await createAddressWithSeed(known));
  }
  // The public test mnemonic at m/44'/501'/0'/0'.
  expect(customerOf(0)).toBe('HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk');
  expect(new Set([hot, customerOf(0), customerOf(1)]).size).toBe(3);
});
