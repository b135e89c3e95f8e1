import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { directionOf, showCents, showChange, showPrice, showRecent } from '../format.ts';
import { useLoaded } from '../load.ts';
import { useLiveTickers } from '../live-tickers.ts';
import { useNamed } from '../route.ts';
import { Badge } from '../parts/coin.tsx';
import { Item } from '../parts/item.tsx';
import { Moved } from '../parts/moved.tsx';
import { None } from '../parts/none.tsx';
import { Shown } from '../parts/notice.tsx';
import { SpanChart, readPrices } from '../parts/span-chart.tsx';
import { Markets } from './trade/markets.tsx';
import { type Coin, OrderForm } from './trade/order-form.tsx';

const EVERY_MS = 3_000;
const FILLS = 5;

async function readMarket() {
  const [{ symbols }, { tickers }, { balances }, { orders }] = await Promise.all([
    api.getExchangeInfo(),
    api.listTickers(),
    api.listBalances(),
    api.listOrders({ limit: FILLS }),
  ]);
  return { symbols, tickers, balances, orders };
}

/** The market of a coin: its price now and before, the order form, and what was traded last. */
export function Trade() {
  const linked = useNamed('asset');
  const [coin, setCoin] = useState<Coin>(linked ?? 'BTC');
  const { loaded, reload } = useLoaded(readMarket, EVERY_MS);
  const live = useLiveTickers();
  return (
    <Shown loaded={loaded}>
      {({ symbols, tickers, balances, orders }) => {
        const ticker = (live ?? tickers).find(({ symbol }) => symbol === coin);
        const market = symbols.find(({ symbol }) => symbol === coin);
        return (
          <div class="trade">
            <Markets tickers={live ?? tickers} coin={coin} set={setCoin} />
            {ticker && (
              <div class="market">
                <Badge asset={coin} />
                <div>
                  <h2>
                    {ticker.name} <span class="quiet">{coin}</span>
                  </h2>
                  <p>
                    <span class="figure">{showPrice(ticker.price)}</span> USDT{' '}
                    <span class="change">
                      <span class={directionOf(ticker.change24h)}>{showChange(ticker.change24h)}</span>{' '}
                      <span class="quiet">in 24 hours</span>
                    </span>
                    {ticker.degraded && <span class="quiet">; an old price, since no venue answers</span>}
                  </p>
                </div>
              </div>
            )}
            {market && (
              <OrderForm
                key={coin}
                coin={coin}
                market={market}
                balanceOf={(asset) => balances.find((row) => row.asset === asset)?.amount ?? '0'}
                filled={reload}
              />
            )}
            <section class="card">
              <SpanChart key={coin} name={coin} read={async (reach) => ({ points: await readPrices(coin, reach) })} />
            </section>
            <section class="card">
              <h2>Your last orders</h2>
              {orders.length === 0 ? (
                <None title="No orders yet">Each order appears here as soon as it has filled.</None>
              ) : (
                <ul class="plain">
                  {orders.map((order) => (
                    <Item
                      key={order.id}
                      asset={order.coin}
                      title={`${order.side === 'BUY' ? 'Bought' : 'Sold'} ${order.coin}`}
                      about={
                        <>
                          <time dateTime={order.ts}>{showRecent(order.ts)}</time>{' '}
                          <span>at {showPrice(order.executedPrice)}</span>
                        </>
                      }
                      end={<Moved row={{ type: `SPOT_${order.side}`, asset: order.coin, amount: order.coinAmount }} />}
                      below={`${showCents(order.usdtAmount)} USDT`}
                    />
                  ))}
                </ul>
              )}
              {orders.length > 0 && <a href="/activity">All activity</a>}
            </section>
          </div>
        );
      }}
    </Shown>
  );
}
