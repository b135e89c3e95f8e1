import { useState } from 'preact/hooks';
import type { Transaction } from '../../../clients/bureau-client/src/operations.ts';
import { add, multiply } from '../exact.ts';
import { api } from '../api.ts';
import { ask } from '../ask.ts';
import { directionOf, nameMovement, showCents, showChange, showPrice, showQuantity, showRecent } from '../format.ts';
import { useLoaded } from '../load.ts';
import type { ChartPoint } from '../parts/chart-point.ts';
import { Checklist } from '../parts/checklist.tsx';
import { Badge } from '../parts/coin.tsx';
import { Item } from '../parts/item.tsx';
import { Line } from '../parts/line.tsx';
import { Moved } from '../parts/moved.tsx';
import { Shown, Waiting } from '../parts/notice.tsx';
import { Pill } from '../parts/pill.tsx';
import { type SignedIn, nameWayIn, useSignedIn } from '../parts/session.ts';
import { type Drawn, type Reach, SpanChart, readPrices } from '../parts/span-chart.tsx';
import { valueOverTime } from '../value-over-time.ts';
import { Movement } from './activity/movement.tsx';
import { Gains, useMovements } from './gains.tsx';

const EVERY_MS = 10_000;
const DECIMALS = 8;

async function read() {
  const [{ assets }, { balances }, { tickers }, { transactions }, { orders }] = await Promise.all([
    api.listAssets(),
    api.listBalances(),
    api.listTickers(),
    api.listTransactions({ limit: 5 }),
    api.listOrders({ limit: 1 }),
  ]);
  const priceOf = new Map(tickers.map((ticker) => [ticker.symbol as string, ticker]));
  const rows = balances.map(({ asset, amount }) => {
    const ticker = priceOf.get(asset);
    const price = asset === 'USDT' ? '1' : ticker?.price;
    const name = assets.find((known) => known.asset === asset)?.name ?? asset;
    return { asset, name, amount, price, change: ticker?.change24h, value: price && multiply(amount, price, DECIMALS) };
  });
  return {
    // What is worth most first; what has no price or no amount keeps its order.
    rows: rows.toSorted((one, other) => Number(other.value ?? 0) - Number(one.value ?? 0)),
    transactions,
    hasTraded: orders.length > 0,
    priceOf: (asset: string) => priceOf.get(asset)?.price,
    value: add(rows.flatMap(({ value }) => value ?? [])),
  };
}

type Row = Awaited<ReturnType<typeof read>>['rows'][number];
type Prices = readonly ChartPoint[];

/** The prices of each coin, the oldest first. They are only drawn. */
async function readLines(reach: Reach): Promise<ReadonlyMap<string, Prices>> {
  const { symbols } = await api.getExchangeInfo();
  const lines = symbols.map(async ({ symbol }) => [symbol, await readPrices(symbol, reach)] as const);
  return new Map(await Promise.all(lines));
}

/** The last day, an hour apart. */
const readLastDay = () =>
  readLines({ interval: '1h', step_s: 3_600, limit: 25, now_s: Math.floor(Date.now() / 1_000) });

/** Fewer make no line. */
const LEAST_POINTS = 8;

/**
 * What the account was worth. Before the oldest movement that was read nothing is known, and an account that has just
 * been opened has no past: then it is what is held now, at the prices of then.
 */
function drawValue(
  rows: readonly Row[],
  { movements, rest }: ReturnType<typeof useMovements>,
  lines: ReadonlyMap<string, Prices>,
): Drawn {
  const first = rest ? Date.parse(movements.at(-1)?.ts ?? '') / 1_000 : 0;
  const points = valueOverTime(rows, movements, lines).filter(({ at }) => at >= first);
  if (points.length >= LEAST_POINTS) return { points };
  return { points: valueOverTime(rows, [], lines), note: 'What you hold today, at past prices.' };
}

/** By how much the value of what is held has changed in 24 hours, in USDT and as a fraction. Both are only shown rounded. */
function changeOf(rows: readonly Row[]): { readonly by: number; readonly fraction: number } | undefined {
  const valued = rows.map(({ value, change }) => ({ now: Number(value ?? 0), change: change ?? 0 }));
  const now = valued.reduce((sum, row) => sum + row.now, 0);
  const before = valued.reduce((sum, row) => sum + row.now / (1 + row.change), 0);
  return before > 0 ? { by: now - before, fraction: now / before - 1 } : undefined;
}

/** What a new holder does first, and what of it is done. It goes once all of it is. */
function FirstSteps({
  session,
  account,
  known,
}: Pick<SignedIn, 'session' | 'account'> & { readonly known: Awaited<ReturnType<typeof read>> }) {
  const { loaded } = useLoaded(() => ask<{ recoveryCodes: number }>('GET', '/account/passkeys'));
  const hasWayBack = session.passkeys > 1 || (loaded.state === 'here' && loaded.value.recoveryCodes > 0);
  const steps = [
    {
      isDone: session.passkeys > 0,
      path: '/security',
      name: 'Add a passkey',
      why: 'Trading and withdrawing need it.',
    },
    {
      isDone: account.totp.enabled,
      path: '/security',
      name: 'Switch on two-factor authentication',
      why: 'Each withdrawal asks for a code from your authenticator app.',
    },
    {
      isDone: hasWayBack,
      path: '/security',
      name: 'Make recovery codes, or add a second passkey',
      why: 'For the day you lose the first one.',
    },
    {
      isDone: known.transactions.length > 0,
      path: '/deposit',
      name: 'Make a first deposit',
      why: 'Each coin and network has its address.',
    },
    {
      isDone: known.hasTraded,
      path: '/trade',
      name: 'Buy something',
      why: 'It fills at once, at the price that is shown.',
    },
  ];
  const [areAllShown, setAllShown] = useState(false);
  const next = steps.find(({ isDone }) => !isDone);
  if (!next || loaded.state === 'waiting') return null;
  const done = steps.filter(({ isDone }) => isDone).length;
  const mayDo = (step: (typeof steps)[number]) =>
    session.level === 'act' || step.path === '/deposit' || (step === next && session.passkeys === 0);
  return (
    <section class="card">
      <div class="title">
        <h2>First steps</h2>
        <span class="quiet">
          {done} of {steps.length} done
        </span>
      </div>
      <progress max={steps.length} value={done} aria-label="First steps that are done" />
      <Checklist
        steps={(areAllShown ? steps : [next]).map((step) => (mayDo(step) ? step : { ...step, path: undefined }))}
      />
      <button type="button" class="link" aria-expanded={areAllShown} onClick={() => setAllShown(!areAllShown)}>
        {areAllShown ? 'Show only the next step' : `Show all ${steps.length} steps`}
      </button>
    </section>
  );
}

/** What a new holder does first, what the account is worth and holds, what happened last, and what it gained. */
export function Overview() {
  const { session, account } = useSignedIn();
  const { loaded } = useLoaded(read, EVERY_MS);
  const { loaded: drawn } = useLoaded(readLastDay);
  const movements = useMovements();
  const [shown, setShown] = useState<Transaction>();
  const prices = drawn.state === 'here' ? drawn.value : new Map<string, Prices>();
  return (
    <>
      <Shown loaded={loaded}>
        {(known) => {
          const { rows, transactions, value, priceOf } = known;
          const isNew = transactions.length === 0 || session.passkeys === 0;
          // The key keeps what they have read when they are moved.
          const steps = <FirstSteps key="steps" session={session} account={account} known={known} />;
          return (
            <>
              {isNew && steps}
              <section class="card">
                <div class="title">
                  <div>
                    <h2>Value</h2>
                    <p class="figure">{showCents(value)} USDT</p>
                    <ValueChange rows={rows} />
                  </div>
                  <div class="side-by-side">
                    {session.level === 'act' && (
                      <a class="main" href="/trade">
                        Trade
                      </a>
                    )}
                    {session.level === 'look' && session.passkeys > 0 && (
                      <a class="main" href="/security">
                        {nameWayIn(session)}
                      </a>
                    )}
                    <a href="/deposit">Deposit</a>
                    {session.level === 'act' && <a href="/withdraw">Withdraw</a>}
                  </div>
                </div>
                {movements.isRead ? (
                  <SpanChart
                    key={movements.movements.length}
                    name="The value of your account"
                    read={async (reach) => drawValue(rows, movements, await readLines(reach))}
                  />
                ) : (
                  <Waiting />
                )}
              </section>
              {!isNew && steps}
              <Balances rows={rows} prices={prices} />
              <section class="card">
                <h2>Last activity</h2>
                {transactions.length === 0 ? (
                  <p>
                    Nothing happened yet. <a href="/deposit">Make a deposit</a> to begin.
                  </p>
                ) : (
                  <ul class="plain opens">
                    {transactions.map((row) => (
                      <Item
                        key={row.id}
                        asset={row.asset}
                        title={
                          <button type="button" class="link" onClick={() => setShown(row)}>
                            {nameMovement(row.type, row.asset)}
                          </button>
                        }
                        about={<time dateTime={row.ts}>{showRecent(row.ts)}</time>}
                        end={<Moved row={row} />}
                        below={
                          row.status === 'COMPLETED' ? `${showCents(row.usdValue)} USDT` : <Pill status={row.status} />
                        }
                      />
                    ))}
                  </ul>
                )}
                <a href="/activity">All activity</a>
              </section>
              <Gains known={movements} priceOf={priceOf} />
            </>
          );
        }}
      </Shown>
      {shown && <Movement row={shown} close={() => setShown(undefined)} />}
    </>
  );
}

/** By how much the value of what is held has changed, beside it. */
function ValueChange({ rows }: { readonly rows: readonly Row[] }) {
  const change = changeOf(rows);
  if (!change) return null;
  return (
    <p>
      <span class={directionOf(change.fraction)}>
        {change.by < 0 ? '−' : '+'}
        {showCents(Math.abs(change.by).toFixed(2))} USDT ({showChange(change.fraction)})
      </span>{' '}
      <span class="quiet">24 h, from prices</span>
    </p>
  );
}

/** What the account holds. The coins of which it has none are folded away, unless it has nothing at all. */
function Balances({ rows, prices }: { readonly rows: readonly Row[]; readonly prices: ReadonlyMap<string, Prices> }) {
  const [areAllShown, setAllShown] = useState(false);
  const held = rows.filter(({ amount }) => amount !== '0');
  const shown = areAllShown || held.length === 0 ? rows : held;
  const others = rows.length - held.length;
  return (
    <section class="card">
      <h2>Balances</h2>
      <table class="stacked balances" aria-label="Balances">
        <thead>
          <tr>
            <th scope="col">Coin</th>
            <th scope="col" class="number">
              Amount
            </th>
            <th scope="col" class="number">
              In USDT
            </th>
            <th scope="col" class="number">
              24 hours
            </th>
            <th scope="col" class="wide number">
              Price
            </th>
            <th scope="col">
              <span class="hidden">What to do</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <BalanceRow key={row.asset} row={row} prices={prices.get(row.asset) ?? []} />
          ))}
        </tbody>
      </table>
      {held.length > 0 && others > 0 && (
        <button type="button" class="link" aria-expanded={areAllShown} onClick={() => setAllShown(!areAllShown)}>
          {areAllShown ? 'Show only what you hold' : `Show ${others} more that you do not hold`}
        </button>
      )}
    </section>
  );
}

function BalanceRow({ row, prices }: { readonly row: Row; readonly prices: Prices }) {
  const { session } = useSignedIn();
  const mayAct = session.level === 'act';
  const [isOpen, setOpen] = useState(false);
  return (
    <tr class={row.amount === '0' ? 'unheld' : undefined}>
      <th scope="row">
        <span class="coin">
          <Badge asset={row.asset} />
          <span>
            {row.asset} {row.name !== row.asset && <small class="quiet">{row.name}</small>}
          </span>
        </span>
      </th>
      <td class="number" data-coin={row.name}>
        {showQuantity(row.amount, row.asset)}
      </td>
      <td class="number">{row.value === undefined ? '–' : showCents(row.value)}</td>
      <td class="number">
        <Change fraction={row.change} />
      </td>
      <td class="wide number">
        <div>
          <Line values={prices.map((point) => point.value)} label={`The price of ${row.asset}, 24 hours`} />
          <span>{row.price === undefined ? '–' : showPrice(row.price)}</span>
        </div>
      </td>
      <td class="number actions">
        <button type="button" class="opener" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span class="hidden">What to do with {row.asset}</span>
        </button>
        <div class={mayAct ? 'acts' : undefined}>
          {mayAct && row.asset !== 'USDT' && <ActionLink to="trade" name="Trade" asset={row.asset} />}
          <ActionLink to="deposit" name="Deposit" asset={row.asset} />
          {mayAct && row.amount !== '0' && <ActionLink to="withdraw" name="Withdraw" asset={row.asset} />}
        </div>
      </td>
    </tr>
  );
}

function ActionLink({ to, name, asset }: { readonly to: string; readonly name: string; readonly asset: string }) {
  return (
    <a href={`/${to}?asset=${asset}`}>
      {name}
      <span class="hidden"> {asset}</span>
    </a>
  );
}

function Change({ fraction }: { readonly fraction: number | undefined }) {
  if (fraction === undefined) return <>–</>;
  return <span class={directionOf(fraction)}>{showChange(fraction)}</span>;
}
