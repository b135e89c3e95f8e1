import type { Log } from '../log.ts';
import { type BlockId, followStep } from '../states/chain.ts';
import {
  beginAt,
  halt,
  isAdopted,
  raiseFinalHeight,
  readFinalHeight,
  readHalt,
  readHead,
  takeBack,
  takeBlock,
} from '../store/chain-state.ts';
import type { Database } from '../store/database.ts';
import { OLDER } from '../store/restored.ts';
import type { Chain, Owner, ScannedBlock, Tip } from './chain.ts';

/** How many blocks one round reads, so that other work is not delayed while the custodian catches up. */
const MAX_BLOCKS = 200;

/** How a chain is followed. */
export interface FollowSettings {
  /** The first block to read when none is stored; `null` for the newest. */
  readonly startHeight: number | null;
  /** How deep a block must be to be final, on a chain that does not say itself what is final. */
  readonly finalDepth: number;
}

/** The state of the chain after a round. */
export interface ChainProgress {
  readonly height: number;
  readonly finalHeight: number;
  /** `null` on a chain that does not say itself what is final. */
  readonly finalByTag: number | null;
  /** The height of the chain's newest block when the round began. */
  readonly tipHeight: number;
  /** Whether the round ended at that block. */
  readonly isCurrent: boolean;
  /** The time of the chain's newest block. */
  readonly tipMined_ms: number;
}

/** What a chain is followed with. */
interface FollowTools {
  readonly database: Database;
  readonly chain: Chain;
  readonly ownerOf: (address: string) => Owner | undefined;
  readonly log: Log;
}

/**
 * Reads the chain's new blocks: several at the same time, judged in their order. Each must name our newest block as its
 * parent. If not, our newest block is deleted, one after the other, down to the last block that both have. A final block is
 * never deleted: the chain is then halted until a person looks, and also when a block shows that a coin of ours was spent
 * by a transaction that the database does not have. Returns `undefined` while it is halted. Rejects when the node fails;
 * blocks that were stored stay.
 */
export async function follow(
  database: Database,
  chain: Chain,
  ownerOf: (address: string) => Owner | undefined,
  settings: FollowSettings,
  log: Log,
): Promise<ChainProgress | undefined> {
  const { network } = chain;
  if (readHalt(database, network) !== null) return undefined;
  const tip = await chain.tip();
  if (!readHead(database, network)) {
    const first = await chain.headerAt(settings.startHeight ?? tip.height);
    if (!first) throw new Error(`${network} has no block at the height to begin at`);
    beginAt(database, network, first);
  }
  const tools = { database, chain, ownerOf, log };
  for (let read = 0; read < MAX_BLOCKS; read += chain.ahead) {
    const step = await readAhead(tools, tip);
    if (step === 'halted') return undefined;
    if (step === 'done') break;
  }
  const height = readHead(database, network)?.height ?? 0;
  const finalByTag = await chain.finalByTag();
  raiseFinalHeight(database, network, Math.min(height, finalByTag ?? height - settings.finalDepth + 1));
  const finalHeight = readFinalHeight(database, network);
  const isCurrent = height >= tip.height;
  return { height, finalHeight, finalByTag, tipHeight: tip.height, isCurrent, tipMined_ms: tip.mined_ms };
}

/** Reads the next blocks up to the tip, and stores those that follow ours. */
async function readAhead(tools: FollowTools, tip: Tip): Promise<'done' | 'more' | 'halted'> {
  const { database, chain, ownerOf, log } = tools;
  const { network } = chain;
  const head = headOf(tools);
  const heights = await chain.heightsAfter(head.height, tip.height);
  if (heights.length === 0) return compareTips(tools, head);
  const blocks = await Promise.allSettled(heights.map((height) => readBlock(chain, height, ownerOf)));
  for (const [place, read] of blocks.entries()) {
    // What was read before it is stored; it is read again in the next round.
    if (read.status === 'rejected' && place === 0) throw read.reason;
    const block = read.status === 'fulfilled' ? read.value : undefined;
    // The node has fewer blocks than it said: perhaps ours are no longer on its chain.
    if (!block) return place === 0 ? compareTips(tools, head) : 'more';
    const ours = headOf(tools);
    const { kind } = followStep(ours, block, readFinalHeight(database, network));
    if (kind !== 'extend') return leave(tools, ours, kind);
    const foreign = takeBlock(database, network, block);
    for (const { event, fields } of block.notes ?? []) log(event, { network, ...fields });
    const [other] = foreign;
    if (other && isAdopted(database, network)) {
      return stop(tools, block, `${OLDER}: ${other.txHash} has spent ${other.fence}`);
    }
  }
  return 'more';
}

async function readBlock(
  chain: Chain,
  height: number,
  ownerOf: (address: string) => Owner | undefined,
): Promise<ScannedBlock | undefined> {
  const header = await chain.headerAt(height);
  return header && chain.scan(header, ownerOf);
}

function headOf({ database, chain }: FollowTools): BlockId {
  const head = readHead(database, chain.network);
  if (!head) throw new Error('no block is stored');
  return head;
}

/**
 * What to do when the chain has no block after ours. If the node does not even have our height, it lags: wait for it.
 */
async function compareTips(tools: FollowTools, head: BlockId): Promise<'done' | 'more' | 'halted'> {
  const { database, chain } = tools;
  const theirs = await chain.headerAt(head.height);
  if (!theirs || theirs.hash === head.hash) return 'done';
  return leave(tools, head, head.height <= readFinalHeight(database, chain.network) ? 'halt' : 'roll_back');
}

/** Deletes our newest block, which is no longer on the chain, or halts when it was final. */
function leave(tools: FollowTools, head: BlockId, kind: 'roll_back' | 'halt'): 'more' | 'halted' {
  const { database, chain, log } = tools;
  if (kind === 'halt') return stop(tools, head, `block ${head.height} was final and is no longer on the chain`);
  takeBack(database, chain.network, head.height);
  log('block_orphaned', { network: chain.network, height: head.height, hash: head.hash });
  return 'more';
}

function stop({ database, chain: { network }, log }: FollowTools, { height, hash }: BlockId, reason: string): 'halted' {
  halt(database, network, reason);
  log('chain_halted', { network, height, hash, reason });
  return 'halted';
}
