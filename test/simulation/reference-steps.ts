import { type Asset, assetSymbols, coinSymbols, scaleOf } from '../../src/money/assets.ts';
import { house } from '../../src/db/transfers.ts';
import { VENUE_NAME } from '../support/db/house-money.ts';
import { ledgersUnderTest } from '../support/db/open-in-ledger.ts';
import type { Draw } from '../support/draw.ts';
import type { ModelReference } from './model.ts';
import { sameMovements } from './movement.ts';
import { must } from './must.ts';
import { areApart, houseOf, houseOfAccount, isHouse, venueOf } from './house-of.ts';
import { injectDatabaseFault, operate } from './operate.ts';
import { writeDecimal } from './read-decimal.ts';
import type { Batch } from '../support/runtime/faults.ts';
import type { World } from './world.ts';

/** Sends something under a reference, new or again, in some steps with a fault of D1. */
async function sendReference(world: World, draw: Draw, reference: ModelReference, batch: Batch) {
  const refusal = reference.isDone ? null : refuseReference(world, reference);
  const injection = injectDatabaseFault(world, draw, batch);
  const { answer, moved } = await operate(world, 'POST', reference.path, reference.body, injection);
  const isOpen = injection !== undefined && injection.count() > 0 && [503, 504].includes(answer.status);
  if (moved.length > 0) {
    must(!reference.isDone && refusal === null, 'a reference moved money again', reference, moved);
    must(sameMovements(moved, reference.movements), 'moved', moved, 'instead of', reference);
    reference.isDone = true;
  }
  if (isOpen) return;
  // What is at venues is valued, for which every coin there needs a price.
  if (answer.body['code'] === 'price_unavailable' && reference.path === '/fundings') return;
  if (refusal) must(answer.body['code'] === refusal, 'answered', answer, 'instead of', refusal);
  else must(reference.isDone && [200, 201].includes(answer.status), 'answered', answer, reference);
}

/** The refusal of a new reference, if any. */
function refuseReference({ model }: World, { movements, path }: ModelReference): string | null {
  const parties = movements.flatMap(({ debit, credit }) => [model.account(debit), model.account(credit)]);
  if (path === '/settlements' && movements.some(({ debit, credit }) => isBetween(debit, credit)))
    return 'invalid_state';
  if (path === '/settlements' && parties.some((party) => party?.frozen)) return 'account_frozen';
  if (path === '/settlements' && model.settings.tradingHalted) return 'trading_halted';
  if (path === '/fundings') return refuseFunding(model, movements);
  for (const { debit, credit, asset, amount, kind } of movements) {
    const isSold = kind === 'settlement' && credit.startsWith(house.liquidity) && asset !== 'USDT';
    if (isSold && !model.accepts(houseOfAccount(debit), asset, amount)) return 'order_rejected';
    if (kind === 'deposit' ? model.admits(debit, asset, amount) : model.affords(debit, asset, amount)) continue;
    if (!isHouse(debit)) return 'insufficient_balance';
    return path === '/settlements' ? 'order_rejected' : 'supply_cap_exceeded';
  }
  return null;
}

/** A place has what its balance is below zero, the owner takes out what the inventory has, and custody has its cap. */
function refuseFunding(model: World['model'], [moved]: ModelReference['movements']): string | null {
  if (!moved) return null;
  const { debit, credit, asset, amount } = moved;
  const isLacking = !credit.startsWith(house.liquidity) && amount > -model.balance(credit, asset);
  const isTakenOut = debit.startsWith(house.liquidity) && amount > model.balance(debit, asset);
  const isBeyondCap = debit.startsWith(house.custody) && !model.affords(debit, asset, amount);
  return isLacking || isTakenOut || isBeyondCap ? 'order_rejected' : null;
}

/** Whether a trade is between accounts of two ledgers, which is not settled. */
function isBetween(one: string, other: string): boolean {
  return !isHouse(one) && !isHouse(other) && areApart(one, other);
}

export async function stepCredit(world: World, draw: Draw): Promise<void> {
  const reference = drawReference(world, draw, '/credits', () => newCredit(world, draw));
  await sendReference(world, draw, reference, 'deposit');
}

export async function stepSettlement(world: World, draw: Draw): Promise<void> {
  const reference = drawReference(world, draw, '/settlements', () => newSettlement(world, draw));
  await sendReference(world, draw, reference, 'settlement');
}

/** Money of the house that goes from its owner, custody or the venue to another of them. */
export async function stepFunding(world: World, draw: Draw): Promise<void> {
  const reference = drawReference(world, draw, '/fundings', () => newFunding(world, draw));
  await sendReference(world, draw, reference, 'funding');
}

function newFunding(world: World, draw: Draw): ModelReference {
  const ledger = draw.pick(ledgersUnderTest);
  const own = houseOf(ledger);
  const places: Readonly<Record<string, string>> = {
    owner: own.liquidity,
    custody: own.custody,
    [VENUE_NAME]: venueOf(ledger),
  };
  const from = draw.pick(Object.keys(places));
  const to = draw.pick(Object.keys(places).filter((place) => place !== from));
  const asset = draw.pick(['USDT', 'BTC', 'ETH', 'DOGE'] as const);
  const unit = BigInt(10 ** scaleOf(asset));
  const amount = draw.part(unit * (asset === 'USDT' ? 20_000n : 2n)) + 1n;
  const body = { from, to, asset, amount: writeDecimal(amount, scaleOf(asset)), reference: world.name('funding') };
  const movements = [{ debit: places[to]!, credit: places[from]!, asset, amount, kind: 'funding' }];
  return { path: '/fundings', body: { ledger, ...body }, movements, isDone: false };
}

function drawReference(world: World, draw: Draw, path: string, make: () => ModelReference): ModelReference {
  const earlier = world.model.references.filter((one) => one.path.endsWith(path));
  if (earlier.length > 0 && draw.happens(0.35)) return draw.pick(earlier.slice(-20));
  const made = make();
  world.model.references.push(made);
  return made;
}

function newCredit(world: World, draw: Draw): ModelReference {
  const { id } = draw.pick(world.model.accounts);
  const asset = draw.pick(assetSymbols);
  const amount = draw.part(BigInt(10 ** scaleOf(asset)) * (asset === 'USDT' ? 2_000n : 2n)) + 1n;
  const body = { asset, amount: writeDecimal(amount, scaleOf(asset)), reference: world.name('credit') };
  const { custody } = houseOfAccount(id);
  const movements = [{ debit: custody, credit: id, asset, amount, kind: 'deposit' }];
  return { path: `/accounts/${id}/credits`, body, movements, isDone: false };
}

function newSettlement(world: World, draw: Draw): ModelReference {
  const { model } = world;
  const coin = draw.pick(coinSymbols);
  const one = draw.pick(model.accounts);
  const other = draw.pick(model.accounts.filter((account) => account !== one));
  const kind = draw.pick(['P2P', 'QUICK']);
  const side = draw.pick(['BUY', 'SELL']);
  const partner = kind === 'P2P' ? other.id : houseOfAccount(one.id).liquidity;
  const [buyer, seller] = side === 'BUY' ? [one.id, partner] : [partner, one.id];
  const coinAmount = draw.part(model.balance(one.id, coin) / 8n) + 1n;
  const usdtAmount = draw.part(model.balance(one.id, 'USDT') / 8n) + 1n;
  const terms = {
    reference: world.name('trade'),
    coin,
    coinAmount: writeDecimal(coinAmount, scaleOf(coin)),
    usdtAmount: writeDecimal(usdtAmount, 6),
  };
  const parties = kind === 'P2P' ? { buyerAccountId: buyer, sellerAccountId: seller } : { accountId: one.id, side };
  const movements = [
    { debit: buyer, credit: seller, asset: 'USDT' as Asset, amount: usdtAmount, kind: 'settlement' },
    { debit: seller, credit: buyer, asset: coin as Asset, amount: coinAmount, kind: 'settlement' },
  ];
  const body = { kind, ...parties, ...terms };
  return { path: '/settlements', body, movements, isDone: false };
}
