import { add, multiply } from '../exact.ts';
import { api } from '../ask.ts';
import { inWords, showAmount, showCents, showTime } from '../format.ts';
import { useLoaded } from '../load.ts';
import { Shown } from '../parts/notice.tsx';
import { useSignedIn } from '../parts/session.ts';

const EVERY_MS = 10_000;
const CENTS = 2;
const NARROW_SPACE = '\u202F';

async function read() {
  const [{ balances }, { tickers }, { transactions }] = await Promise.all([
    api.listBalances(),
    api.listTickers(),
    api.listTransactions({ limit: 5 }),
  ]);
  const priceOf = new Map(tickers.map((ticker) => [ticker.symbol as string, ticker]));
  const rows = balances.map(({ asset, amount }) => {
    const ticker = priceOf.get(asset);
    const price = asset === 'USDT' ? '1' : ticker?.price;
    return { asset, amount, change: ticker?.change24h, value: price && multiply(amount, price, CENTS) };
  });
  return {
    rows,
    transactions,
    value: add(
      rows.flatMap(({ value }) => value ?? []),
      CENTS,
    ),
  };
}

/** What the account is worth, what it holds, what happened last, and what is left to secure. */
export function Overview() {
  const { session, account } = useSignedIn();
  const { loaded } = useLoaded(read, EVERY_MS);
  const left = [
    session.passkeys === 0 && 'Add a passkey, so that you can trade and nobody else can.',
    session.passkeys === 1 && 'Add a second passkey, in case you lose the first.',
    !account.totp.enabled && 'Switch two-factor authentication on: the console sends no withdrawal without it.',
  ].filter((text) => text !== false);
  return (
    <>
      {left.length > 0 && (
        <section class="card">
          <h2>Left to secure</h2>
          <ul>
            {left.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
          <a href="/security">Go to security</a>
        </section>
      )}
      <Shown loaded={loaded}>
        {({ rows, transactions, value }) => (
          <>
            <section class="card">
              <h2>Value</h2>
              <p class="figure">{showCents(value)} USDT</p>
            </section>
            <section class="card">
              <h2>Balances</h2>
              <div class="scroll" tabIndex={0} role="region" aria-label="Balances">
                <table>
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
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((row) => (
                      <tr key={row.asset}>
                        <th scope="row">{row.asset}</th>
                        <td class="number">{showAmount(row.amount)}</td>
                        <td class="number">{row.value === undefined ? '–' : showCents(row.value)}</td>
                        <td class="number">
                          <Change fraction={row.change} />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            </section>
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
                      <span>{inWords(row.type)}</span>
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

/** A change of price; the sign says in which direction, not the colour alone. */
function Change({ fraction }: { readonly fraction: number | undefined }) {
  if (fraction === undefined) return <>–</>;
  const percent = (fraction * 100).toFixed(2);
  // What rounds to nothing went neither up nor down.
  if (Number(percent) === 0) return <>0.00{NARROW_SPACE}%</>;
  return (
    <span class={fraction < 0 ? 'down' : 'up'}>
      {fraction > 0 ? `+${percent}` : percent}
      {NARROW_SPACE}%
    </span>
  );
}
