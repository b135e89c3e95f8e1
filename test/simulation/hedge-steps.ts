import { runInDurableObject } from 'cloudflare:test';
import { LedgerHedger } from '../../src/dealing/ledger-hedger.ts';
import { hedgerName } from '../../src/dealing/reach-hedger.ts';
import { assetSymbols, scaleOf } from '../../src/money/assets.ts';
import { ledgersUnderTest } from '../support/db/open-in-ledger.ts';
import { CONNECTION_LOST, type Moment, abort, aroundHedgeWrite } from '../support/runtime/faults.ts';
import { env } from '../support/runtime/test-env.ts';
import type { Draw } from '../support/draw.ts';
import { type DealerMode, dealerModes, inAtoms } from './dealer.ts';
import { hedgedCoins } from './follow-hedges.ts';
import { venueOf } from './house-of.ts';
import { VALUE_MS } from './market.ts';
import { must } from './must.ts';
import { succeed } from './operate.ts';
import type { World } from './world.ts';

/** How far a clock goes back, so that no dealer takes a deal of before, and some more. */
const LONGEST_BACK_MS = 330_000;

/** Where a look of the hedger is struck: around the row, the sending and the end of a hedge. */
interface Strike {
  readonly at: 'INSERT' | 'submit' | 'UPDATE';
  readonly moment: Moment;
  readonly how: 'aborted' | 'd1_lost';
}

function drawStrike(draw: Draw): Strike | null {
  if (!draw.happens(0.4)) return null;
  const at = draw.pick(['INSERT', 'submit', 'UPDATE'] as const);
  const how = at === 'submit' ? 'aborted' : draw.pick(['aborted', 'd1_lost'] as const);
  return { at, how, moment: draw.pick(['before', 'after'] as const) };
}

const objectOf = (ledger: number) => env.LEDGER_HEDGER.getByName(hedgerName(env.LEDGER_LOCATION, ledger));

/** Runs a hedger of a ledger in its own object, with the dealer of the simulation. */
function withHedger<T>(world: World, ledger: number, use: (hedger: LedgerHedger) => Promise<T>): Promise<T> {
  return runInDurableObject(objectOf(ledger), (_instance, state) =>
    use(new LedgerHedger(state, env as never, world.dealer)),
  );
}

/** Hedgers look, one after the other, while the dealer does what the step wants, and die at a point of it. */
export async function stepHedge(world: World, draw: Draw): Promise<void> {
  if (world.model.settings.hedgingHalted && draw.happens(0.7)) await resume(world);
  const looks = draw.between(1, 3);
  for (let looked = 0; looked < looks; looked += 1) {
    const mode = draw.happens(0.25) ? 'deals' : draw.pick(dealerModes);
    world.dealer.set(mode, draw);
    await look(world, draw.pick(ledgersUnderTest), mode, drawStrike(draw));
    world.moveClock(draw.below(4_000));
  }
}

async function look(world: World, ledger: number, mode: DealerMode, strike: Strike | null): Promise<void> {
  world.dealer.pass();
  await world.observe();
  const [begun_ms, isHalted] = [world.now_ms, world.model.settings.hedgingHalted];
  const before = pricesOf(world);
  const injected = await strikeOnce(world, ledger, mode, strike);
  const { dealer, model } = world;
  world.count('faults', `dealer_${mode}`, mode !== 'deals' && dealer.injected > 0 ? 1 : 0);
  for (const answer of dealer.answered) world.count('answers', `dealer ${answer}`);
  if (strike) world.count('faults', `hedger_${strike.how}_${strike.moment}_${strike.at}`, injected);
  if (mode === 'contradicts' && (await readHalt())) model.settings.hedgingHalted = true;
  const isFinal = ['deals', 'deals_part', 'fills_nothing', 'refuses'].includes(mode);
  const after = pricesOf(world);
  const prices = new Map(hedgedCoins.map((coin) => [coin, [...(before.get(coin) ?? []), ...(after.get(coin) ?? [])]]));
  const isPriced = world.market.mode === 'agree' && !world.market.mayBeWithoutPrice(VALUE_MS);
  world.look = {
    ledger,
    begun_ms,
    ended_ms: world.now_ms,
    isHalted,
    isClean: isFinal && injected === 0 && isPriced,
    prices,
  };
  const known = world.hedges.all.size;
  const moved = await world.observe();
  world.look = undefined;
  world.count('operations', 'hedge planned', world.hedges.all.size - known);
  must(moved.length === 0, 'a hedger moved money of its own', moved);
}

/** Runs one look, which is struck once. Returns how often it was. */
async function strikeOnce(world: World, ledger: number, mode: DealerMode, strike: Strike | null): Promise<number> {
  let injected = 0;
  const hit = async () => {
    injected += 1;
    if (strike?.how === 'aborted') await abort(objectOf(ledger));
    // What a dead object has not sent yet never arrives.
    throw new Error(CONNECTION_LOST);
  };
  const fault = strike && strike.at !== 'submit' ? aroundHedgeWrite(strike.at, strike.moment, hit) : undefined;
  if (strike?.at === 'submit') world.dealer.around = { moment: strike.moment, act: hit };
  if (mode === 'slow') {
    const act = () => Promise.resolve(world.moveClock(10_000));
    world.dealer.around ??= { moment: 'before', act };
  }
  try {
    await withHedger(world, ledger, (hedger) => hedger.wake());
  } catch (error) {
    if (injected === 0) throw error;
  } finally {
    fault?.restore();
    world.dealer.around = null;
  }
  return injected;
}

function resume(world: World): Promise<void> {
  world.model.settings.hedgingHalted = false;
  return succeed(world, 'PATCH', '/settings', { hedgingHalted: false });
}

async function readHalt(): Promise<boolean> {
  return (await env.DB.prepare('SELECT hedging_halted AS n FROM settings').first('n')) === 1;
}

/** The venue says three times that it holds something else: hedging halts then, and not before. */
export async function stepVenue(world: World, draw: Draw): Promise<void> {
  const { model, dealer } = world;
  if (model.settings.hedgingHalted) return resume(world);
  await finishHedges(world, draw);
  const isShort = draw.happens(0.5);
  for (const wakes of [1, 2, 3]) {
    dealer.set('deals', draw);
    dealer.bent = { asset: 'DOGE', amount: isShort && dealer.holds('DOGE') > 0n ? -dealer.holds('DOGE') : 10n ** 12n };
    await withHedger(world, 0, (hedger) => hedger.wake());
    must((await readHalt()) === (wakes === 3), 'hedging is halted', await readHalt(), 'after', wakes);
    if (wakes === 3) model.settings.hedgingHalted = true;
    const now_ms = world.now_ms;
    world.look = {
      ledger: 0,
      begun_ms: now_ms,
      ended_ms: now_ms,
      isHalted: false,
      isClean: false,
      prices: pricesOf(world),
    };
    must((await world.observe()).length === 0, 'a venue moved money');
    world.look = undefined;
  }
  world.count('faults', 'venue_differs');
}

const pricesOf = ({ market }: World) => new Map(hedgedCoins.map((coin) => [coin, market.firmPrices(coin)] as const));

/**
 * With nothing going wrong every hedge ends, and the venue has what all ledgers say: no less, and more by what was rounded
 * against the house alone.
 */
export async function finishHedges(world: World, draw: Draw): Promise<void> {
  const { dealer, model, market } = world;
  for (let round = 0; round < 2; round += 1) {
    world.moveClock(LONGEST_BACK_MS);
    market.read('agree');
    for (const ledger of ledgersUnderTest) {
      dealer.set('deals', draw);
      await look(world, ledger, 'deals', null);
    }
  }
  must(world.hedges.listOpen().length === 0, 'hedges do not end', world.hedges.listOpen());
  for (const asset of assetSymbols) {
    const should = ledgersUnderTest.reduce((sum, ledger) => sum - model.balance(venueOf(ledger), asset), 0n);
    const over = inAtoms(dealer.holds(asset), scaleOf(asset), false) - should;
    must(over >= 0n && over <= BigInt(3 * world.hedges.all.size), 'the venue holds more or less', asset, over);
  }
  const [venue] = await withHedger(world, 0, async (hedger) => {
    await hedger.wake();
    return hedger.readVenues();
  });
  must(venue?.differences?.length === 0, 'the venue was found to differ', venue);
  // It looked as well, at prices of now.
  const now_ms = world.now_ms;
  const { hedgingHalted: isHalted } = model.settings;
  world.look = { ledger: 0, begun_ms: now_ms, ended_ms: now_ms, isHalted, isClean: false, prices: pricesOf(world) };
  await world.observe();
  world.look = undefined;
}
