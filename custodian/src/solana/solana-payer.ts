import { z } from 'zod';
import type { SolanaSettings } from '../config.ts';
import { type SolanaNetwork, listAssets } from '../networks.ts';
import type { Hold, Payer, Plan, Wait } from '../payer/payer.ts';
import { type HouseAddresses, MAX_SOURCES, type SignRequest, SolanaTransaction } from '../signer/requests.ts';
import { readHead } from '../store/chain-state.ts';
import type { Database } from '../store/database.ts';
import { type Spend, type Version, listOpenSpends } from '../store/spends.ts';
import { adoptBalances, listSources, readTokenAccount } from '../store/token-balances.ts';
import { readNonce, readTokenAccountData } from './accounts.ts';
import {
  SYSTEM_PROGRAM,
  TOKEN_PROGRAM,
  nameFence,
  nameNonce,
  nonceAccountOf,
  tokenAccountOf,
} from './solana-message.ts';
import type { SolanaAccount, SolanaNode } from './solana-node.ts';
import { type SolanaParties, costOf, mintOf, writePayment } from './write-payment.ts';

/** How payments are made on Solana. */
export interface SolanaPayerSettings {
  readonly network: SolanaNetwork;
  readonly node: SolanaNode;
  readonly database: Database;
  readonly house: HouseAddresses;
  readonly depositAddress: (index: number) => string;
  readonly settings: SolanaSettings;
}

/**
 * What a transaction may compute. A transfer takes about 6,000 units, making a token account 25,000, and 1,500 more for
 * each address that its derivation passes over.
 */
const USUAL_UNITS = 120_000;
const UNITS_OF_SOURCE = 12_000;

/** A blockhash lives for 150 blocks. A transaction that lives by one gets another after so many slots. */
const BLOCKHASH_SLOTS = 300;

/**
 * Plans payments on Solana. The fence is the value of a nonce account of the pool, which only the hot wallet can use. With a
 * pool of none, it is the transaction itself, which dies with its blockhash.
 */
export function createSolanaPayer(payer: SolanaPayerSettings): Payer {
  return {
    network: payer.network,
    findOlder: async () => {
      await adoptHouse(payer);
      return undefined;
    },
    plan: (spend) => plan(payer, spend),
    reserve: () => undefined,
    release: () => undefined,
    noteStored: () => undefined,
    // A version does not say what it makes. This is the most, and only for show: Solana's coin is held for nobody.
    feeOf: (text) => costOf(readPlan(text), { hot: payer.house.hot, owner: '', newNonce: 0 }),
    request: (spend, text) => request(spend, readPlan(text)),
    bump: (spend, versions, height) => bump(payer, spend, versions, height),
    cancel: (spend, versions) => planCancel(payer, spend, versions),
  };
}

/**
 * Takes over what the house's wallets have in token accounts that no block has shown since the first that is read. A block
 * that changes one shows what it has then.
 */
async function adoptHouse({ network, node, database, house }: SolanaPayerSettings): Promise<void> {
  const height = readHead(database, network)?.height ?? 0;
  for (const { asset, contractAddress } of listAssets(network)) {
    for (const account of ['hot', 'cold'] as const) {
      const address = house[account];
      const owner = { account, addressIndex: 0, address };
      const found = await node.tokenAccounts(address, contractAddress ?? '');
      const balances = found.flatMap(({ account: name, data }) => {
        const read = readTokenAccountData({ program: TOKEN_PROGRAM, data });
        return read ? [{ account: name, owner, asset, atoms: read.atoms }] : [];
      });
      adoptBalances(database, network, height, balances);
    }
  }
}

/** Reads the plan of a payment on Solana. */
function readPlan(text: string): SolanaTransaction {
  return SolanaTransaction.parse(JSON.parse(text));
}

function partiesOf({ house, depositAddress }: SolanaPayerSettings, spend: Spend): SolanaParties {
  const index = spend.sourceIndex ?? 0;
  return {
    hot: house.hot,
    owner: spend.purpose === 'sweep' ? depositAddress(index) : house.hot,
    newNonce: spend.purpose === 'nonce' ? index : null,
  };
}

const hold = (reason: string): Hold => ({ kind: 'hold', reason });

async function plan(payer: SolanaPayerSettings, spend: Spend): Promise<Plan | Hold | Wait> {
  const payment = spend.purpose === 'nonce' ? null : findPayment(payer, spend);
  if (payment && 'kind' in payment) return payment;
  const { node, house, settings } = payer;
  const pool = Array.from({ length: settings.nonceAccounts }, (_, number) => nonceAccountOf(house.hot, number));
  const target = payment && tokenAccountOf(payment.recipient, payment.mint);
  const [hot, recipient, account, ...nonces] = await node.accounts([
    house.hot,
    spend.address,
    target ?? house.hot,
    ...pool,
  ]);
  if (spend.purpose === 'payout') {
    const objection = findObjection(spend, recipient ?? null, account ?? null);
    if (objection !== undefined) return hold(objection);
  }
  const isByNonce = spend.purpose !== 'nonce' && settings.nonceAccounts > 0;
  const lifetime = isByNonce ? findFree(payer, spend, nonces) : await readBlockhash(payer, spend);
  if (!lifetime) return { kind: 'wait', reason: 'no_free_nonce' };
  const transaction: SolanaTransaction = {
    nonceAccount: lifetime.nonceAccount,
    lifetime: lifetime.lifetime,
    computeLimit: USUAL_UNITS + UNITS_OF_SOURCE * (payment?.transfers.length ?? 0),
    computePrice: String(await readPrice(payer, payment?.mint)),
    payment,
  };
  const parties = partiesOf(payer, spend);
  const cost = costOf(transaction, parties);
  if ((hot?.lamports ?? 0n) - sumCosts(payer) < cost + BigInt(settings.keptLamports)) {
    return hold('hot_wallet_low: SOL for fees');
  }
  const fence = nameFence(writePayment(transaction, parties));
  const text = JSON.stringify(transaction);
  return { kind: 'plan', fence, plan: text, ...(lifetime.diesAt !== undefined && { diesAt: lifetime.diesAt }) };
}

/** What a spend moves, and from which token accounts; or why it must wait. */
function findPayment(
  payer: SolanaPayerSettings,
  { purpose, asset, address, atoms, sourceIndex }: Spend,
): NonNullable<SolanaTransaction['payment']> | Hold | Wait {
  const { network, database, house } = payer;
  const mint = mintOf(asset);
  if (purpose === 'sweep') {
    const sources = listSources(database, network, sourceIndex ?? 0, asset).slice(0, MAX_SOURCES);
    const transfers = sources.map((one) => ({ source: one.source, atoms: String(one.atoms) }));
    return transfers.length === 0 ? hold('nothing_to_sweep') : { mint, recipient: house.hot, transfers };
  }
  const source = tokenAccountOf(house.hot, mint);
  const held = readTokenAccount(database, network, source) ?? 0n;
  if (held - sumCommitted(database, network, asset) < atoms) return hold(`hot_wallet_low: ${asset}`);
  return { mint, recipient: address, transfers: [{ source, atoms: String(atoms) }] };
}

/** What open payments from the hot wallet will still take of an asset. One counts as soon as its nonce is reserved. */
export function sumCommitted(database: Database, network: SolanaNetwork, asset: string): bigint {
  return listReserved(database, network)
    .filter((spend) => spend.asset === asset && ['payout', 'cold'].includes(spend.purpose))
    .reduce((sum, { atoms }) => sum + atoms, 0n);
}

/** Spends with a fence that no block has. */
function listReserved(database: Database, network: SolanaNetwork): Spend[] {
  return listOpenSpends(database, network).filter(
    ({ fence, state }) => fence !== null && ['QUEUED', 'HELD', 'SIGNED'].includes(state),
  );
}

function sumCosts(payer: SolanaPayerSettings): bigint {
  return listReserved(payer.database, payer.network).reduce(
    (sum, spend) => sum + (spend.plan === null ? 0n : costOf(readPlan(spend.plan), partiesOf(payer, spend))),
    0n,
  );
}

/** Why a recipient cannot be paid now, or why only a person may decide it. */
function findObjection(
  spend: Spend,
  recipient: SolanaAccount | null,
  account: SolanaAccount | null,
): string | undefined {
  // An address that is itself a token account would get a token account of its own, which nobody could spend from.
  if (recipient && recipient.program !== SYSTEM_PROGRAM && !spend.isAllowed) return 'recipient_is_no_wallet';
  if (!account || account.program === SYSTEM_PROGRAM) return undefined;
  const read = readTokenAccountData(account);
  if (read?.owner !== spend.address) return 'recipient_gave_its_token_account_away';
  return read.isFrozen ? 'recipient_is_frozen' : undefined;
}

/** What a transaction lives by: a nonce, or a blockhash up to a height. */
type Lifetime = Pick<SolanaTransaction, 'nonceAccount' | 'lifetime'> & { readonly diesAt?: number };

/**
 * The first nonce of the pool that no spend has; `undefined` when there is none. The house's own payments leave half of the
 * pool to customers.
 */
function findFree(
  { network, database, house }: SolanaPayerSettings,
  { purpose }: Spend,
  nonces: readonly (SolanaAccount | null)[],
): Lifetime | undefined {
  const isTaken = (fence: string) =>
    database.one('SELECT 1 FROM spends WHERE network = ? AND fence = ?', network, fence) !== undefined;
  const free = nonces.flatMap((account, number): Lifetime[] => {
    const lifetime = readNonce(account, house.hot);
    if (lifetime === undefined) return [];
    const fence = nameNonce(nonceAccountOf(house.hot, number), lifetime);
    return isTaken(fence) ? [] : [{ nonceAccount: number, lifetime }];
  });
  const left = purpose === 'payout' ? 0 : Math.floor(nonces.length / 2);
  return free.length > left ? free[0] : undefined;
}

/**
 * The newest blockhash. A transaction with it dies when there are so many blocks; but one that makes a nonce account gets
 * another, since an account can be made only once.
 */
async function readBlockhash({ node }: SolanaPayerSettings, { purpose }: Spend): Promise<Lifetime> {
  const { blockhash, lastValidBlockHeight } = await node.latestBlockhash();
  const life = { nonceAccount: null, lifetime: blockhash };
  return purpose === 'nonce' ? life : { ...life, diesAt: lastValidBlockHeight };
}

/** What to offer for a compute unit: more than three quarters of the latest blocks asked for, within the bounds. */
async function readPrice({ node, house, settings }: SolanaPayerSettings, mint: string | undefined): Promise<bigint> {
  const written = mint === undefined ? house.hot : tokenAccountOf(house.hot, mint);
  const prices = (await node.computePrices([written])).toSorted((one, other) => (one < other ? -1 : 1));
  const price = prices[Math.floor((prices.length * 3) / 4)] ?? 0n;
  const [min, max] = [BigInt(settings.computePrice.min), BigInt(settings.computePrice.max)];
  if (price < min) return min;
  return price > max ? max : price;
}

function request(spend: Spend, transaction: SolanaTransaction): SignRequest {
  const network = spend.network as SolanaNetwork;
  if (spend.cancelled !== null) return { kind: 'solana_cancel', network, transaction, withdrawalId: spend.id };
  switch (spend.purpose) {
    case 'payout':
      if (!spend.order) throw new Error('a payout has an order');
      return { kind: 'solana_payout', network, transaction, order: spend.order };
    case 'sweep':
      return { kind: 'solana_sweep', network, transaction, index: z.number().parse(spend.sourceIndex) };
    case 'nonce':
      return { kind: 'solana_nonce', network, transaction, index: z.number().parse(spend.sourceIndex) };
    case 'cold':
      return { kind: 'solana_cold', network, transaction };
    case 'gas':
    case 'child':
      throw new Error('Solana needs no gas at other addresses, and has no children that pay');
  }
}

/** A version with the same nonce that offers more, when the market asks for it. */
async function bump(
  payer: SolanaPayerSettings,
  spend: Spend,
  versions: readonly Version[],
  height: number,
): Promise<string | undefined> {
  const newest = versions.at(-1);
  if (!newest) return undefined;
  const age = height - newest.madeAtHeight;
  const transaction = readPlan(newest.plan);
  if (spend.purpose === 'nonce') {
    if (age < BLOCKHASH_SLOTS) return undefined;
    const { blockhash } = await payer.node.latestBlockhash();
    return JSON.stringify({ ...transaction, lifetime: blockhash });
  }
  // Without a nonce another version is another payment, so there is none before this one is dead.
  if (transaction.nonceAccount === null || age < payer.settings.bumpAfterBlocks) return undefined;
  const price = await readPrice(payer, transaction.payment?.mint);
  return price > BigInt(transaction.computePrice)
    ? JSON.stringify({ ...transaction, computePrice: String(price) })
    : undefined;
}

/** A transaction that only uses up the nonce of a cancelled payout; without a nonce it dies by itself. */
async function planCancel(
  payer: SolanaPayerSettings,
  spend: Spend,
  versions: readonly Version[],
): Promise<string | undefined> {
  const text = versions.at(-1)?.plan ?? spend.plan;
  if (text === null) throw new Error('a payout without a nonce needs no other transaction');
  const paid = readPlan(text);
  if (paid.nonceAccount === null) return undefined;
  const price = await readPrice(payer, paid.payment?.mint);
  const offered = price > BigInt(paid.computePrice) ? String(price) : paid.computePrice;
  return JSON.stringify({ ...paid, computePrice: offered, payment: null });
}
