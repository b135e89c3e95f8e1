import { house } from '../../src/db/transfers.ts';
import { FIRST_LEDGER } from '../../src/db/record-id.ts';
import { type Asset, assetSymbols, scaleOf } from '../../src/money/assets.ts';
import { asOperator, createKey } from '../support/exchange.ts';
import { ledgersUnderTest } from '../support/db/open-in-ledger.ts';
import { aroundKeyReads } from '../support/runtime/faults.ts';
import type { Draw } from '../support/draw.ts';
import { houseOf } from './house-of.ts';
import type { ModelAccount } from './model.ts';
import { must } from './must.ts';
import { operate, succeed } from './operate.ts';
import { readDecimal, writeDecimal } from './read-decimal.ts';
import type { World } from './world.ts';

/** The simulation's clock stands still while a step waits. */
const setRealTimeout = setTimeout;

export async function stepChange(world: World, draw: Draw): Promise<void> {
  const { model } = world;
  const account = draw.pick(model.accounts);
  const change = draw.weigh({
    limit: 20,
    freeze: 7,
    thaw: 20,
    key: 14,
    revoke: 8,
    approve: 16,
    settings: 40,
    caps: 12,
    minimum: 8,
  });
  if (change === 'limit') {
    const limit = BigInt(draw.pick([300, 5_000, 20_000, 50_000]));
    account.limit = limit * 1_000_000n;
    await succeed(world, 'PATCH', `/accounts/${account.id}`, { dailyWithdrawalLimit: String(limit) });
  } else if (change === 'freeze' || change === 'thaw') {
    const whom = change === 'thaw' ? (model.accounts.find(({ frozen }) => frozen) ?? account) : account;
    whom.frozen = change === 'freeze';
    const status = statusOf(whom);
    await perhapsAmidLateReads(world, draw, whom, draw.pick(['active', 'frozen']), () => {
      model.tellStatus(whom, whom.frozen);
      return succeed(world, 'PATCH', `/accounts/${whom.id}`, { status });
    });
  } else if (change === 'key') {
    if (account.keys.length > 60) return;
    const scopes = draw.pick([['read', 'trade', 'withdraw'], ['read'], ['trade'], ['withdraw']] as const);
    const trader = await createKey(account.id, { scopes });
    account.keys.push({ trader, scopes, revoked: false, entries: new Map() });
    model.tell(account.id, 'key.created', trader.keyId);
  } else if (change === 'revoke') {
    const standing = account.keys.filter(({ revoked, scopes }) => !revoked && scopes.length === 3);
    const key = draw.pick(account.keys);
    if (standing.length < 3 && standing.includes(key)) return;
    await perhapsAmidLateReads(world, draw, account, statusOf(account), () =>
      succeed(world, 'DELETE', `/accounts/${account.id}/api-keys/${key.trader.keyId}`),
    );
    if (!key.revoked) model.tell(account.id, 'key.revoked', key.trader.keyId);
    key.revoked = true;
    if (key.scopes.includes('read'))
      must((await key.trader.get('/api/v1/orders')).status === 401, 'a revoked key reads');
  } else if (change === 'approve') {
    await approve(world, draw, account);
  } else if (change === 'caps') await changeCap(world, draw);
  else if (change === 'minimum') await changeDepositMinimum(world, draw);
  else await changeSettings(world, draw);
}

type Status = 'active' | 'frozen';

function statusOf({ frozen }: ModelAccount): Status {
  return frozen ? 'frozen' : 'active';
}

/**
 * Makes a change, sometimes while the lanes of the account's keys wait for records that were read `before` it and
 * arrive after it. The change must take effect all the same.
 */
async function perhapsAmidLateReads(
  world: World,
  draw: Draw,
  account: ModelAccount,
  before: Status,
  change: () => Promise<void>,
): Promise<void> {
  const { id, keys } = account;
  const count = keys.filter(({ revoked }) => !revoked).length;
  if (count === 0 || !draw.happens(0.5)) return change();
  const held = Promise.withResolvers<void>();
  const { state, restore } = aroundKeyReads('after', count, () => held.promise);
  world.model.tellStatus(account, before === 'frozen');
  const telling = asOperator('PATCH', `/accounts/${id}`, { status: before });
  while (state.injected < count) await new Promise((resolve) => void setRealTimeout(resolve, 1));
  await change();
  held.resolve();
  await telling;
  restore();
  world.count('faults', 'late_records');
}

async function approve(world: World, draw: Draw, account: ModelAccount): Promise<void> {
  const { network, address } = draw.pick([
    { network: 'TRC20', address: 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC' },
    { network: 'BTC', address: 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu' },
    ...Object.entries(draw.pick(world.model.accounts).addresses).map(([name, own]) => ({
      network: name,
      address: own,
    })),
  ]);
  await succeed(world, 'POST', `/accounts/${account.id}/allowlist`, { network, address, label: 'approved' });
  const name = `${network} ${address}`;
  if (account.approved.has(name)) return;
  account.approved.set(name, world.now_ms);
  world.model.tell(account.id, 'allowlist.added', null);
}

async function changeSettings(world: World, draw: Draw): Promise<void> {
  const { settings } = world.model;
  const { tradingHalted, withdrawalsHalted, pausedNetworks, allowlistMode } = settings;
  const hasOdds = tradingHalted || withdrawalsHalted || pausedNetworks.length > 0 || allowlistMode === 'strict';
  const what =
    hasOdds && draw.happens(0.7)
      ? 'calm'
      : draw.weigh({ trading: 2, withdrawals: 2, network: 2, strict: 2, review: 5, spread: 4, hedging: 2, calm: 2 });
  const change = {
    trading: { tradingHalted: true },
    withdrawals: { withdrawalsHalted: true },
    network: { pausedNetworks: ['TRC20' as const] },
    strict: { allowlistMode: 'strict' as const },
    review: { reviewThreshold: draw.pick([null, 50_000_000n, 500_000_000n]) },
    spread: { spreadBps: draw.pick([0, 0, 20, 150]) },
    hedging: { hedgingHalted: !settings.hedgingHalted },
    calm: { tradingHalted: false, withdrawalsHalted: false, pausedNetworks: [], allowlistMode: 'off' as const },
  }[what];
  world.changeSettings(change);
  const { reviewThreshold, ...rest } = change as { reviewThreshold?: bigint | null };
  const threshold =
    reviewThreshold === undefined
      ? {}
      : { reviewThreshold: reviewThreshold === null ? null : writeDecimal(reviewThreshold, 6) };
  await succeed(world, 'PATCH', '/settings', { ...rest, ...threshold });
}

/** Sets the smallest deposit of one asset on one network, or restores all defaults. */
async function changeDepositMinimum(world: World, draw: Draw): Promise<void> {
  const { model } = world;
  const asset = draw.pick(assetSymbols);
  const { network, minDeposit } = draw.networkOf(asset);
  const scale = scaleOf(asset);
  const kind = draw.weigh({ none: 3, atom: 2, tenfold: 3 });
  const amount = kind === 'atom' ? 1n : 10n * (readDecimal(minDeposit, scale) ?? 0n);
  model.depositMinimum = kind === 'none' ? null : { asset, network, amount };
  const depositMinimums = kind === 'none' ? {} : { [asset]: { [network]: writeDecimal(amount, scale) } };
  await succeed(world, 'PATCH', '/settings', { depositMinimums });
}

/**
 * Sets a cap near what is owed, below or above it, or restores its first value. A cap below what is owed is refused
 * (I12).
 */
async function changeCap(world: World, draw: Draw): Promise<void> {
  if (ledgersUnderTest.length > 1) return changeExposure(world, draw);
  const { model } = world;
  const asset = draw.pick(assetSymbols);
  const [owner, name] = draw.pick([
    [house.custody, 'supplyCaps'],
    [house.liquidity, 'exposure'],
  ] as const);
  const kind = draw.weigh({ wide: 6, close: 3, under: 1 });
  const owed = -model.balance(owner, asset);
  const room = 10n ** BigInt(scaleOf(asset)) * (asset === 'USDT' ? 1_000n : 1n);
  const cap = kind === 'wide' ? 10n ** 15n : kind === 'close' ? (owed > 0n ? owed : 0n) + room : owed - 1n;
  if (cap < 0n) return;
  const body = { [name]: { [asset]: writeDecimal(cap, scaleOf(asset)) } };
  if (kind !== 'under') {
    model.floors.set(`${owner} ${asset}`, -cap);
    return succeed(world, 'PATCH', '/settings', body);
  }
  const { answer } = await operate(world, 'PATCH', '/settings', body);
  must(answer.body['code'] === 'invalid_state', 'answered', answer);
}

/**
 * Sets the share of the exposure that a ledger has, often so that most of it is used. Ledger 0 gives and gets the
 * difference.
 */
async function changeExposure(world: World, draw: Draw): Promise<void> {
  const { model } = world;
  const ledger = draw.pick(ledgersUnderTest.filter((one) => one !== FIRST_LEDGER));
  const [owner, first] = [houseOf(ledger).liquidity, house.liquidity];
  const inUse = assetSymbols.filter((one) => model.balance(owner, one) < 0n);
  const asset = draw.pick(inUse.length > 0 ? inUse : assetSymbols);
  const used = -model.balance(owner, asset);
  const unit = 10n ** BigInt(scaleOf(asset));
  const kind = draw.weigh({ wide: 3, close: 6, under: 1 });
  const least = used > 0n ? used : 0n;
  const share = kind === 'wide' ? least * 4n + unit * 1_000n : kind === 'close' ? least + least / 4n : used - 1n;
  if (share < 0n) return;
  const rise = share + model.floor(owner, asset);
  const isRefused = rise > 0n ? rise > spareOf(model, first, asset) : -rise > spareOf(model, owner, asset);
  if (!isRefused) {
    model.floors.set(`${owner} ${asset}`, -share);
    model.floors.set(`${first} ${asset}`, model.floor(first, asset) + rise);
  }
  const body = { ledger, exposure: { [asset]: writeDecimal(share, scaleOf(asset)) } };
  const { answer, moved } = await operate(world, 'PATCH', '/shares', body);
  must(moved.length === 0, 'a share moved money', moved);
  if (isRefused) return must(answer.body['code'] === 'invalid_state', 'answered', answer);
  must(answer.status === 200, 'answered', answer);
}

/** How much a ledger can give of its share: what is not used, and at most all of it. */
function spareOf(model: World['model'], owner: string, asset: Asset): bigint {
  const share = -model.floor(owner, asset);
  const room = model.balance(owner, asset) + share;
  return room < share ? room : share;
}
