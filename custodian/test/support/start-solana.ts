import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  type Instruction,
  type KeyPairSigner,
  appendTransactionMessageInstructions,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase58Decoder,
  getBase58Encoder,
  getBase64EncodedWireTransaction,
  getCompiledTransactionMessageDecoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  address as toAddress,
  blockhash as toBlockhash,
} from '@solana/kit';
import { getMintEncoder, getTokenDecoder, getTokenEncoder, AccountState } from '@solana-program/token';

/**
 * A played node of Solana: JSON-RPC before litesvm, which is the real virtual machine with the real programs. Played are
 * slots, blocks, forks, commitment, the age of blockhashes, and what litesvm lacks: a transaction that fails in a block has
 * used its nonce.
 */

export const MINTS = {
  USDC: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  USDT: 'Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB',
} as const;
export const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
export const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb';
const SYSTEM = '11111111111111111111111111111111';
const GENESIS = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

/** A block is finalized when so many are on top of it. */
const ROOTED = 31;
/** A blockhash is taken for so many blocks. */
const BLOCKHASH_LIFE = 150;
/** So many blocks can be forked away. */
const KEPT = 64;

const encode = (key: string) => new Uint8Array(getBase58Encoder().encode(key));
const decode = (bytes: Uint8Array) => getBase58Decoder().decode(bytes);

interface NativeAccount {
  lamports(): bigint;
  data(): Uint8Array;
  owner(): Uint8Array;
}

interface Native {
  toBytes(): Uint8Array;
  setBlockhashCheck(check: boolean): void;
  setTransactionHistory(capacity: bigint): void;
  getAccount(key: Uint8Array): NativeAccount | null;
  setAccount(key: Uint8Array, account: NativeAccount): void;
  getProgramAccounts(program: Uint8Array): { address: Uint8Array; account(): NativeAccount }[];
  getBalance(key: Uint8Array): bigint | null;
  airdrop(key: Uint8Array, lamports: bigint): unknown;
  latestBlockhash(): string;
  expireBlockhash(): void;
  warpToSlot(slot: bigint): void;
  sendLegacyTransaction(bytes: Uint8Array): object;
  sendVersionedTransaction(bytes: Uint8Array): object;
  simulateLegacyTransaction(bytes: Uint8Array): object;
  simulateVersionedTransaction(bytes: Uint8Array): object;
}

interface NativeModule {
  readonly LiteSvm: { new (): Native; fromBytes(bytes: Uint8Array): Native };
  readonly Account: new (
    lamports: bigint,
    data: Uint8Array,
    owner: Uint8Array,
    executable: boolean,
    rentEpoch: bigint,
  ) => NativeAccount;
  readonly FailedTransactionMetadata: new () => { err(): unknown };
}

const MISSING = `There is no litesvm. On Linux (x64, glibc), "npm ci" brings one, unless optional dependencies are left out.`;

/** The virtual machine, which is a native module. If there is none, throws an error that says what to do. */
function findLitesvm(): NativeModule {
  try {
    return createRequire(import.meta.url)('litesvm-linux-x64-gnu') as NativeModule;
  } catch (error) {
    throw new Error(MISSING, { cause: error });
  }
}

/** A transaction in a block. */
interface Landed {
  readonly signature: string;
  readonly bytes: Uint8Array;
  readonly keys: readonly { pubkey: string; signer: boolean; writable: boolean }[];
  readonly meta: { readonly err: unknown; readonly fee: number; readonly [field: string]: unknown };
}

interface Block {
  readonly slot: number;
  readonly height: number;
  readonly parentSlot: number;
  readonly blockhash: string;
  readonly previousBlockhash: string;
  readonly transactions: readonly Landed[];
  readonly snapshot: Uint8Array;
}

/** What the played node does wrong. */
export interface SolanaFaults {
  /** Requests get no answer. */
  isDown: boolean;
  hangs: boolean;
  /** Answers are a web page. */
  isPage: boolean;
  genesis: string;
  /** A transaction is taken, and never sent on. */
  forgets: boolean;
  /** A transaction is taken, and the answer is lost. */
  losesAnswers: boolean;
  /** So many blocks the node is behind. */
  behind: number;
  /** Blocks of these slots are not there any more. */
  pruned: Set<number>;
  /** It leaves these slots out where it lists those that have a block. */
  hidden: Set<number>;
  /** Blocks take no transaction; they wait. */
  withholds: boolean;
  /** A failed transaction does not use its nonce: what litesvm does by itself, and no real node. */
  keepsNonces: boolean;
  /** What transactions offer for a compute unit. */
  computePrice: number;
  /** Tokens that a block is said to have moved, added to those that it did. */
  invents: (signature: string) => number;
}

class Refused extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

const FAULTLESS = (): SolanaFaults => ({
  isDown: false,
  hangs: false,
  isPage: false,
  genesis: GENESIS,
  forgets: false,
  losesAnswers: false,
  behind: 0,
  pruned: new Set(),
  hidden: new Set(),
  withholds: false,
  keepsNonces: false,
  computePrice: 0,
  invents: () => 0,
});

export class PlayedSolana {
  readonly faults = FAULTLESS();
  /** Names of the methods that were called. */
  readonly calls: string[] = [];
  /** Every transaction that was ever taken. */
  readonly taken: Uint8Array[] = [];
  readonly minter: KeyPairSigner;
  readonly #native = findLitesvm();
  #svm: Native;
  #blocks: Block[] = [];
  #slot = 0;
  /** The newest slot whose block somebody has read with its transactions. */
  #readSlot = 0;
  /** Every hash that a block ever had, also on a fork. */
  readonly #hashes = new Set<string>();
  /** Whether the state differs from that after the newest block. */
  #isChanged = true;
  #waiting: Uint8Array[] = [];
  #final: { snapshot: Uint8Array; svm: Native } | undefined;
  readonly #hanging: Socket[] = [];
  readonly #server = createServer((request, response) => {
    if (this.faults.isDown) return void request.socket.destroy();
    if (this.faults.hangs) return void this.#hanging.push(request.socket);
    if (this.faults.isPage) return void response.end('<html>Welcome</html>');
    void text(request).then((body) => {
      const { id, method, params } = JSON.parse(body) as { id: unknown; method: string; params?: unknown[] };
      let answer: object;
      try {
        answer = { result: this.#answer(method, params ?? []) };
      } catch (error) {
        if (!(error instanceof Refused)) console.error(method, error);
        const { code, message, data } = error instanceof Refused ? error : new Refused(-32603, String(error));
        answer = { error: { code, message, ...(data === undefined ? {} : { data }) } };
      }
      if (method === 'sendTransaction' && this.faults.losesAnswers) return void request.socket.destroy();
      const replacer = (_: string, value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }, replacer));
    });
  });

  private constructor(minter: KeyPairSigner) {
    this.minter = minter;
    this.#svm = new this.#native.LiteSvm();
  }

  /** Another node of the same chain, without its faults. */
  standBeside(): PlayedSolana {
    const other = new PlayedSolana(this.minter);
    other.#svm = this.#svm;
    other.#blocks = this.#blocks;
    return other;
  }

  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  /** Starts one on loopback, with the two listed tokens, and enough blocks that the first are finalized. */
  static async start(): Promise<PlayedSolana> {
    const played = new PlayedSolana(await generateKeyPairSigner());
    played.#svm.airdrop(encode(played.minter.address), 1_000_000_000_000n);
    for (const mint of Object.values(MINTS)) played.setMint(mint, TOKEN);
    await played.listen();
    played.produce();
    return played;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  get #tip(): Block {
    const tip = this.#blocks.at(-1);
    if (!tip) throw new Error('there is no block');
    return tip;
  }

  /** Whether transactions wait for a block. */
  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  get finalSlot(): number {
    return this.#finalBlock.slot;
  }

  get #finalBlock(): Block {
    const last = Math.max(0, this.#blocks.length - 1 - ROOTED - this.faults.behind);
    return this.#blocks[last] ?? this.#tip;
  }

  /** Makes blocks, one in each slot, the first with all transactions that wait. */
  produce(count = 1): void {
    for (let made = 0; made < count; made += 1) this.#produceOne();
  }

  /** Makes blocks when somebody has read the newest finalized one: else a slow reader would fall behind more and more. */
  produceWhenRead(count: number): void {
    if (this.#readSlot >= this.finalSlot) this.produce(count);
  }

  /** Makes blocks until the newest is finalized. */
  finalize(): void {
    this.produce(ROOTED + 1);
  }

  /** Slots pass without a block. */
  skip(count: number): void {
    this.#slot += count;
  }

  #produceOne(): void {
    const parent = this.#blocks.at(-1);
    this.#slot += 1;
    this.#svm.warpToSlot(BigInt(this.#slot));
    const waiting = this.faults.withholds ? [] : this.#waiting;
    if (!this.faults.withholds) this.#waiting = [];
    const transactions = waiting.flatMap((bytes) => this.#run(bytes) ?? []);
    do this.#svm.expireBlockhash();
    while (this.#hashes.has(this.#svm.latestBlockhash()));
    this.#hashes.add(this.#svm.latestBlockhash());
    // A snapshot takes time, so blocks that change nothing share one.
    const snapshot = parent && !this.#isChanged ? parent.snapshot : this.#svm.toBytes();
    this.#isChanged = false;
    this.#blocks.push({
      slot: this.#slot,
      height: (parent?.height ?? 0) + 1,
      parentSlot: parent?.slot ?? 0,
      blockhash: this.#svm.latestBlockhash(),
      previousBlockhash: parent?.blockhash ?? GENESIS,
      transactions,
      snapshot,
    });
    const old = this.#blocks.at(-KEPT - 1);
    if (old) this.#blocks[this.#blocks.length - KEPT - 1] = { ...old, snapshot: Uint8Array.of() };
  }

  /** Takes the newest blocks away, as a fork does. Their transactions are in no block; returns them. */
  fork(depth: number): Uint8Array[] {
    const gone = this.#blocks.splice(-depth);
    this.#svm = this.#native.LiteSvm.fromBytes(this.#tip.snapshot);
    this.#slot = this.#tip.slot;
    this.#isChanged = true;
    return gone.flatMap(({ transactions }) => transactions.map(({ bytes }) => bytes));
  }

  /** Whether a request waits for an answer that never comes. */
  get isHanging(): boolean {
    return this.#hanging.length > 0;
  }

  endHanging(): void {
    this.faults.hangs = false;
    for (const socket of this.#hanging.splice(0)) socket.destroy();
  }

  /** A transaction that was ever taken, by its signature. */
  findTaken(signature: string): Uint8Array | undefined {
    return this.taken.find((bytes) => this.#read(bytes).signature === signature);
  }

  /** Drops the transactions that wait. */
  forgetWaiting(): void {
    this.#waiting = [];
  }

  /** The machine does not remember what it ran: a real node does so for 150 blocks. */
  forgetsHistory(): void {
    this.#svm.setTransactionHistory(0n);
  }

  /** Puts transactions into the next block without trying them first. */
  force(transactions: readonly Uint8Array[]): void {
    this.#waiting.push(...transactions);
  }

  #read(bytes: Uint8Array) {
    const { messageBytes, signatures } = getTransactionDecoder().decode(bytes);
    const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
    const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = message.header;
    const keys = message.staticAccounts.map((pubkey, place, { length }) => ({
      pubkey: String(pubkey),
      signer: place < numSignerAccounts,
      writable:
        place < numSignerAccounts
          ? place < numSignerAccounts - numReadonlySignerAccounts
          : place < length - numReadonlyNonSignerAccounts,
    }));
    const first = 'instructions' in message ? message.instructions[0] : undefined;
    const isNonce =
      first !== undefined &&
      keys[first.programAddressIndex]?.pubkey === SYSTEM &&
      first.data?.[0] === 4 &&
      first.data.length === 4;
    const nonce = isNonce ? keys[first.accountIndices?.[0] ?? 0]?.pubkey : undefined;
    const signature = decode(new Uint8Array(Object.values(signatures)[0] ?? new Uint8Array(64)));
    const isLegacy = ((messageBytes[0] ?? 0) & 0x80) === 0;
    return { keys, nonce, signature, isLegacy, lifetime: message.lifetimeToken };
  }

  /** Lets the machine take any blockhash of the last 150 blocks, which by itself knows only the newest. */
  #setCheck(lifetime: string): void {
    const isRecent = this.#blocks.slice(-BLOCKHASH_LIFE).some(({ blockhash }) => blockhash === lifetime);
    this.#svm.setBlockhashCheck(!isRecent);
  }

  /** Runs a transaction in the block; `undefined` when no block can have it. */
  #run(bytes: Uint8Array): Landed | undefined {
    const { keys, nonce, signature, isLegacy, lifetime } = this.#read(bytes);
    if (this.#blocks.slice(-BLOCKHASH_LIFE).some((one) => one.transactions.some((tx) => tx.signature === signature)))
      return undefined;
    const payer = encode(keys[0]?.pubkey ?? '');
    const look = () => ({ balances: keys.map(({ pubkey }) => this.#lamports(pubkey)), tokens: this.#listTokens(keys) });
    const before = look();
    this.#setCheck(lifetime);
    this.#isChanged = true;
    const result = isLegacy ? this.#svm.sendLegacyTransaction(bytes) : this.#svm.sendVersionedTransaction(bytes);
    const failed = result instanceof this.#native.FailedTransactionMetadata;
    const fee = Number((before.balances[0] ?? 0n) - (this.#svm.getBalance(payer) ?? 0n));
    if (failed && fee === 0) return undefined;
    if (failed && nonce !== undefined && !this.faults.keepsNonces) this.#advance(nonce);
    const after = look();
    const meta = {
      err: failed ? { InstructionError: [0, String(result.err())] } : null,
      fee: failed ? fee : keys.filter(({ signer }) => signer).length * 5000,
      preBalances: before.balances,
      postBalances: after.balances,
      preTokenBalances: before.tokens,
      postTokenBalances: after.tokens,
    };
    return { signature, bytes, keys, meta };
  }

  /** What every real node does with the nonce of a transaction that fails in a block. */
  #advance(nonce: string): void {
    const account = this.#svm.getAccount(encode(nonce));
    if (!account) return;
    const data = Uint8Array.from(account.data());
    const value = createHash('sha256').update('DURABLE_NONCE').update(encode(this.#svm.latestBlockhash())).digest();
    data.set(value, 40);
    this.#setAccount(nonce, account.lamports(), data, decode(account.owner()));
  }

  #lamports(key: string, svm = this.#svm): bigint {
    return svm.getBalance(encode(key)) ?? 0n;
  }

  #listTokens(keys: readonly { pubkey: string }[]) {
    return keys.flatMap(({ pubkey }, accountIndex) => {
      const account = this.#svm.getAccount(encode(pubkey));
      const programId = account ? decode(account.owner()) : '';
      if (!account || ![TOKEN, TOKEN_2022].includes(programId) || account.data().length < 165) return [];
      const { mint, owner, amount } = getTokenDecoder().decode(account.data());
      return [{ accountIndex, mint, owner, programId, uiTokenAmount: { amount: String(amount), decimals: 6 } }];
    });
  }

  #find(signature: string): { block: Block; landed: Landed } | undefined {
    for (const block of this.#blocks) {
      const landed = block.transactions.find((one) => one.signature === signature);
      if (landed) return { block, landed };
    }
    return undefined;
  }

  /** The state that an answer shows: of the finalized blocks, or of all. */
  #stateOf(options: unknown): Native {
    const { commitment = 'finalized' } = (options ?? {}) as { commitment?: string };
    if (commitment !== 'finalized') return this.#svm;
    const { snapshot } = this.#finalBlock;
    if (this.#final?.snapshot !== snapshot) {
      this.#final = { snapshot, svm: this.#native.LiteSvm.fromBytes(snapshot) };
    }
    return this.#final.svm;
  }

  #showAccount(svm: Native, key: string) {
    const account = svm.getAccount(encode(key));
    if (!account) return null;
    const data = account.data();
    return {
      lamports: Number(account.lamports()),
      owner: decode(account.owner()),
      data: [Buffer.from(data).toString('base64'), 'base64'],
      executable: false,
      rentEpoch: 0,
      space: data.length,
    };
  }

  #answer(method: string, params: readonly unknown[]): unknown {
    this.calls.push(method);
    const [first, second, third] = params as [never, never, never];
    const context = { slot: this.finalSlot };
    switch (method) {
      case 'getGenesisHash':
        return this.faults.genesis;
      case 'getSlot':
        return this.finalSlot;
      case 'getBlockHeight':
        return this.#finalBlock.height;
      case 'getBlocks':
        return this.#blocks
          .map(({ slot }) => slot)
          .filter((slot) => slot >= first && slot <= second && slot <= this.finalSlot && !this.faults.hidden.has(slot));
      case 'getBlock':
        return this.#showBlock(first, second);
      case 'getTransaction': {
        const found = this.#find(first);
        if (!found || found.block.slot > this.finalSlot) return null;
        const { bytes, meta, signature } = found.landed;
        const transaction = [Buffer.from(bytes).toString('base64'), 'base64'];
        return { slot: found.block.slot, transaction, meta: this.#invent(signature, meta), version: 'legacy' };
      }
      case 'getMultipleAccounts':
        return { context, value: (first as string[]).map((key) => this.#showAccount(this.#stateOf(second), key)) };
      case 'getAccountInfo':
        return { context, value: this.#showAccount(this.#stateOf(second), first) };
      case 'getBalance':
        return { context, value: Number(this.#lamports(first, this.#stateOf(second))) };
      case 'getTokenAccountsByOwner': {
        const svm = this.#stateOf(third);
        const value = svm.getProgramAccounts(encode(TOKEN)).flatMap((one) => {
          const data = one.account().data();
          if (data.length !== 165) return [];
          const { owner, mint } = getTokenDecoder().decode(data);
          if (owner !== first || mint !== (second as { mint: string }).mint) return [];
          const pubkey = decode(one.address);
          return [{ pubkey, account: this.#showAccount(svm, pubkey) }];
        });
        return { context, value };
      }
      case 'getLatestBlockhash': {
        const isFinal = ((first ?? {}) as { commitment?: string }).commitment !== 'confirmed';
        const { blockhash, height } = isFinal ? this.#finalBlock : this.#tip;
        return { context, value: { blockhash, lastValidBlockHeight: height + BLOCKHASH_LIFE } };
      }
      case 'getRecentPrioritizationFees':
        return [{ slot: this.finalSlot, prioritizationFee: this.faults.computePrice }];
      case 'sendTransaction':
        return this.#take(new Uint8Array(Buffer.from(first, 'base64')));
      default:
        throw new Refused(-32601, `Method not found: ${method}`);
    }
  }

  #invent(signature: string, meta: Landed['meta']): object {
    const more = this.faults.invents(signature);
    if (more === 0) return meta;
    const list = meta['postTokenBalances'] as { uiTokenAmount: { amount: string } }[];
    const add = (one: (typeof list)[number]) => ({
      ...one,
      uiTokenAmount: { ...one.uiTokenAmount, amount: String(BigInt(one.uiTokenAmount.amount) + BigInt(more)) },
    });
    return { ...meta, postTokenBalances: list.map(add) };
  }

  #showBlock(slot: number, options: { readonly transactionDetails?: string }): object | null {
    if (options.transactionDetails !== 'none') this.#readSlot = Math.max(this.#readSlot, slot);
    if (this.faults.pruned.has(slot)) throw new Refused(-32001, `Block ${slot} cleaned up, does not exist on node`);
    const block = this.#blocks.find((one) => one.slot === slot);
    if (slot > this.finalSlot) throw new Refused(-32004, `Block not available for slot ${slot}`);
    if (!block) throw new Refused(-32007, `Slot ${slot} was skipped, or missing due to ledger jump`);
    const { blockhash, previousBlockhash, parentSlot, height } = block;
    const transactions = block.transactions.map(({ signature, keys, meta }) => ({
      transaction: { signatures: [signature], accountKeys: keys },
      meta: this.#invent(signature, meta),
    }));
    return {
      blockhash,
      previousBlockhash,
      parentSlot,
      blockHeight: height,
      blockTime: Math.floor(Date.now() / 1000),
      ...(options.transactionDetails === 'none' ? {} : { transactions }),
    };
  }

  #take(bytes: Uint8Array): string {
    const { signature, isLegacy, lifetime } = this.#read(bytes);
    const failure = { err: 'AlreadyProcessed', logs: [], accounts: null, unitsConsumed: 0, returnData: null };
    if (this.#find(signature)) throw new Refused(-32002, 'This transaction has already been processed', failure);
    this.#setCheck(lifetime);
    const tried = isLegacy ? this.#svm.simulateLegacyTransaction(bytes) : this.#svm.simulateVersionedTransaction(bytes);
    if (tried instanceof this.#native.FailedTransactionMetadata) {
      throw new Refused(-32002, `Transaction simulation failed: ${String(tried.err())}`, failure);
    }
    this.taken.push(bytes);
    if (!this.faults.forgets && !this.#waiting.some((one) => Buffer.from(one).equals(bytes))) this.#waiting.push(bytes);
    return signature;
  }

  #setAccount(key: string, lamports: bigint, data: Uint8Array, owner: string): void {
    const account = new this.#native.Account(lamports, data, encode(owner), false, 0n);
    this.#svm.setAccount(encode(key), account);
    this.#isChanged = true;
  }

  /** Gives lamports to an address, without a transaction. */
  setBalance(key: string, lamports: bigint): void {
    this.#setAccount(key, lamports, Uint8Array.of(), SYSTEM);
  }

  /** Puts a mint at an address. The minter mints and freezes. */
  setMint(mint: string, program: string): void {
    const data = getMintEncoder().encode({
      mintAuthority: this.minter.address,
      supply: 10n ** 15n,
      decimals: 6,
      isInitialized: true,
      freezeAuthority: this.minter.address,
    });
    this.#setAccount(mint, 1_461_600n, new Uint8Array(data), program);
  }

  /** Puts a token account at an address, without a transaction. */
  setToken(key: string, mint: string, owner: string, atoms: bigint, isFrozen = false): void {
    const data = getTokenEncoder().encode({
      mint: toAddress(mint),
      owner: toAddress(owner),
      amount: atoms,
      delegate: null,
      state: isFrozen ? AccountState.Frozen : AccountState.Initialized,
      isNative: null,
      delegatedAmount: 0n,
      closeAuthority: null,
    });
    this.#setAccount(key, 2_039_280n, new Uint8Array(data), TOKEN);
  }

  removeAccount(key: string): void {
    this.#setAccount(key, 0n, Uint8Array.of(), SYSTEM);
  }

  /** What a token account has after the newest block. */
  tokensOf(key: string): bigint {
    const data = this.#svm.getAccount(encode(key))?.data();
    return data?.length === 165 ? getTokenDecoder().decode(data).amount : 0n;
  }

  lamportsOf(key: string): bigint {
    return this.#lamports(key);
  }

  /** Signs and sends instructions of the minter by kit. They are in the next block. Returns the signature. */
  async send(instructions: readonly Instruction[]): Promise<string> {
    const lifetime = {
      blockhash: toBlockhash(this.#tip.blockhash),
      lastValidBlockHeight: BigInt(this.#tip.height + 150),
    };
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (one) => setTransactionMessageFeePayerSigner(this.minter, one),
      (one) => setTransactionMessageLifetimeUsingBlockhash(lifetime, one),
      (one) => appendTransactionMessageInstructions(instructions, one),
    );
    const signed = await signTransactionMessageWithSigners(message);
    this.#take(new Uint8Array(Buffer.from(getBase64EncodedWireTransaction(signed), 'base64')));
    return getSignatureFromTransaction(signed);
  }
}
