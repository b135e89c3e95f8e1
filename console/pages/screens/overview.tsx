import { add, multiply } from '../exact.ts';
import { api } from '../ask.ts';
import { nameMovement, showAmount, showCents, directionOf, showChange, showTime } from '../format.ts';
import { useLoaded } from '../load.ts';
import { Line } from '../parts/line.tsx';
import { Shown } from '../parts/notice.tsx';
import { type SignedIn, useSignedIn } from '../parts/session.ts';
import { Gains } from './gains.tsx';

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
    return { asset, name, amount, change: ticker?.change24h, value: price && multiply(amount, price, DECIMALS) };
  });
  return {
    rows,
    transactions,
    hasTraded: orders.length > 0,
    priceOf: (asset: string) => priceOf.get(asset)?.price,
    value: add(
      rows.flatMap(({ value }) => value ?? []),
      DECIMALS,
    ),
  };
}

type Row = Awaited<ReturnType<typeof read>>['rows'][number];

const HOURS = 24;

/** The prices of each coin in the last 24 hours, an hour apart, the oldest first. They are only drawn. */
async function readPrices(): Promise<ReadonlyMap<string, readonly number[]>> {
  const { symbols } = await api.getExchangeInfo();
  const lines = symbols.map(async ({ symbol }) => {
    const { candles } = await api.listCandles(symbol, { interval: '1h', limit: HOURS + 1 });
    return [symbol, candles.map(({ close }) => Number(close))] as const;
  });
  return new Map(await Promise.all(lines));
}

/** What was held would have been worth in each hour; `[]` while the prices of a coin that is held are not known. */
function drawValue(rows: readonly Row[], prices: ReadonlyMap<string, readonly number[]>): number[] {
  const held = rows.filter(({ amount }) => amount !== '0');
  const lines = held.map(({ asset, amount }) => {
    const line = asset === 'USDT' ? Array.from({ length: HOURS + 1 }, () => 1) : (prices.get(asset) ?? []);
    return line.map((price) => price * Number(amount));
  });
  const length = Math.min(...lines.map((line) => line.length));
  if (!Number.isFinite(length)) return [];
  return Array.from({ length }, (_, at) => lines.reduce((sum, line) => sum + (line.at(at - length) ?? 0), 0));
}

/** By how much the value of what is held has changed in 24 hours, as a fraction. Only its rounded percent is shown. */
function changeOf(rows: readonly Row[]): number | undefined {
  const valued = rows.map(({ value, change }) => ({ now: Number(value ?? 0), change: change ?? 0 }));
  const now = valued.reduce((sum, row) => sum + row.now, 0);
  const before = valued.reduce((sum, row) => sum + row.now / (1 + row.change), 0);
  return before > 0 ? now / before - 1 : undefined;
}

/** What a new holder does first, with what is done already. It goes once all of it is. */
function FirstSteps({
  session,
  account,
  known,
}: Pick<SignedIn, 'session' | 'account'> & { readonly known: Awaited<ReturnType<typeof read>> }) {
  const steps = [
    [session.passkeys > 0, '/security', 'Add a passkey, so that you can trade and nobody else can.'],
    [session.passkeys > 1, '/security', 'Add a second passkey, in case you lose the first.'],
    [
      account.totp.enabled,
      '/security',
      'Switch two-factor authentication on: the console sends no withdrawal without it.',
    ],
    [known.transactions.length > 0, '/deposit', 'Make a first deposit.'],
    [known.hasTraded, '/trade', 'Buy something.'],
  ] as const;
  if (steps.every(([isDone]) => isDone)) return null;
  return (
    <section class="card">
      <h2>First steps</h2>
      <ol class="plain">
        {steps.map(([isDone, path, text]) => (
          <li key={text}>
            <span>{isDone ? text : <a href={path}>{text}</a>}</span>
            <span class={isDone ? 'up' : 'quiet'}>{isDone ? '✓ done' : 'to do'}</span>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** What a new holder does first, what the account is worth, holds and gained, and what happened last. */
export function Overview() {
  const { session, account } = useSignedIn();
  const { loaded } = useLoaded(read, EVERY_MS);
  const { loaded: drawn } = useLoaded(readPrices);
  const prices = drawn.state === 'here' ? drawn.value : new Map<string, readonly number[]>();
  return (
    <>
      <Shown loaded={loaded}>{(known) => <FirstSteps session={session} account={account} known={known} />}</Shown>
      <Shown loaded={loaded}>
        {({ rows, transactions, value, priceOf }) => (
          <>
            <section class="card">
              <h2>Value</h2>
              <p class="figure">{showCents(value)} USDT</p>
              <p class="quiet">
                <Change fraction={changeOf(rows)} /> in 24 hours, for what you hold now
              </p>
              <Line values={drawValue(rows, prices)} label="The value of what you hold now, in the last 24 hours" />
            </section>
            <section class="card">
              <h2>Balances</h2>
              <table class="stacked" aria-label="Balances">
                <thead>
                  <tr>
                    <th scope="col">Asset</th>
                    <th scope="col" class="number">
                      Amount
                    </th>
                    <th scope="col" class="number">
                      In USDT
                    </th>
                    <th scope="col" class="number">
                      24 hours
                    </th>
                    <th scope="col" class="wide">
                      Price
                    </th>
                    <th scope="col">
                      <span class="hidden">What to do</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <tr key={row.asset}>
                      <th scope="row">
                        <span class="coin">
                          <span class="badge" aria-hidden="true">
                            {row.asset.slice(0, 3)}
                          </span>
                          <span>
                            {row.asset} <small class="quiet">{row.name}</small>
                          </span>
                        </span>
                      </th>
                      <td class="number">{showAmount(row.amount)}</td>
                      <td class="number">{row.value === undefined ? '–' : showCents(row.value)}</td>
                      <td class="number">
                        <Change fraction={row.change} />
                      </td>
                      <td class="wide">
                        <Line
                          small
                          values={prices.get(row.asset) ?? []}
                          label={`The price of ${row.asset}, 24 hours`}
                        />
                      </td>
                      <td class="number actions">
                        {row.asset !== 'USDT' && <ActionLink to="trade" name="Trade" asset={row.asset} />}
                        <ActionLink to="deposit" name="Deposit" asset={row.asset} />
                        <ActionLink to="withdraw" name="Withdraw" asset={row.asset} />
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </section>
            <Gains priceOf={priceOf} />
            <section class="card">
              <h2>Last activity</h2>
              {transactions.length === 0 ? (
                <p>
                  Nothing happened yet. <a href="/deposit">Make a deposit</a> to begin.
                </p>
              ) : (
                <ul class="plain">
                  {transactions.map((row) => (
                    <li key={row.id}>
                      <span>{nameMovement(row.type)}</span>
                      <span class="number">
                        {showAmount(row.amount)} {row.asset}
                      </span>
                      <time dateTime={row.ts}>{showTime(row.ts)}</time>
                    </li>
                  ))}
                </ul>
              )}
              <a href="/activity">All activity</a>
            </section>
          </>
        )}
      </Shown>
    </>
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
