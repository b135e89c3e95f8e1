import { generate } from 'otplib';
import { sweepAt } from '../support/withdrawals/sweep-at.ts';
import { areApart } from './house-of.ts';
import { type Asset, assetSymbols, coinSymbols, scaleOf } from '../../src/money/assets.ts';
import type { Network } from '../../src/money/networks.ts';
import { addressCases } from '../support/addresses/address-cases.ts';
import { type CustodianMode, custodianModes } from './custodian.ts';
import type { Draw } from '../support/draw.ts';
import { execute, findEntry } from './execute.ts';
import { DAY_MS, type Entry, type ModelAccount, type ModelKey, type Post } from './model.ts';
import { readDecimal, writeDecimal } from './read-decimal.ts';
import { type Fault, companions, failDatabase, orderAborts, withdrawalAborts } from './inject-faults.ts';
import type { World } from './world.ts';

const orderFaults = [...failDatabase('order', true), ...companions];
/** D1 fails the first read of a withdrawal, so nothing can happen. */
const failFacts: readonly Fault[] = failDatabase('facts', false)
  .filter(({ name }) => !name.includes('after'))
  .map((fault) => ({ ...fault, tolerance: ['turned_away', 'turned_away'] }));

const abortsAround = (step: string) => withdrawalAborts.filter(({ name }) => name.includes(step));

/**
 * The faults of a withdrawal by its steps. Few withdrawals reach the custodian, so the late faults are drawn more
 * often.
 */
const withdrawalFaults: Readonly<Record<'early' | 'taking' | 'settling', readonly Fault[]>> = {
  early: [...companions, ...withdrawalAborts],
  taking: [...failFacts, ...failDatabase('debit', true), ...abortsAround('facts'), ...abortsAround('debit')],
  settling: [...failDatabase('settle', true), ...abortsAround('settle')],
};

/** The same for a withdrawal to another ledger, which has a half in each: struck before, between and after them. */
const acrossFaults: readonly Fault[] = [
  ...failDatabase('deposit', true),
  ...failDatabase('settle', true),
  ...withdrawalAborts.filter(({ name }) => /deposit|settle/.test(name)),
];

/** Addresses that belong to nobody here, by network, and texts that are no addresses. */
const findCase = (network: Network, wanted: 'address' | 'none') =>
  addressCases.find((one) => one.network === network && one.verdict === wanted)?.text;
const outsideOn = (network: Network) => findCase(network, 'address') ?? '0x52908400098527886E0F7030069857D2E4169EE7';

export function drawKey(world: World, draw: Draw): { account: ModelAccount; key: ModelKey } {
  const account = draw.pick(world.model.accounts);
  const standing = account.keys.filter(({ revoked, scopes }) => !revoked && scopes.length === 3);
  return { account, key: draw.pick(draw.happens(0.95) ? standing : account.keys) };
}

function drawIdempotencyKey(world: World, draw: Draw): string | null {
  return draw.happens(0.9) ? world.name('once') : null;
}

/** A name for an order or a withdrawal, which now and then the account has used before; most have none. */
function drawName(world: World, draw: Draw): { readonly clientOrderId?: string } {
  const kind = draw.weigh({ none: 65, fresh: 15, used: 20 });
  if (kind === 'none') return {};
  return { clientOrderId: kind === 'fresh' ? world.name('named') : `used-${draw.below(3)}` };
}

/** An order, mostly one that can be filled. */
export function drawOrder(world: World, draw: Draw, account: ModelAccount): Record<string, string> {
  const coin = draw.pick(coinSymbols);
  const side = draw.pick(['BUY', 'SELL']);
  const mode = draw.pick(['COIN_QTY', 'USDT_AMOUNT']);
  const given: Asset = side === 'BUY' ? 'USDT' : coin;
  const held = world.model.balance(account.id, given);
  const price = world.market.firmPrices(coin).at(-1) ?? 100_000_000n;
  const unit = 10n ** BigInt(scaleOf(coin) + 2);
  // Draws an amount: at most a tenth of the balance, or more than all of it.
  const budget = draw.happens(0.08) ? held * 3n + 1n : draw.part(held / 10n) + 1n;
  const usdt = side === 'BUY' ? budget : (budget * price) / unit;
  const capped = usdt > 60_000_000_000n ? 60_000_000_000n : usdt;
  const value =
    mode === 'USDT_AMOUNT' ? writeDecimal(capped, 6) : writeDecimal((capped * unit) / price + 1n, scaleOf(coin));
  const odd = draw.weigh({ none: 94, coin: 2, digits: 2, tiny: 2 });
  if (odd === 'coin') return { coin: 'XRP', side, mode, value };
  if (odd === 'digits') return { coin, side, mode, value: '1.123456789' };
  const written = draw.happens(0.1) ? coin.toLowerCase() : coin;
  return { coin: written, side, mode, value: odd === 'tiny' ? '0.000001' : value };
}

export async function stepOrder(world: World, draw: Draw): Promise<void> {
  const { account, key } = drawKey(world, draw);
  const body = { ...drawOrder(world, draw, account), ...drawName(world, draw) };
  const fault = drawFault(draw, orderFaults, orderAborts);
  const request: Post = { operation: 'placeOrder', body, idempotencyKey: drawIdempotencyKey(world, draw) };
  const { status } = await execute(world, account, key, request, fault);
  if (status === 201) world.count('operations', 'order that was filled');
}

function drawFault(draw: Draw, faults: readonly Fault[], aborts: readonly Fault[]): Fault | null {
  const kind = draw.weigh({ none: 64, fault: 18, abort: 18 });
  if (kind === 'none') return null;
  return draw.pick(kind === 'fault' ? faults : aborts);
}

/** A code as its holder would type it: mostly the newest that was not used. */
export async function drawCode(world: World, draw: Draw, { totp }: ModelAccount): Promise<Record<string, string>> {
  if (!totp) return draw.happens(0.05) ? { totpCode: '123456' } : {};
  const now = Math.floor(world.now_ms / 30_000);
  const kind = draw.weigh({ right: 80, old: 8, early: 4, wrong: 4, none: 4 });
  if (kind === 'none') return {};
  if (kind === 'wrong') return { totpCode: String(draw.below(1_000_000)).padStart(6, '0') };
  const fresh = totp.usedStep >= now ? totp.usedStep + 1 : now;
  const step = kind === 'old' ? now - draw.below(3) : kind === 'early' ? now + draw.below(3) : fresh;
  return { totpCode: await generate({ secret: totp.secret, epoch: step * 30 }) };
}

/** A withdrawal, mostly one that can be paid. */
export async function drawWithdrawal(world: World, draw: Draw, account: ModelAccount): Promise<Record<string, string>> {
  const asset = draw.happens(0.5) ? 'USDT' : draw.pick(assetSymbols);
  const listed = draw.networkOf(asset);
  const { network } = listed;
  const kind = draw.weigh({ outside: 67, inside: 25, own: 2, nowhere: 2, network: 2, digits: 2 });
  const held = world.model.balance(account.id, asset);
  const least = readDecimal(listed.minWithdrawal, scaleOf(asset)) ?? 1n;
  const budget = draw.happens(0.05) ? held + 1n : draw.part(held / 50n);
  const amount = writeDecimal(draw.happens(0.1) ? budget : budget / 4n + least, scaleOf(asset));
  const other = draw.pick(world.model.accounts.filter((one) => one !== account));
  const to = {
    outside: outsideOn(network),
    inside: other.addresses[network] ?? '',
    own: account.addresses[network] ?? '',
    nowhere: findCase(network, 'none') ?? 'nowhere',
    network: 'anywhere',
    digits: outsideOn(network),
  }[kind];
  const code = await drawCode(world, draw, account);
  const text = kind === 'digits' ? '10.123456789' : amount;
  return { asset, network: kind === 'network' ? 'KRYPTON' : network, amount: text, address: to, ...code };
}

export async function stepWithdrawal(world: World, draw: Draw): Promise<void> {
  const { account, key } = drawKey(world, draw);
  const body = { ...(await drawWithdrawal(world, draw, account)), ...drawName(world, draw) };
  const request: Post = { operation: 'createWithdrawal', body, idempotencyKey: drawIdempotencyKey(world, draw) };
  await sendToCustodian(world, draw, account, key, request);
}

/** Sends a withdrawal, perhaps with a fault of the custodian, the database or the lane. */
async function sendToCustodian(world: World, draw: Draw, account: ModelAccount, key: ModelKey, request: Post) {
  const to = world.model.ownerOf(request.body['network'] ?? '', request.body['address'] ?? '');
  // One to another ledger is struck at its two halves most of the time.
  const isBetween = to !== undefined && areApart(to.id, account.id);
  const trouble = draw.weigh({ none: 25, custodian: isBetween ? 5 : 30, other: isBetween ? 70 : 45 });
  if (trouble === 'custodian') setCustodian(world, draw);
  const step = draw.weigh(
    isBetween ? { early: 10, taking: 15, settling: 75 } : { early: 25, taking: 45, settling: 30 },
  );
  const faults = isBetween && step === 'settling' ? acrossFaults : withdrawalFaults[step];
  const fault = trouble === 'other' ? draw.pick(faults) : null;
  await execute(world, account, key, request, fault);
  const { mode, injected } = world.custodian;
  if (mode !== 'pays') world.count('faults', `custodian_${mode}`, injected > 0 ? 1 : 0);
}

export function setCustodian(
  world: World,
  draw: Draw,
  modes: readonly CustodianMode[] = custodianModes.slice(1),
): void {
  world.custodian.set(draw.pick(modes));
  if (world.custodian.mode !== 'answers_twice') return;
  world.custodian.meanwhile = async () => void (await sweepAt(world.now_ms + 60_000));
}

/** An earlier request again: as it was, with another body, under another key, or with a new code. */
export async function stepReplay(world: World, draw: Draw): Promise<void> {
  const { account, key } = drawKey(world, draw);
  const entries = [...key.entries.values()];
  const entry = entries.length > 0 ? draw.pick(draw.happens(0.5) ? entries.slice(-5) : entries) : undefined;
  if (!entry) return;
  const how = draw.weigh({ same: 60, body: 12, code: 8, key: 10, edge: 10 });
  const { request } = entry;
  // If the entry was never answered, its exact age is not known.
  const isUncertain = !entry.answer && world.now_ms - entry.received_ms > 80_000_000;
  const mayProtect = world.now_ms - entry.counted_ms < DAY_MS && world.now_ms - entry.received_ms >= DAY_MS;
  if (isUncertain || mayProtect) return void key.entries.delete(request.idempotencyKey ?? '');
  const fault = draw.happens(0.1)
    ? draw.pick(request.operation === 'placeOrder' ? orderAborts : withdrawalAborts)
    : null;
  if (how === 'key') {
    const other = draw.pick(account.keys);
    if (!findEntry(world, other, request)) await execute(world, account, other, request, null);
    return;
  }
  if (how === 'edge' && entry.answer) return replayAtEdge(world, account, key, entry);
  // A withdrawal with a new code is the same request; an order has no code.
  const code = request.operation === 'placeOrder' ? {} : await drawCode(world, draw, account);
  const changed = { ...request.body, ...code };
  const other = request.operation === 'placeOrder' ? { value: '7.7' } : { amount: '7.7' };
  const body = how === 'body' ? { ...request.body, ...other } : how === 'code' ? changed : request.body;
  await execute(world, account, key, { ...request, body }, how === 'same' ? fault : null);
}

/** The last second of the 24 hours, and the first after them. */
async function replayAtEdge(world: World, account: ModelAccount, key: ModelKey, entry: Entry) {
  const { request, received_ms, counted_ms } = entry;
  const [last_ms, first_ms] = [received_ms + DAY_MS - 1_000, counted_ms + DAY_MS + 1_000];
  if (last_ms <= world.now_ms) return;
  world.count('faults', 'clock_at_24h');
  for (const at_ms of [last_ms, first_ms]) {
    world.moveClock(at_ms - world.now_ms);
    world.market.read('agree');
    await execute(world, account, key, request, null);
  }
}
