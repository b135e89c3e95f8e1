import { type ComponentChildren, Fragment } from 'preact';
import type { Transaction } from '../../../../clients/bureau-client/src/operations.ts';
import { api } from '../../api.ts';
import { ask } from '../../ask.ts';
import { inGroups, nameMovement, showCents, showCoins, showPrice, showZoned } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { nameNetwork } from '../../networks.ts';
import { Copied } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Shown } from '../../parts/notice.tsx';
import { TransactionLink } from '../../parts/transaction-link.tsx';
import { Pill } from '../../parts/pill.tsx';
import { isTrade } from '../../value-over-time.ts';
import { reasonsOf } from '../../withdrawal-states.ts';

/** Something known of a movement: its name, and what it is; `null` where there is nothing to show. */
type Fact = readonly [name: string, value: ComponentChildren];

function showHash({ network, txHash }: { readonly network: string | null; readonly txHash: string | null }) {
  return network !== null && txHash !== null && <TransactionLink network={network} txHash={txHash} />;
}

/** What the record of a movement says beyond its row. */
async function readRecord({ id, category, asset }: Transaction): Promise<readonly Fact[]> {
  if (category === 'TRADE') {
    const { order } = await api.getOrder(id);
    const isBuy = order.side === 'BUY';
    const [money, coins] = [`${showCents(order.usdtAmount)} USDT`, showCoins(order.coinAmount, order.coin)];
    return [
      [isBuy ? 'You paid' : 'You sold', isBuy ? money : coins],
      ['You got', isBuy ? coins : money],
      ['Price', `${showPrice(order.executedPrice)} USDT per ${asset}`],
      ['Fee', 'None; the price includes the spread'],
    ];
  }
  if (category === 'DEPOSIT') {
    const { deposit } = await api.getDeposit(id);
    const { confirmations, confirmationsNeeded } = deposit;
    return [
      ['Network', deposit.network && nameNetwork(deposit.network)],
      ['To your address', deposit.address && <code key="address">{inGroups(deposit.address)}</code>],
      ['Transaction', showHash(deposit)],
      ['Confirmations', confirmations === null ? null : `${confirmations} of ${confirmationsNeeded ?? 0}`],
    ];
  }
  if (category !== 'WITHDRAWAL') return [];
  const { withdrawal } = await api.getWithdrawal(id);
  return [
    ['Fee', showCoins(withdrawal.fee, asset)],
    ['Network', nameNetwork(withdrawal.network)],
    ['To', <code key="address">{inGroups(withdrawal.address)}</code>],
    ['Transaction', showHash(withdrawal)],
    ['Why not', withdrawal.reason === null ? null : reasonsOf[withdrawal.reason]],
    ['The exchange says', withdrawal.note],
  ];
}

/** Who asked for a movement: a program, by the name of its API key, or the holder here. */
async function nameAsker(keyId: string | null): Promise<string | null> {
  if (keyId === null) return null;
  const { apiKeys } = await ask<{ apiKeys: readonly { id: string; label: string }[] }>('GET', '/account/keys');
  const key = apiKeys.find(({ id }) => id === keyId);
  return key ? `The API key ${key.label}` : 'You, in the console';
}

async function readFacts(row: Transaction): Promise<readonly Fact[]> {
  const [record, asker] = await Promise.all([readRecord(row), nameAsker(row.keyId)]);
  return [
    // A trade was paid at its worth, and USDT is worth itself.
    ['Worth then', isTrade(row.type) || row.asset === 'USDT' ? null : `${showCents(row.usdValue)} USDT`],
    ['State', <Pill key="state" status={row.status} />],
    ...record,
    ['Placed by', asker],
    ['When', showZoned(row.ts)],
    ['Id', <Copied key="id" text={row.id} shown={`…${row.id.slice(-8)}`} label="the id" isBeside />],
  ];
}

/** One movement with everything that is known of it. */
export function Movement({ row, close }: { readonly row: Transaction; readonly close: () => void }) {
  const { loaded } = useLoaded(() => readFacts(row));
  return (
    <Dialog title={nameMovement(row.type, showCoins(row.amount, row.asset))} close={close}>
      <Shown loaded={loaded}>
        {(facts) => (
          <dl>
            {facts.map(
              ([name, value]) =>
                value !== null &&
                value !== false && (
                  <Fragment key={name}>
                    <dt>{name}</dt>
                    <dd class="breaks">{value}</dd>
                  </Fragment>
                ),
            )}
          </dl>
        )}
      </Shown>
    </Dialog>
  );
}
