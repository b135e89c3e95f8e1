import { type Asset, coinSymbols, scaleOf } from '../../src/money/assets.ts';
import { aroundBatch } from '../support/runtime/faults.ts';
import { PlaceOrder } from '../../src/orders/terms.ts';
import type { GateReply } from '../../src/orders/place-order.ts';
import { ledgerNumberOf } from '../../src/db/record-id.ts';
import { gateOfBefore, handOver } from '../support/gate.ts';
import { drawCode, drawKey, drawOrder, drawWithdrawal } from './client-steps.ts';
import { HAPPENED } from './inject-faults.ts';
import type { Draw } from '../support/draw.ts';
import { execute, noteMiddles, post, predictAgain, predictFresh, refuseKey } from './execute.ts';
import type { ModelAccount, ModelKey, Post } from './model.ts';
import { must } from './must.ts';
import { writeDecimal } from './read-decimal.ts';
import type { World } from './world.ts';

/** Twins: one request many times at once under one Idempotency-Key. One effect, equal answers. */
export async function stepTwins(world: World, draw: Draw): Promise<void> {
  const { account, key } = drawKey(world, draw);
  const isOrder = draw.happens(0.5);
  const body = isOrder ? drawOrder(world, draw, account) : await drawWithdrawal(world, draw, account);
  const operation = isOrder ? 'placeOrder' : 'createWithdrawal';
  const request: Post = { operation, body, idempotencyKey: world.name('twin') };
  // Of twins during a halt that is just set or lifted, some may be refused and another one filled.
  const { answers } = await predictFresh(world, account, request);
  if (answers.some(({ status }) => status === 503)) return;
  const others: Promise<unknown>[] = [];
  const bodies: string[] = [];
  const count = 2 + draw.below(5);
  const twins = {
    name: 'twins',
    tolerance: ['none', 'none'] as const,
    inject: () => {
      for (let twin = 1; twin < count; twin += 1) {
        others.push(post(key.trader, request).then((reply) => bodies.push(`${reply.status} ${reply.body}`)));
      }
      world.after.push(...others);
      return HAPPENED;
    },
  };
  const reply = await execute(world, account, key, request, twins);
  const areEqual = bodies.every((text) => text === `${reply.status} ${reply.body}`);
  must(areEqual || ![201, 422].includes(reply.status), 'twins differ', reply, bodies);
}

/** A crowd: more than can be had, from two keys at once and without an Idempotency-Key. */
export async function stepCrowd(world: World, draw: Draw): Promise<void> {
  const { account, key } = drawKey(world, draw);
  const keys = account.keys.filter(({ revoked, scopes }) => !revoked && scopes.length === 3).slice(0, 2);
  const second = keys.find((one) => one !== key) ?? key;
  const isOrder = draw.happens(0.5);
  const request = isOrder ? crowdOrder(world, draw, account) : await crowdWithdrawal(world, draw, account);
  const refused = refuseKey(key, isOrder ? 'trade' : 'withdraw');
  const fresh = await predictFresh(world, account, request);
  if (refused || fresh.answers.some(({ status }) => status !== 201)) return;
  world.wanted = fresh.wanted;
  const sent_ms = world.now_ms;
  const count = 2 + draw.below(4);
  const replies = await Promise.all(
    Array.from({ length: count }, (_, at) => post((at % 2 === 0 ? key : second).trader, request)),
  );
  noteMiddles(world.market, predictAgain(world, account, request, fresh.answers, sent_ms));
  if (account.totp && !isOrder) world.openTotps.add(account.id);
  const moved = await world.observe();
  const taken = replies.filter(({ status }) => status === 201);
  const effects = new Set(moved.map(({ reference }) => reference));
  const isOne = taken.length === 1 && effects.size === 1 && effects.has(taken[0]?.recordId ?? '');
  must(isOne, 'a crowd took', replies, moved);
  const codes = ['insufficient_balance', 'daily_limit_exceeded', 'totp_invalid', 'withdrawals_locked'];
  const areTold = replies.every(({ status, code }) => status === 201 || codes.includes(code ?? ''));
  must(areTold, 'a crowd was told', replies);
  if (isOrder) world.model.orders.set([...effects][0] ?? '', account.id);
  world.count('faults', account.totp && !isOrder ? 'race_one_code' : isOrder ? 'race_orders' : 'race_withdrawals');
}

/** More than half of a balance, so that there is none for a second. */
function mostOf(world: World, account: ModelAccount, asset: Asset): bigint {
  return (world.model.balance(account.id, asset) * 6n) / 10n;
}

function crowdOrder(world: World, draw: Draw, account: ModelAccount): Post {
  const coin = draw.pick(coinSymbols);
  const side = draw.pick(['BUY', 'SELL']);
  const [asset, mode] = side === 'BUY' ? (['USDT', 'USDT_AMOUNT'] as const) : ([coin, 'COIN_QTY'] as const);
  const value = writeDecimal(mostOf(world, account, asset), scaleOf(asset));
  return { operation: 'placeOrder', body: { coin, side, mode, value }, idempotencyKey: null };
}

async function crowdWithdrawal(world: World, draw: Draw, account: ModelAccount): Promise<Post> {
  const code = await drawCode(world, draw, account);
  const left = account.limit - world.model.used(account.id, world.now_ms);
  // If a code is needed, only one request can use it.
  const most = account.totp ? 10_000_000n : mostOf(world, account, 'USDT');
  const amount = writeDecimal(most < left ? most : (left * 6n) / 10n, 6);
  const address = 'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC';
  return {
    operation: 'createWithdrawal',
    body: { asset: 'USDT', network: 'TRC20', amount: amount.startsWith('-') ? '0' : amount, address, ...code },
    idempotencyKey: null,
  };
}

/**
 * Holds one order at its batch while another key's order runs to its end at a second gate, as after a restart, which
 * leaves less for the first.
 */
export async function stepHeld(world: World, draw: Draw): Promise<void> {
  const { account, key } = drawKey(world, draw);
  const others = account.keys.filter((one) => !one.revoked && one.scopes.length === 3 && one !== key);
  if (others.length === 0 || refuseKey(key, 'trade')) return;
  const other: ModelKey = draw.pick(others);
  const [held, faster] = [crowdOrder(world, draw, account), crowdOrder(world, draw, account)];
  const answers = await Promise.all([held, faster].map((request) => predictFresh(world, account, request)));
  if (answers.some((one) => one.answers.some(({ status }) => status !== 201))) return;
  const sent_ms = world.now_ms;
  let overtaking: GateReply | undefined;
  const call = handOver(other.trader, PlaceOrder.parse(faster.body));
  const fault = aroundBatch('order', 'before', 1, async () => {
    overtaking = await gateOfBefore(ledgerNumberOf(account.id)).placeOrder(call);
  });
  const reply = await post(key.trader, held);
  fault.restore();
  for (const [at, request] of [held, faster].entries()) {
    noteMiddles(world.market, predictAgain(world, account, request, answers[at]?.answers ?? [], sent_ms));
  }
  const moved = await world.observe();
  world.count('faults', 'race_held');
  const isFirst = overtaking?.kind === 'committed' && moved[0]?.reference === call.orderId;
  must(isFirst, 'was not first', overtaking, moved);
  world.model.orders.set(call.orderId, account.id);
  if (reply.status === 201) {
    must(moved.length === 4 && moved[2]?.reference === reply.recordId, 'a held order moved', moved, reply);
    world.model.orders.set(reply.recordId ?? '', account.id);
  } else {
    const isRefused = ['insufficient_balance', 'order_rejected', 'price_unavailable'].includes(reply.code ?? '');
    must(moved.length === 2 && isRefused, 'was told', reply);
  }
}
