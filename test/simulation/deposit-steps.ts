import { house } from '../../src/ledger/transfers.ts';
import { assetSymbols, scaleOf } from '../../src/money/assets.ts';
import { type Draw, drawNetwork } from './draw.ts';
import { type ModelDeposit, must, sameMovements } from './model.ts';
import { armDatabase, operate } from './operate.ts';
import { floorDecimal, writeDecimal } from './read-decimal.ts';
import type { World } from './world.ts';

/** A chain's deposit: its first report, or one more of an earlier. */
export async function stepDeposit(world: World, draw: Draw): Promise<void> {
  const { model } = world;
  const open = model.deposits.slice(-12);
  const isNew = open.length === 0 || draw.chance(0.5);
  const deposit = isNew ? newDeposit(world, draw) : draw.pick(open);
  const word = draw.weighted({ seen: 3, confirmed: 6, failed: 1 });
  const confirmations = word === 'confirmed' ? deposit.needed : Math.min(1, deposit.needed - 1);
  const armed = armDatabase(world, draw, 'deposit');
  const before = deposit.status;
  const report = { ...deposit.report, confirmations, ...(word === 'failed' && { failed: true }) };
  const next = nextStatus(world, deposit, isNew, word);
  const { answer, moved } = await operate(world, 'POST', '/deposits', report, armed);
  if (isNew) model.deposits.push(deposit);
  const isOpen = armed !== undefined && armed.struck() > 0 && answer.status === 503;
  if (moved.length > 0) {
    const { accountId, asset, amount } = deposit;
    const credit = [{ debit: house.custody, credit: accountId ?? 'nobody', asset, amount, kind: 'deposit' }];
    must(next === 'COMPLETED' && before !== 'COMPLETED', 'credited again', deposit.report, moved);
    must(sameMovements(moved, credit), 'moved', moved, 'instead of', credit);
    deposit.status = 'COMPLETED';
  }
  if (isOpen) return void (deposit.isKnown ||= isNew && moved.length > 0);
  if (next === 'refused') return must(answer.status === 409, 'answered', answer, report);
  must([200, 201].includes(answer.status), 'answered', answer, report);
  deposit.isKnown = true;
  deposit.status = (answer.body['deposit'] as { status: ModelDeposit['status'] }).status;
  must(deposit.status === next, 'a deposit is', deposit, 'instead of', next, before);
}

function newDeposit(world: World, draw: Draw): ModelDeposit {
  const account = draw.pick(world.model.accounts);
  const asset = draw.pick(assetSymbols);
  const { network, confirmations } = drawNetwork(draw, asset);
  const kind = draw.weighted({ good: 80, dust: 10, nobody: 10 });
  const scale = scaleOf(asset);
  const amount = kind === 'dust' ? '0.0000000000001' : writeDecimal(draw.part(BigInt(10 ** scale)) + 1n, scale);
  const fine =
    amount.includes('.') && kind === 'good' ? `${amount.padEnd(amount.indexOf('.') + 1 + scale, '0')}999` : amount;
  const hash = draw.hex();
  const isHex = ['BTC', 'LTC', 'DOGE', 'TRC20'].includes(network);
  const txHash = network === 'SOL' ? solanaHash(hash) : isHex ? hash : `0x${hash}`;
  const address = account.addresses[network] ?? '';
  return {
    report: {
      network,
      asset,
      amount: fine,
      txHash,
      address: kind === 'nobody' ? (nobodys[network] ?? address) : address,
    },
    accountId: kind === 'nobody' && nobodys[network] ? null : account.id,
    asset,
    amount: floorDecimal(fine, scale),
    needed: confirmations,
    status: 'PENDING',
    isKnown: false,
  };
}

const nobodys: Readonly<Record<string, string>> = Object.fromEntries(
  ['ETH', 'BEP20', 'ARBITRUM', 'OPTIMISM', 'BASE', 'AVAX', 'POLYGON'].map((network) => [
    network,
    '0x52908400098527886E0F7030069857D2E4169EE7',
  ]),
);

/** 64 bytes in base58: leading ones are zero bytes, and the rest is short. */
function solanaHash(hex: string): string {
  const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
  let value = BigInt(`0xff${hex.slice(2)}${hex}`);
  let text = '';
  for (; value > 0n; value /= 58n) text = digits[Number(value % 58n)] + text;
  return text;
}

function nextStatus({ model }: World, deposit: ModelDeposit, isNew: boolean, word: string) {
  const isFirst = isNew || !deposit.isKnown;
  const standing = isFirst ? null : deposit.status;
  if (standing === 'COMPLETED') return word === 'failed' ? 'refused' : standing;
  if (standing === 'FAILED') return standing;
  if (word === 'failed') return 'FAILED';
  if (deposit.accountId === null || deposit.amount === 0n) return 'QUARANTINED';
  if (word === 'seen') return standing ?? 'PENDING';
  return model.affords(house.custody, deposit.asset, deposit.amount) ? 'COMPLETED' : 'QUARANTINED';
}
