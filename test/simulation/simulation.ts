import { VENUE_NAME } from '../support/db/house-money.ts';
import { createKey, json, openAccount, asOperator, operate } from '../support/exchange.ts';
import { SHORT_CHAINS, WHOLE, allOk, reconcileAnew, statusesOf } from '../support/reconciliation.ts';
import { readAddresses } from '../support/addresses/addresses.ts';
import { ledgersUnderTest, queryAll } from '../support/db/open-in-ledger.ts';
import { generate } from 'otplib';
import { stepOrder, stepReplay, stepWithdrawal } from './client-steps.ts';
import { Draw } from '../support/draw.ts';
import { execute, findEntry, refuseKey } from './execute.ts';
import { type VenueMode, venueModes } from './market.ts';
import type { ModelAccount } from './model.ts';
import { Disagreement, must } from './must.ts';
import { stepChange } from './change-steps.ts';
import { checkLists } from './check-lists.ts';
import { checkReads } from './check-reads.ts';
import { checkEvents, stepEvents } from './event-steps.ts';
import { checkDust, stepDeposit, stepQuarantine } from './deposit-steps.ts';
import { HEDGED_SPREAD, TERMS, hedgedCoins } from './follow-hedges.ts';
import { stepGates } from './gate-steps.ts';
import { finishHedges, stepHedge, stepVenue } from './hedge-steps.ts';
import { followExchange } from './operator-feed.ts';
import { settleGates } from './settle-gates.ts';
import { stepCredit, stepFunding, stepSettlement } from './reference-steps.ts';
import { stepReview } from './review-steps.ts';
import { stepCrowd, stepHeld, stepTwins } from './race-steps.ts';
import { stepStopped } from './stopped-steps.ts';
import { finishMovements, passTime, stepAlarm, stepRead, stepSchedule } from './upkeep-steps.ts';
import { checkStreams, stepStream } from './stream-steps.ts';
import { checkWebhooks, openWebhook, stepWebhook } from './webhook-steps.ts';
import { World } from './world.ts';

/** Far ahead of the machine's own time, so that no alarm fires by itself. */
const START_MS = Date.UTC(2031, 0, 1, 12);

const ACCOUNTS = 6;
const KEYS = 2;

const STEP_DEADLINE_MS = 60_000;
const [setRealTimeout, clearRealTimeout] = [setTimeout, clearTimeout];

/** Everything is compared each time after this many steps. */
const FULL_CHECK = 1_000;
const SAMPLED_REPLAYS = 50;

/** What a step does, and how often. */
const operations: Readonly<Record<string, readonly [weight: number, step: Step]>> = {
  order: [320, stepOrder],
  withdrawal: [300, stepWithdrawal],
  replay: [130, stepReplay],
  credit: [50, stepCredit],
  deposit: [50, stepDeposit],
  quarantine: [15, stepQuarantine],
  settlement: [50, stepSettlement],
  funding: [40, stepFunding],
  hedge: [200, stepHedge],
  venue: [10, stepVenue],
  change: [45, stepChange],
  review: [40, stepReview],
  read: [60, stepRead],
  alarm: [40, stepAlarm],
  // Several keepers finish what was cut off between their ledgers.
  schedule: [ledgersUnderTest.length > 1 ? 50 : 10, stepSchedule],
  stopped: [ledgersUnderTest.length > 1 ? 20 : 0, stepStopped],
  twins: [20, stepTwins],
  crowd: [30, stepCrowd],
  held: [20, stepHeld],
  gates: [20, stepGates],
  events: [50, stepEvents],
  webhook: [50, stepWebhook],
  stream: [50, stepStream],
};

type Step = (world: World, draw: Draw) => Promise<void>;

export interface Figures {
  readonly seed: number;
  readonly steps: number;
  readonly operations: Readonly<Record<string, number>>;
  readonly faults: Readonly<Record<string, number>>;
  readonly answers: Readonly<Record<string, number>>;
}

/**
 * Runs the exchange for a number of steps and compares it with the model after each. Each step depends only on the seed
 * and its number. Throws a `Disagreement` with the seed, the step and its operation; the same seed repeats it.
 */
export async function simulate(seed: number, steps: number): Promise<Figures> {
  const world = new World(START_MS);
  settleGates();
  await open(world);
  for (let step = 1; step <= steps; step += 1) {
    const draw = Draw.ofStep(seed, step);
    const [name, work] = draw.choose(operations);
    const venues: VenueMode = draw.happens(0.08) ? draw.pick(venueModes.slice(1)) : 'agree';
    try {
      passTime(world, draw);
      world.custodian.set('pays');
      world.wanted = [];
      world.market.read(venues);
      world.count('operations', name);
      await inTime(work(world, draw));
      if (venues !== 'agree') world.count('faults', `venues_${venues}`, world.market.injected > 0 ? 1 : 0);
      if (step % FULL_CHECK === 0 || step === steps) await inTime(checkAll(world, draw));
    } catch (error) {
      throw new Disagreement(
        `seed ${seed}, step ${step}, ${name}: ${error instanceof Error ? error.stack : String(error)}`,
      );
    }
  }
  return { seed, steps, operations: world.operations, faults: world.faults, answers: world.answers };
}

/** A step that does not end by the machine's own clock is a finding, too. */
async function inTime(work: Promise<void>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const timer = setRealTimeout(() => late.reject(new Disagreement('the step does not end')), STEP_DEADLINE_MS);
  try {
    await Promise.race([work, late.promise]);
  } finally {
    clearRealTimeout(timer);
  }
}

async function open(world: World): Promise<void> {
  world.market.read('agree');
  for (let opened = 0; opened < ACCOUNTS; opened += 1) {
    const funds = { USDT: '20000', BTC: '0.2', ETH: '5', DOGE: '20000', USDC: '5000' };
    const id = await openAccount(funds);
    // A feed begins with what was before its first read.
    const expected = Object.keys(funds).map(() => ({ type: 'deposit.completed', subject: null }));
    const scopes = ['read', 'trade', 'withdraw'] as const;
    const keys = [];
    for (let made = 0; made < KEYS; made += 1) {
      keys.push({ trader: await createKey(id, { scopes }), scopes, revoked: false, entries: new Map() });
    }
    const addresses = await readAddresses(keys[0]!.trader);
    const totp = opened % 3 === 2 ? await switchTotpOn(world, id) : null;
    world.model.accounts.push({
      id,
      // One account does not listen.
      reader: opened === 0 ? null : { expected, seen: [], after: 0 },
      webhook: opened === 0 ? null : await openWebhook(id, expected.length),
      stream: { client: undefined, seen: [] },
      frozen: false,
      toldFrozen: false,
      limit: 5_000_000_000n,
      keys,
      addresses,
      approved: new Map(),
      totp,
    });
  }
  for (const ledger of ledgersUnderTest) {
    for (const [asset, amount] of [
      ['USDT', '20000'],
      ['BTC', '0.3'],
      ['ETH', '5'],
    ] as const) {
      const reference = `first-${asset}-of-${ledger}`;
      await operate('POST', '/fundings', { ledger, from: 'owner', to: VENUE_NAME, asset, amount, reference });
    }
  }
  const terms = { spreadBps: Number(HEDGED_SPREAD), hedging: TERMS };
  const coinTerms = Object.fromEntries(hedgedCoins.map((coin) => [coin, terms]));
  await operate('PATCH', '/settings', { maxAtVenues: '100000000', coinTerms });
  // The gates may use settings that they read some seconds ago.
  world.moveClock(10_000);
  await world.begin();
  await followExchange(world);
}

async function switchTotpOn(world: World, id: string): Promise<NonNullable<ModelAccount['totp']>> {
  const { secret } = await json<{ secret: string }>(await asOperator('POST', `/accounts/${id}/totp`));
  const step = Math.floor(world.now_ms / 30_000) - 1;
  const confirmed = await asOperator('POST', `/accounts/${id}/totp/confirm`, {
    totpCode: await generate({ secret, epoch: step * 30 }),
  });
  must(confirmed.status === 200, 'the second factor is not on');
  return { secret, usedStep: step, attempts: 0, lockedUntil: 0 };
}

/** Compares everything: the records, the reconciliation's result, and replays. */
async function checkAll(world: World, draw: Draw): Promise<void> {
  const { model } = world;
  world.custodian.set('pays');
  world.market.read('agree');
  await finishMovements(world);
  await finishHedges(world, draw);
  const [orders, withdrawals] = await Promise.all([
    queryAll<{ id: string; account_id: string }>('SELECT id, account_id FROM orders'),
    queryAll<{ id: string; status: string }>('SELECT id, status FROM withdrawals'),
  ]);
  must(orders.length === model.orders.size, 'orders', orders.length, model.orders.size);
  for (const { id, account_id: owner } of orders) must(model.orders.get(id) === owner, 'an order of', id, owner);
  must(withdrawals.length === model.withdrawals.size, 'withdrawals', withdrawals.length);
  for (const { id, status } of withdrawals) {
    must(model.withdrawals.get(id)?.status === status, 'a withdrawal is', id, status, model.withdrawals.get(id));
  }
  await checkDust(world);
  await checkReads(world);
  await checkLists(world);
  await checkWebhooks(world);
  await checkStreams(world);
  await checkEvents(world);
  for (const ledger of ledgersUnderTest) {
    const found = statusesOf(await reconcileAnew(WHOLE, SHORT_CHAINS, ledger));
    must(JSON.stringify(found) === JSON.stringify(allOk), 'the reconciliation found', ledger, found);
  }
  await replaySample(world, draw);
}

async function replaySample(world: World, draw: Draw): Promise<void> {
  const kept = world.model.accounts.flatMap((account) =>
    account.keys.flatMap((key) => [...key.entries.values()].map((entry) => ({ account, key, entry }))),
  );
  const standing = kept.filter(({ key, entry }) => {
    const scope = entry.request.operation === 'placeOrder' ? 'trade' : 'withdraw';
    return entry.answer && findEntry(world, key, entry.request) && !refuseKey(key, scope);
  });
  for (let sampled = 0; sampled < SAMPLED_REPLAYS && standing.length > 0; sampled += 1) {
    const { account, key, entry } = draw.pick(standing);
    await execute(world, account, key, entry.request, null);
  }
}
