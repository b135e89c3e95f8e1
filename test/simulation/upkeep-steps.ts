import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { scaleOf, assetSymbols } from '../../src/money/assets.ts';
import { runScheduled } from '../../src/scheduled.ts';
import { asOperator } from '../support/exchange.ts';
import { CONNECTION_LOST, type Batch, type Moment, abort, aroundBatch } from '../support/runtime/faults.ts';
import { ledgersUnderTest, queryAll } from '../support/db/open-in-ledger.ts';
import { env } from '../support/runtime/test-env.ts';
import { drawKey, setCustodian } from './client-steps.ts';
import type { Draw } from '../support/draw.ts';
import { refuseKey } from './execute.ts';
import { DAY_MS, type ModelKey } from './model.ts';
import { must } from './must.ts';
import { checkWhole } from './between-ledgers.ts';
import { writeDecimal } from './read-decimal.ts';
import type { World } from './world.ts';

/** A read, compared with the model to the digit. */
export async function stepRead(world: World, draw: Draw): Promise<void> {
  const { account, key } = drawKey(world, draw);
  const what = draw.pick(['balances', 'addresses', 'orders', 'withdrawals', 'transactions'] as const);
  const path = what === 'orders' ? '/api/v1/orders' : `/api/v1/wallet/${what}`;
  const query = ['orders', 'withdrawals', 'transactions'].includes(what) ? '?limit=20' : '';
  const response = await key.trader.get(path + query);
  const body = (await response.json()) as Record<string, Record<string, string>[]> & { code?: string };
  const refused = refuseKey(key, 'read');
  if (refused) return must(response.status === refused.status && body.code === refused.code, 'answered', body, refused);
  must(response.status === 200, 'answered', body);
  const rows = body[what] ?? [];
  if (what === 'balances') {
    const held = Object.fromEntries(rows.map(({ asset, amount }) => [asset, amount]));
    for (const asset of assetSymbols) {
      const expected = writeDecimal(world.model.balance(account.id, asset), scaleOf(asset));
      must(held[asset] === expected, 'a balance is shown as', asset, held[asset], expected);
    }
  } else if (what === 'addresses') {
    for (const { network, address } of rows)
      must(account.addresses[network ?? ''] === address, 'another address', network);
  } else checkList(world, account.id, what, rows);
}

/** Newest first, nothing twice, nobody else's, nothing that the model does not know. */
function checkList({ model }: World, accountId: string, what: string, rows: readonly Record<string, string>[]): void {
  const ids = rows.map(({ id }) => id ?? '');
  must(ids.join() === [...new Set(ids)].toSorted().toReversed().join(), 'a list is out of order', what, ids);
  for (const { id = '', status, type, reason } of rows) {
    const isOrder = what === 'orders' || type?.startsWith('SPOT') === true;
    const withdrawal = model.withdrawals.get(id);
    if (what === 'withdrawals') must((status === 'FAILED') === (reason !== null), 'a reason is', status, reason);
    if (isOrder) must(model.orders.get(id) === accountId, 'an order of nobody', id);
    else if (what === 'withdrawals' || type?.endsWith('WITHDRAWAL') === true) {
      const isSame = withdrawal?.accountId === accountId && withdrawal.status === status;
      must(isSame, 'a withdrawal is', id, status, withdrawal);
    }
  }
}

/** The lane's alarm: once, twice, or with an eviction or a reset before it. */
export async function stepAlarm(world: World, draw: Draw): Promise<void> {
  const { key } = drawKey(world, draw);
  const how = draw.pick(['alarm', 'alarm_doubled', 'lane_evicted', 'lane_aborted'] as const);
  if (draw.happens(0.3)) setCustodian(world, draw, ['fails_before', 'fails_after', 'forgets', 'refuses']);
  if (how === 'lane_evicted') {
    // One that sleeps cannot be evicted.
    await runInDurableObject(key.trader.lane, () => undefined);
    await evictDurableObject(key.trader.lane);
  }
  if (how === 'lane_aborted') await abort(key.trader.lane);
  let ran = await runDurableObjectAlarm(key.trader.lane);
  if (how === 'alarm_doubled') ran = (await runDurableObjectAlarm(key.trader.lane)) && ran;
  if (ran) purge(key, world.now_ms);
  if (ran || how.startsWith('lane')) world.count('faults', how);
  countCustodian(world);
  must((await world.observe()).length === 0, 'an alarm moved money of its own');
}

/** Entries that an alarm found expired are gone for good, even if the clock goes back later. */
function purge(key: ModelKey, now_ms: number): void {
  for (const [name, entry] of key.entries) if (entry.received_ms <= now_ms - DAY_MS) key.entries.delete(name);
}

/**
 * What happens every minute: the ledger is reconciled, and open payouts are looked up, sometimes while the operator
 * halts withdrawals.
 */
export async function stepSchedule(world: World, draw: Draw): Promise<void> {
  if (draw.happens(0.5)) setCustodian(world, draw, ['fails_before', 'fails_after', 'forgets', 'refuses']);
  // The custodian decides sooner or later about accepted payouts.
  for (const { id } of world.withdrawalsIn('PROCESSING')) {
    if (world.custodian.find(id)?.status === 'accepted')
      world.custodian.decide(id, draw.pick(['pay', 'pay', 'refuse']));
  }
  world.moveClock(60_000);
  world.market.read('agree');
  if (draw.happens(0.3)) {
    world.custodian.stopAtLookup = async () => {
      must((await asOperator('PATCH', '/settings', { withdrawalsHalted: true })).status === 200, 'not halted');
    };
  }
  await runScheduled(env, false);
  for (const ledger of ledgersUnderTest) await runKeeper(world, ledger, drawStrike(draw));
  const { stopped } = world.custodian;
  world.count('faults', 'halt_at_lookup', stopped);
  if (stopped > 0) world.changeSettings({ withdrawalsHalted: true });
  const found = await queryAll('SELECT invariant, examples FROM reconciliation_violations');
  must(found.length === 0, 'the reconciliation found', found);
  countCustodian(world);
  must((await world.observe()).length === 0, 'the schedule moved money of its own');
}

/** Where a keeper is struck: around the next step of a withdrawal. */
interface Strike {
  readonly batch: Batch;
  readonly moment: Moment;
  readonly how: 'keeper_aborted' | 'keeper_d1_lost';
}

const struckBatches = ['deposit', 'settle', 'refusal'] as const;

function drawStrike(draw: Draw): Strike | null {
  if (ledgersUnderTest.length === 1 || !draw.happens(0.5)) return null;
  return {
    batch: draw.pick(struckBatches),
    moment: draw.pick(['before', 'after'] as const),
    how: draw.pick(['keeper_aborted', 'keeper_d1_lost'] as const),
  };
}

/** The alarm of a ledger's keeper. Far ahead of the machine's own time it does not fire by itself. */
async function runKeeper(world: World, ledger: number, strike: Strike | null): Promise<void> {
  const keeper = env.LEDGER_KEEPER.getByName(String(ledger));
  const fault =
    strike &&
    aroundBatch(strike.batch, strike.moment, 1, async () => {
      if (strike.how === 'keeper_aborted') await abort(keeper);
      // What a dead object has not sent yet never arrives.
      if (strike.how === 'keeper_d1_lost' || strike.moment === 'before') throw new Error(CONNECTION_LOST);
    });
  try {
    must(await runDurableObjectAlarm(keeper), 'the keeper was not woken', ledger);
  } catch (error) {
    if (strike?.how !== 'keeper_aborted' || fault?.state.injected !== 1) throw error;
  } finally {
    fault?.restore();
  }
  if (strike && fault) world.count('faults', `${strike.how}_${strike.moment}_${strike.batch}`, fault.state.injected);
}

/** Lets the keepers complete what is received: after a minute they look for it. */
export async function finishMovements(world: World): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    world.moveClock(61_000);
    world.market.read('agree');
    await runScheduled(env, false);
    for (const ledger of ledgersUnderTest) await runKeeper(world, ledger, null);
    must((await world.observe()).length === 0, 'the keepers moved money of their own');
  }
  checkWhole(world.model);
}

function countCustodian(world: World): void {
  const { mode, injected } = world.custodian;
  if (mode !== 'pays') world.count('faults', `custodian_${mode}`, injected > 0 ? 1 : 0);
}

/** The clock goes on as it does, or jumps. */
export function passTime(world: World, draw: Draw): void {
  world.forgetTimers();
  const how = draw.weigh({ still: 300, moment: 250, seconds: 300, minutes: 60, hour: 12, back: 6, day: 3 });
  const by_ms = {
    still: 0,
    moment: draw.below(900),
    seconds: 1_000 + draw.below(9_000),
    minutes: draw.below(600_000),
    hour: draw.below(7_200_000),
    back: -draw.below(300_000),
    day: DAY_MS + draw.below(2_001) - 1_000,
  }[how];
  if (how === 'back' || how === 'day') world.count('faults', `clock_${how}`);
  world.moveClock(by_ms);
}
