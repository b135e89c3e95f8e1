import { createHash } from 'node:crypto';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { dataLength, id as hashText } from 'ethers';
import { TronWeb, utils } from 'tronweb';
import { takeFreePort } from './free-port.ts';
import { type Anvil, USDT_CODE, startAnvil } from './start-anvil.ts';

/**
 * A played java-tron: the HTTP API of a full node and of a solidity node, before an anvil. Tron's machine is an EVM, so its
 * contracts run for real. Its other rules are played: ids, reference blocks, expirations by the head's time, duplicates, the
 * limit and price of energy, solidified blocks, forks. tronweb reads every transaction that is sent, and checks its signature.
 */
const CHAIN_ID = 728126428;
const BLOCK_MS = 3_000;
const DAY_MS = 86_400_000;
const WEI_PER_SUN = 10n ** 12n;
const SUN_PER_BYTE = 1_000n;
const TRANSFER_GAS = 21_000n;
const ACTIVATION_FEE = 1_100_000n;

export const TRON_USDT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';

interface RawContract {
  readonly type: string;
  readonly parameter: { readonly value: Readonly<Record<string, string | number>> };
}

/** A transaction as tronweb has it. */
export interface SentTransaction {
  readonly txID: string;
  readonly raw_data_hex: string;
  readonly signature: readonly string[];
  readonly raw_data: {
    readonly contract: readonly [RawContract];
    readonly ref_block_bytes: string;
    readonly ref_block_hash: string;
    readonly expiration: number;
    readonly timestamp: number;
    readonly fee_limit?: number;
  };
}

interface Landed {
  readonly transaction: SentTransaction;
  readonly result: string;
  readonly fee: bigint;
  readonly energy: bigint;
  readonly returned: string;
  readonly logs: readonly { readonly address: string; readonly topics: readonly string[]; readonly data: string }[];
}

interface Block {
  readonly height: number;
  readonly id: string;
  readonly parent: string;
  readonly time: number;
  readonly landed: readonly Landed[];
  /** Balances of senders after their fees, in wei. */
  readonly paid: ReadonlyMap<string, bigint>;
}

/** How one view of the chain fails. All of it can be changed while it runs. */
export interface TronFaults {
  http: 'none' | 'down' | 'silent' | 'nonsense';
  /** The code with which every broadcast is refused. */
  refuses: string | undefined;
  /** Says that it took a transaction, and forgets it. */
  forgets: boolean;
  /** Takes a transaction, and closes the connection without an answer. */
  losesAnswers: boolean;
  /** What became of the transactions of a block: nothing is said, or what is said is of the block before. */
  infos: 'right' | 'missing' | 'of another block' | 'contradicting';
  /** How many blocks the full node's part is behind. */
  walletLag: number;
  /** How many blocks below the newest is the last solidified one. */
  solidLag: number;
  /** Transactions that this view says are in no block. */
  hides: Set<string>;
}

const noFaults = (): TronFaults => ({
  http: 'none',
  refuses: undefined,
  forgets: false,
  losesAnswers: false,
  infos: 'right',
  walletLag: 0,
  solidLag: 19,
  hides: new Set(),
});

/** One node that shows the chain. */
export interface TronView {
  readonly url: string;
  readonly faults: TronFaults;
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const accountOf = (address: string) => `0x${TronWeb.address.toHex(address).slice(2).toLowerCase()}`;
const hexOf = (value: bigint) => `0x${value.toString(16)}`;

interface ProtocolBytes {
  serializeBinary(): Uint8Array;
}

/** The classes that tronweb generated from Tron's protocol. */
interface Protocol {
  readonly Transaction: {
    deserializeBinary(bytes: Uint8Array): {
      getRawData(): ProtocolBytes & { getContractList(): { getType(): number }[] };
      getSignatureList_asU8(): Uint8Array[];
      serializeBinary(): Uint8Array;
    };
  };
}

const protocol = (globalThis as unknown as { TronWebProto: Protocol }).TronWebProto;
const contractNames: Readonly<Record<number, string>> = { 1: 'TransferContract', 31: 'TriggerSmartContract' };

/** Reads a transaction by tronweb alone. Throws when tronweb would have written other bytes. */
export function readByTronweb(hex: string): SentTransaction {
  const bytes = Buffer.from(hex, 'hex');
  const read = protocol.Transaction.deserializeBinary(bytes);
  if (!Buffer.from(read.serializeBinary()).equals(bytes)) throw new Error('tronweb writes this transaction otherwise');
  const raw = read.getRawData();
  const rawHex = Buffer.from(raw.serializeBinary()).toString('hex');
  const name = contractNames[raw.getContractList()[0]?.getType() ?? 0] ?? '';
  return {
    txID: sha256(Buffer.from(rawHex, 'hex')),
    raw_data_hex: rawHex,
    raw_data: utils.deserializeTx.deserializeTransaction(name, rawHex) as SentTransaction['raw_data'],
    signature: read.getSignatureList_asU8().map((one) => Buffer.from(one).toString('hex')),
  };
}

/** A played java-tron, and the chain behind it. */
export class PlayedTron {
  readonly anvil: Anvil;
  readonly url: string;
  readonly faults: TronFaults;
  /** Transactions that were ever taken, by id. */
  readonly taken = new Map<string, SentTransaction>();
  sunPerEnergy = 100n;
  /** What a token's contract that is used much costs more, in percent: dynamic energy. */
  energyPercent = 100n;
  readonly #blocks: Block[];
  readonly #servers: Server[] = [];
  #pool: SentTransaction[] = [];
  /** Accounts that have got TRX by a transaction. One that only has tokens does not exist for Tron. */
  readonly #activated = new Set<string>();
  #salt = 0;

  private constructor(anvil: Anvil, first: Block, view: TronView) {
    this.anvil = anvil;
    this.#blocks = [first];
    this.url = view.url;
    this.faults = view.faults;
  }

  /** Starts one whose newest block is of this time. */
  static async start(time = Date.now()): Promise<PlayedTron> {
    const anvil = await startAnvil(
      CHAIN_ID,
      '--auto-impersonate --base-fee 0 --gas-price 0 --disable-min-priority-fee --hardfork cancun'.split(' '),
    );
    const id = '0'.repeat(16) + sha256(Buffer.from('the first block')).slice(16);
    const first = { height: 0, id, parent: '0'.repeat(64), time: time - BLOCK_MS, landed: [], paid: new Map() };
    const faults = noFaults();
    let tron: PlayedTron | undefined;
    const { server, url } = await serve(faults, (path, body, given) => tron?.answer(path, body, given));
    tron = new PlayedTron(anvil, first, { url, faults });
    tron.#servers.push(server);
    await tron.produce();
    return tron;
  }

  /** Another node of the same chain. */
  async startView(): Promise<TronView> {
    const faults = noFaults();
    const { server, url } = await serve(faults, (path, body, given) => this.answer(path, body, given));
    this.#servers.push(server);
    return { url, faults };
  }

  get genesis(): string {
    return this.#blocks[0]?.id ?? '';
  }

  get head(): Block {
    return this.#blocks.at(-1) as Block;
  }

  /** The settings of a custodian that follows this chain. */
  settings(changes: object = {}): object {
    return { nodes: [this.url], genesis: this.genesis, interval_ms: 20, startHeight: 0, ...changes };
  }

  /** Makes blocks. The first comes `gap_ms` after the newest: a chain that stood still goes on late. */
  async produce(count = 1, gap_ms = BLOCK_MS): Promise<void> {
    for (let made = 0; made < count; made += 1) await this.#produceOne(made === 0 ? gap_ms : BLOCK_MS);
  }

  async #produceOne(gap_ms: number): Promise<void> {
    const { head } = this;
    // By the head's time, not by the clock: a chain that stood still takes a transaction late.
    const valid = [...new Map(this.#pool.map((one) => [one.txID, one])).values()].filter(
      (one) => one.raw_data.expiration > head.time && this.#hasReference(one) && !this.#find(one.txID),
    );
    this.#pool = [];
    const sent = [];
    for (const transaction of valid) sent.push({ transaction, ...(await this.#execute(transaction)) });
    await this.anvil.mine();
    const landed: Landed[] = [];
    const paid = new Map<string, bigint>();
    for (const { transaction, hash, gas, intrinsic, returned, isActivating } of sent) {
      const receipt = (await this.anvil.call('eth_getTransactionReceipt', [hash])) as {
        status: string;
        gasUsed: string;
        logs: Landed['logs'];
      };
      const isRight = receipt.status === '0x1';
      const used = BigInt(receipt.gasUsed);
      const isCall = transaction.raw_data.contract[0].type === 'TriggerSmartContract';
      const energy = isCall ? ((used - intrinsic) * this.energyPercent) / 100n : 0n;
      const bytes = BigInt(transaction.raw_data_hex.length / 2 + 69);
      const fee = energy * this.sunPerEnergy + bytes * SUN_PER_BYTE + (isActivating ? ACTIVATION_FEE : 0n);
      const owner = accountOf(String(transaction.raw_data.contract[0].parameter.value['owner_address']));
      const left = (paid.get(owner) ?? (await this.anvil.balance(owner))) - fee * WEI_PER_SUN;
      paid.set(owner, left > 0n ? left : 0n);
      const result = isRight ? 'SUCCESS' : used >= gas ? 'OUT_OF_ENERGY' : 'REVERT';
      landed.push({ transaction, result, fee, energy, returned, logs: receipt.logs });
    }
    for (const [owner, balance] of paid) await this.anvil.setBalance(owner, balance);
    const height = head.height + 1;
    const time = head.time + gap_ms;
    const names = landed.map(({ transaction }) => transaction.txID).join();
    const hash = sha256(Buffer.from(`${head.id}:${time}:${this.#salt}:${names}`));
    const id = height.toString(16).padStart(16, '0') + hash.slice(16);
    this.#blocks.push({ height, id, parent: head.id, time, landed, paid });
  }

  async #execute({ raw_data: { contract, fee_limit: limit = 0 } }: SentTransaction) {
    const { type, parameter } = contract[0];
    const value = parameter.value;
    const from = accountOf(String(value['owner_address']));
    if (type === 'TransferContract') {
      const to = accountOf(String(value['to_address']));
      const isActivating = !(await this.#isActivated(to));
      this.#activated.add(to);
      const call = { from, to, value: hexOf(BigInt(value['amount'] ?? 0) * WEI_PER_SUN), gas: hexOf(TRANSFER_GAS) };
      const hash = await this.anvil.call('eth_sendTransaction', [{ ...call, gasPrice: '0x0' }]);
      return { hash, gas: TRANSFER_GAS, intrinsic: TRANSFER_GAS, returned: '', isActivating };
    }
    const data = `0x${value['data']}`;
    const to = accountOf(String(value['contract_address']));
    const intrinsic = intrinsicGas(data);
    const gas = intrinsic + (BigInt(limit) * 100n) / (this.sunPerEnergy * this.energyPercent);
    const returned = await this.anvil.call('eth_call', [{ from, to, data }, 'latest']).catch(() => '0x');
    const call = { from, to, data, gas: hexOf(gas), gasPrice: '0x0' };
    const hash = await this.anvil.call('eth_sendTransaction', [call]);
    return { hash, gas, intrinsic, returned: String(returned), isActivating: false };
  }

  /** Takes blocks off the chain. Their transactions go back into the pool, or are forgotten. */
  async fork(depth: number, isForgetting = false): Promise<void> {
    const gone = this.#blocks.splice(-depth);
    await this.anvil.call('anvil_rollback', [depth]);
    // Fees were taken after the block.
    for (const [owner, balance] of this.head.paid) await this.anvil.setBalance(owner, balance);
    this.#salt += 1;
    if (!isForgetting) this.#pool.push(...gone.flatMap(({ landed }) => landed.map(({ transaction }) => transaction)));
  }

  /** Empties the pool of every node. */
  forgetPool(): void {
    this.#pool = [];
  }

  #hasReference({ raw_data: { ref_block_bytes: bytes, ref_block_hash: hash } }: SentTransaction): boolean {
    return this.#blocks.some(
      ({ height, id }) =>
        (height & 0xffff).toString(16).padStart(4, '0') === bytes.toLowerCase() &&
        id.slice(16, 32) === hash.toLowerCase(),
    );
  }

  #find(txId: string): { readonly block: Block; readonly landed: Landed } | undefined {
    for (const block of this.#blocks) {
      const landed = block.landed.find(({ transaction }) => transaction.txID === txId);
      if (landed) return { block, landed };
    }
    return undefined;
  }

  /** Gives an owner an amount of USDT, without a transaction. */
  setToken(owner: string, atoms: bigint, contract = TRON_USDT): Promise<void> {
    return this.anvil.setToken(accountOf(contract), accountOf(owner), atoms, USDT_CODE);
  }

  /** Gives the owner of a key this much TRX and as many atoms of USDT. */
  async makeRich(key: string, amount: bigint): Promise<void> {
    const owner = TronWeb.address.fromPrivateKey(key) as string;
    await this.setTrx(owner, amount);
    await this.setToken(owner, amount);
  }

  /** Puts other code at the token's address. */
  async setTokenCode(code: string): Promise<void> {
    await this.anvil.call('anvil_setCode', [accountOf(TRON_USDT), code]);
  }

  /** Has the token's owner put an address on the blacklist, or take it off. */
  blacklist(owner: string, isListed: boolean): Promise<void> {
    return this.anvil.blacklist(accountOf(TRON_USDT), accountOf(owner), isListed);
  }

  /** Whether an address is activated: by coins that it got. */
  async #isActivated(account: string): Promise<boolean> {
    return this.#activated.has(account) || (await this.anvil.balance(account)) > 0n;
  }

  setTrx(owner: string, sun: bigint): Promise<void> {
    return this.anvil.setBalance(accountOf(owner), sun * WEI_PER_SUN);
  }

  async trx(owner: string): Promise<bigint> {
    return (await this.anvil.balance(accountOf(owner))) / WEI_PER_SUN;
  }

  token(owner: string, contract = TRON_USDT): Promise<bigint> {
    return this.anvil.tokenBalance(accountOf(contract), accountOf(owner));
  }

  /** Has tronweb pay USDT from a key, or TRX, or call with other data. Returns the id; a block is not made. */
  async pay(key: string, to: string, atoms: bigint, kind: 'USDT' | 'TRX' = 'USDT', lasts_ms = 60_000): Promise<string> {
    const owner = TronWeb.address.toHex(TronWeb.address.fromPrivateKey(key) as string);
    const { head } = this;
    const words = `${accountOf(to).slice(2).padStart(64, '0')}${atoms.toString(16).padStart(64, '0')}`;
    const value =
      kind === 'TRX'
        ? { owner_address: owner, to_address: TronWeb.address.toHex(to), amount: Number(atoms) }
        : { owner_address: owner, contract_address: TronWeb.address.toHex(TRON_USDT), data: `a9059cbb${words}` };
    const type = kind === 'TRX' ? 'TransferContract' : 'TriggerSmartContract';
    const raw_data = {
      contract: [{ parameter: { value, type_url: `type.googleapis.com/protocol.${type}` }, type }],
      ref_block_bytes: (head.height & 0xffff).toString(16).padStart(4, '0'),
      ref_block_hash: head.id.slice(16, 32),
      expiration: head.time + lasts_ms,
      timestamp: head.time + this.taken.size,
      ...(kind === 'USDT' && { fee_limit: 30_000_000 }),
    };
    const json = { visible: false, txID: '', raw_data, raw_data_hex: '' } as never;
    const bytes = utils.transaction.txJsonToPb(json) as never;
    const unsigned = {
      visible: false,
      raw_data,
      txID: utils.transaction.txPbToTxID(bytes).replace(/^0x/, ''),
      raw_data_hex: utils.transaction.txPbToRawDataHex(bytes).toLowerCase(),
    };
    const tronweb = new TronWeb({ fullHost: this.url, privateKey: key });
    const signed = await tronweb.trx.sign(unsigned as never, key);
    const answer = await tronweb.trx.sendRawTransaction(signed);
    if (!answer.result) throw new Error(`tronweb's transaction is refused: ${answer.code}`);
    return unsigned.txID;
  }

  async stop(): Promise<void> {
    for (const server of this.#servers) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
    await this.anvil.stop();
  }

  /** Answers one request as java-tron does. */
  async answer(path: string, body: Record<string, unknown>, faults: TronFaults): Promise<unknown> {
    const isSolid = path.startsWith('/walletsolidity/');
    const newest = this.head.height;
    const most = isSolid ? Math.max(0, newest - faults.solidLag) : Math.max(0, newest - faults.walletLag);
    const blockAt = (height: number) => (height <= most ? this.#blocks[height] : undefined);
    switch (path.slice(path.lastIndexOf('/') + 1)) {
      case 'getnowblock':
        return writeBlock(blockAt(most), true);
      case 'getblockbynum':
        return writeBlock(blockAt(Number(body['num'])), true);
      case 'getblock': {
        const at = body['id_or_num'];
        const isId = typeof at === 'string' && at.length === 64;
        const block = isId ? this.#blocks.find(({ id, height }) => id === at && height <= most) : undefined;
        return writeBlock(isId ? block : blockAt(at === undefined ? most : Number(at)), body['detail'] === true);
      }
      case 'gettransactioninfobyblocknum':
        return this.#writeInfos(blockAt(Number(body['num'])), faults);
      case 'gettransactioninfobyid': {
        const found = this.#find(String(body['value']));
        const isSeen = found && found.block.height <= most && !faults.hides.has(found.landed.transaction.txID);
        return isSeen ? writeInfo(found.block, found.landed) : {};
      }
      case 'getaccount': {
        const balance = await this.trx(String(body['address']));
        return balance === 0n ? {} : { address: body['address'], balance: Number(balance) };
      }
      case 'getchainparameters':
        return {
          chainParameter: [{ key: 'getEnergyFee', value: Number(this.sunPerEnergy) }, { key: 'getMultiSignFee' }],
        };
      case 'triggerconstantcontract':
        return this.#callConstant(body);
      case 'broadcasthex':
        return this.#take(() => readByTronweb(String(body['transaction'])), faults);
      case 'broadcasttransaction':
        return this.#take(() => body as unknown as SentTransaction, faults);
      default:
        return { Error: `class org.tron.NotPlayed : ${path}` };
    }
  }

  #writeInfos(block: Block | undefined, faults: TronFaults): unknown {
    if (!block || faults.infos === 'missing') return [];
    if (faults.infos === 'of another block') {
      const other = this.#blocks.findLast(({ height, landed }) => height < block.height && landed.length > 0);
      return other ? other.landed.map((one) => writeInfo(other, one)) : [];
    }
    const infos = block.landed.map((one) => writeInfo(block, one));
    if (faults.infos === 'right') return infos;
    return infos.map((info) => ({ ...info, receipt: { ...info.receipt, result: 'REVERT' }, result: 'FAILED' }));
  }

  async #callConstant(body: Record<string, unknown>): Promise<unknown> {
    const data = `${hashText(String(body['function_selector'])).slice(0, 10)}${String(body['parameter'])}`;
    const call = {
      from: accountOf(String(body['owner_address'])),
      to: accountOf(String(body['contract_address'])),
      data,
    };
    try {
      const returned = String(await this.anvil.call('eth_call', [call, 'latest']));
      const gas = BigInt(String(await this.anvil.call('eth_estimateGas', [call])));
      const energy = ((gas - intrinsicGas(data)) * this.energyPercent) / 100n;
      return { result: { result: true }, constant_result: [returned.slice(2)], energy_used: Number(energy) };
    } catch {
      // As java-tron says that a call was reverted.
      const message = Buffer.from('REVERT opcode executed').toString('hex');
      return { result: { result: true, message }, transaction: { ret: [{ ret: 'FAILED' }] }, energy_used: 500 };
    }
  }

  /** Whether a node takes a transaction into its pool. */
  async #take(read: () => SentTransaction, faults: TronFaults): Promise<unknown> {
    if (faults.refuses !== undefined) return refuse(faults.refuses, 'as the test says');
    const transaction = read();
    const { txID, raw_data: raw, raw_data_hex: rawHex, signature } = transaction;
    const { head } = this;
    if (sha256(Buffer.from(rawHex, 'hex')) !== txID) return refuse('SIGERROR', 'the id is of another transaction');
    if (!utils.transaction.txCheck(transaction)) return refuse('SIGERROR', 'the bytes are of another');
    const owner = TronWeb.address.toHex(String(raw.contract[0].parameter.value['owner_address']));
    const signer = TronWeb.address.toHex(utils.crypto.ecRecover(txID, signature[0] ?? ''));
    if (signer !== owner) return refuse('SIGERROR', 'another key has signed');
    if (raw.expiration <= head.time || raw.expiration > head.time + DAY_MS) {
      return refuse('TRANSACTION_EXPIRATION_ERROR', 'Transaction expired');
    }
    if (!this.#hasReference(transaction)) return refuse('TAPOS_ERROR', 'Tapos check error.');
    if (this.#find(txID) || this.#pool.some((one) => one.txID === txID)) {
      return refuse('DUP_TRANSACTION_ERROR', 'Dup transaction.');
    }
    if (!(await this.#isActivated(accountOf(owner)))) {
      return refuse('CONTRACT_VALIDATE_ERROR', `Contract validate error : account [${owner}] does not exist`);
    }
    const isPayable = (await this.trx(owner)) >= BigInt(rawHex.length / 2 + 69) * SUN_PER_BYTE;
    if (!isPayable) return refuse('BANDWITH_ERROR', 'Account resource insufficient error.');
    this.taken.set(txID, transaction);
    if (!faults.forgets) this.#pool.push(transaction);
    return faults.losesAnswers ? undefined : { result: true, code: 'SUCCESS', message: '', txid: txID };
  }
}

function refuse(code: string, message: string): object {
  return { result: false, code, message };
}

/** The gas of a call before its code runs: the played chain asks bandwidth for it. */
function intrinsicGas(data: string): bigint {
  const zeros = Buffer.from(data.slice(2), 'hex').filter((byte) => byte === 0).length;
  return 21_000n + 4n * BigInt(zeros) + 16n * BigInt(dataLength(data) - zeros);
}

function writeBlock(block: Block | undefined, isWhole: boolean): object {
  if (!block) return {};
  const { height, id, parent, time, landed } = block;
  const raw = { ...(height > 0 && { number: height }), timestamp: time, parentHash: parent };
  const transactions = landed.map(({ transaction, result }) => ({ ...transaction, ret: [{ contractRet: result }] }));
  return {
    blockID: id,
    block_header: { raw_data: raw },
    ...(isWhole && transactions.length > 0 && { transactions }),
  };
}

function writeInfo({ height, time }: Block, { transaction, result, fee, energy, returned, logs }: Landed) {
  const isCall = transaction.raw_data.contract[0].type === 'TriggerSmartContract';
  return {
    id: transaction.txID,
    fee: Number(fee),
    blockNumber: height,
    blockTimeStamp: time,
    contractResult: [returned.slice(2)],
    receipt: { ...(isCall && { result, energy_usage_total: Number(energy) }) },
    ...(result !== 'SUCCESS' && { result: 'FAILED' }),
    log: logs.map(({ address, topics, data }) => ({
      address: address.slice(2),
      topics: topics.map((topic) => topic.slice(2)),
      data: data.slice(2),
    })),
  };
}

async function serve(
  faults: TronFaults,
  answer: (path: string, body: Record<string, unknown>, faults: TronFaults) => Promise<unknown> | undefined,
): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    if (faults.http === 'down') return void request.socket.destroy();
    if (faults.http === 'silent') return;
    if (faults.http === 'nonsense') return void response.end('<!DOCTYPE html><title>Just a moment...</title>');
    void text(request).then(async (body) => {
      const given = JSON.parse(body === '' ? '{}' : body) as Record<string, unknown>;
      try {
        const found = await answer(request.url ?? '', given, faults);
        if (found === undefined) return void request.socket.destroy();
        response.end(JSON.stringify(found));
      } catch (error) {
        response.end(JSON.stringify({ Error: String(error) }));
      }
    });
  });
  const port = await takeFreePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
