import type { Log } from '../log.ts';
import { type BlockId, type FollowStep, followStep } from '../states/chain.ts';
import {
  beginAt,
  halt,
  raiseFinalHeight,
  readFinalHeight,
  readHalt,
  readHead,
  takeBack,
  takeBlock,
} from '../store/chain-state.ts';
import type { Database } from '../store/database.ts';
import type { Chain, Owner } from './chain.ts';

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
export interface Followed {
  readonly height: number;
  readonly finalHeight: number;
  /** `null` on a chain that does not say itself what is final. */
  readonly finalByTag: number | null;
  /** Whether the round ended at the chain's newest block. */
  readonly isCurrent: boolean;
  /** The time of the chain's newest block. */
  readonly tipMined_ms: number;
}

/**
 * Reads the chain's new blocks. Each must name our newest block as its parent. If not, our newest block is deleted, one
 * after the other, down to the last block that both have. A final block is never deleted: the chain is then halted
 * until a person looks. Returns `undefined` while it is halted. Rejects when the node fails; blocks that were stored
 * stay.
 */
export async function follow(
  database: Database,
  chain: Chain,
  ownerOf: (address: string) => Owner | undefined,
  settings: FollowSettings,
  log: Log,
): Promise<Followed | undefined> {
  const { network } = chain;
  if (readHalt(database, network) !== null) return undefined;
  const tip = await chain.tip();
  if (!readHead(database, network)) {
    const first = await chain.headerAt(settings.startHeight ?? tip.height);
    if (!first) throw new Error(`${network} has no block at the height to begin at`);
    beginAt(database, network, first);
  }
  for (let count = 0; count < MAX_BLOCKS; count += 1) {
    const head = readHead(database, network);
    if (!head) throw new Error('no block is stored');
    const next = await chain.headerAt(head.height + 1);
    const finalHeight = readFinalHeight(database, network);
    const step = next ? followStep(head, next, finalHeight) : await compareTips(chain, head, finalHeight);
    if (step.kind === 'halt') {
      halt(database, network, `block ${head.height} was final and is no longer on the chain`);
      log('chain_halted', { network, height: head.height, hash: head.hash });
      return undefined;
    }
    if (step.kind === 'roll_back') {
      takeBack(database, network, head.height);
      log('block_orphaned', { network, height: head.height, hash: head.hash });
      continue;
    }
    if (!next) break;
    const block = await chain.scan(next, ownerOf);
    takeBlock(database, network, block);
    for (const { event, fields } of block.notes ?? []) log(event, { network, ...fields });
  }
  const height = readHead(database, network)?.height ?? 0;
  const finalByTag = await chain.finalByTag();
  raiseFinalHeight(database, network, Math.min(height, finalByTag ?? height - settings.finalDepth + 1));
  const finalHeight = readFinalHeight(database, network);
  return { height, finalHeight, finalByTag, isCurrent: height >= tip.height, tipMined_ms: tip.mined_ms };
}

/**
 * What to do when the chain has no block after ours. If the node does not even have our height, it lags: wait for it.
 */
async function compareTips(chain: Chain, head: BlockId, finalHeight: number): Promise<FollowStep> {
  const theirs = await chain.headerAt(head.height);
  if (!theirs || theirs.hash === head.hash) return { kind: 'extend' };
  return { kind: head.height <= finalHeight ? 'halt' : 'roll_back' };
}
