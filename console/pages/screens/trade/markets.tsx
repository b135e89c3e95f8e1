import type { Ticker } from '../../../../clients/bureau-client/src/operations.ts';
import { directionOf, showChange, showPrice } from '../../format.ts';
import type { Coin } from './order-form.tsx';

/** All coins with their prices, one of which is chosen. */
export function Markets({
  tickers,
  coin,
  set,
}: {
  readonly tickers: readonly Ticker[];
  readonly coin: Coin;
  readonly set: (coin: Coin) => void;
}) {
  return (
    <fieldset class="markets">
      <legend class="hidden">Coin</legend>
      {tickers.map(({ symbol, name, price, change24h }) => (
        <label key={symbol}>
          <input type="radio" name="coin" checked={symbol === coin} onChange={() => set(symbol)} />
          <span>
            <b>{symbol}</b> <span class="hidden">{name}</span>
          </span>
          <span>{showPrice(price)}</span>
          <small class={directionOf(change24h) ?? 'quiet'}>{showChange(change24h)}</small>
        </label>
      ))}
    </fieldset>
  );
}
