import { accountOf } from '../account-address.ts';
import type { AccountNetwork, Listing } from '../networks.ts';
import type { Move, Note, Owner, Payment } from '../nodes/chain.ts';

/** `Transfer(address,address,uint256)` of ERC-20. */
const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** docs/custody.md, "Which output": the value is 0, logs count from 1. */
const FIRST_LOG = 1;

/** A log of a contract, in lower-case hex. */
export interface ContractLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

type OwnerOf = (address: string) => Owner | undefined;

/** What a log says about a transfer of a token; `undefined` for any other log. */
function readTransferLog({ address: contract, topics, data }: ContractLog) {
  const [topic, from, to] = topics;
  if (topic !== TRANSFER_TOPIC || topics.length !== 3 || !from || !to || data.length !== 66) return undefined;
  return { contract, from: `0x${from.slice(-40)}`, to: `0x${to.slice(-40)}`, atoms: BigInt(data) };
}

/** The transfers of the sender's tokens that a transaction's logs show. */
export function listMoves(logs: readonly ContractLog[], sender: string): Move[] {
  return logs.flatMap((log) => {
    const transfer = readTransferLog(log);
    if (transfer?.from !== sender) return [];
    const { contract, to, atoms } = transfer;
    return [{ contract, to, atoms: String(atoms) }];
  });
}

function findToken(listings: readonly Listing[], contract: string): Listing | undefined {
  return listings.find(
    ({ network, contractAddress }) =>
      contractAddress !== null && accountOf(network as AccountNetwork, contractAddress) === contract,
  );
}

/** A transfer of a token that is no asset of Bureau to a customer's address: one for each transaction. */
export function findUnlisted(
  txHash: string,
  logs: readonly ContractLog[],
  listings: readonly Listing[],
  ownerOf: OwnerOf,
): Note[] {
  for (const log of logs) {
    const transfer = readTransferLog(log);
    const owner = transfer && ownerOf(transfer.to);
    if (!transfer || owner?.account !== 'deposit' || findToken(listings, transfer.contract)) continue;
    const { contract, atoms } = transfer;
    return [{ event: 'token_not_listed', fields: { txHash, contract, address: owner.address, atoms: String(atoms) } }];
  }
  return [];
}

/** A transaction that may pay us, and what it spends. */
export type Paying = Pick<Payment, 'txHash' | 'fences' | 'diesAt'>;

/** A payment to a customer's address; none when it is nobody's, or of nothing that Bureau has. */
export function payDeposit(
  paying: Paying,
  outputIndex: number,
  owner: Owner | undefined,
  atoms: bigint,
  listing: Listing | undefined,
): Payment[] {
  if (owner?.account !== 'deposit' || atoms === 0n || !listing) return [];
  const { address, account, addressIndex } = owner;
  const { asset, contractAddress: contract } = listing;
  const kind = { isDeposit: true, isCoin: false, isInner: false };
  return [{ ...paying, outputIndex, address, account, addressIndex, asset, contract, atoms, ...kind }];
}

/** The payments of listed tokens to customers' addresses that a transaction's logs show. */
export function findTokenPayments(
  paying: Paying,
  logs: readonly ContractLog[],
  listings: readonly Listing[],
  ownerOf: OwnerOf,
): Payment[] {
  return logs.flatMap((log, position) => {
    const transfer = readTransferLog(log);
    // Most transfers are nobody's here, so the owner is looked up first.
    const owner = transfer && ownerOf(transfer.to);
    if (!owner) return [];
    return payDeposit(paying, FIRST_LOG + position, owner, transfer.atoms, findToken(listings, transfer.contract));
  });
}
