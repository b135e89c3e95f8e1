import { useEffect, useState } from 'preact/hooks';
import type { Market, Order } from '../../../../clients/bureau-client/src/operations.ts';
import { readAmount } from '../../amount.ts';
import { api } from '../../api.ts';
import { divide, isGreater, multiply, subtract } from '../../exact.ts';
import { showAmount, showCents, showCoins, showPrice, showSum } from '../../format.ts';
import { AmountField } from '../../parts/amount-field.tsx';
import { Choice, Form, Switch } from '../../parts/form.tsx';
import { Fault, tellOfAmount } from '../../parts/notice.tsx';

const PAUSE_MS = 300;
/** A preview is of a moment: it is asked for again while it is looked at. */
const AGAIN_MS = 4_000;
const PRICE_DECIMALS = 8;
const NONE = '–';

export type Coin = Parameters<typeof api.placeOrder>[0]['coin'];
type Side = 'BUY' | 'SELL';
type Mode = 'USDT_AMOUNT' | 'COIN_QTY';
type Preview = Awaited<ReturnType<typeof api.previewOrder>>['preview'];

/** How much worse than the preview an order may fill, as a factor for each side. */
const tolerances = {
  '0.1 %': { BUY: '1.001', SELL: '0.999' },
  '0.5 %': { BUY: '1.005', SELL: '0.995' },
  '1 %': { BUY: '1.01', SELL: '0.99' },
} as const;

type Tolerance = keyof typeof tolerances;

/** Buying and selling a coin at the market's price. Either amount may be typed; the other one is the preview's. */
export function OrderForm({
  coin,
  market,
  balanceOf,
  filled,
}: {
  readonly coin: Coin;
  readonly market: Market;
  readonly balanceOf: (asset: string) => string;
  readonly filled: () => void;
}) {
  const [side, setSide] = useState<Side>('BUY');
  const [mode, setMode] = useState<Mode>('USDT_AMOUNT');
  const [typed, setTyped] = useState('');
  const [tolerance, setTolerance] = useState<Tolerance>('0.5 %');
  const [last, setLast] = useState<Order>();
  // One for each intent: the same form sent twice buys once.
  const [intent, setIntent] = useState(() => crypto.randomUUID());
  const amount = typed === '' ? undefined : readAmount(typed).amount;
  const { preview, error, ask } = usePreview(coin, side, mode, amount);
  /** What was bought is no longer said once another order is being made. */
  const changing =
    <T,>(set: (value: T) => void) =>
    (value: T) => {
      set(value);
      setLast(undefined);
      setIntent(crypto.randomUUID());
    };
  const type = (of: Mode) =>
    changing((text: string) => {
      setMode(of);
      setTyped(text);
    });
  const shown = (of: Mode) => {
    if (mode === of) return typed;
    return (of === 'COIN_QTY' ? preview?.coinAmount : preview?.usdtAmount) ?? '';
  };
  const spent = side === 'BUY' ? 'USDT' : coin;
  const balance = balanceOf(spent);
  const isShort = preview !== undefined && isGreater(side === 'BUY' ? preview.usdtAmount : preview.coinAmount, balance);
  const refusal = isShort ? `You have ${showCoins(balance, spent)}.` : tellOfAmount(error);
  const place = async () => {
    if (amount === undefined) return;
    const { executedPrice } = preview ?? (await ask());
    const limitPrice = multiply(executedPrice, tolerances[tolerance][side], PRICE_DECIMALS);
    const wanted = { coin, side, mode, value: amount, limitPrice };
    const { order } = await api.placeOrder(wanted, { idempotencyKey: intent });
    setIntent(crypto.randomUUID());
    setTyped('');
    setLast(order);
    filled();
  };

  return (
    <section class="card deal">
      <Form act={place} label={`${side === 'BUY' ? 'Buy' : 'Sell'} ${coin}`}>
        <Switch
          label="Buy or sell"
          value={side}
          set={changing(setSide)}
          options={[
            ['BUY', 'Buy'],
            ['SELL', 'Sell'],
          ]}
        />
        <AmountField
          label="Amount in USDT"
          unit="USDT"
          required={mode === 'USDT_AMOUNT'}
          fault={mode === 'USDT_AMOUNT' ? refusal : undefined}
          value={shown('USDT_AMOUNT')}
          set={type('USDT_AMOUNT')}
          fills={side === 'BUY' ? listFills(balance, market.quoteStep, market.maxNotional) : []}
        />
        <AmountField
          label={`Quantity of ${coin}`}
          unit={coin}
          required={mode === 'COIN_QTY'}
          fault={mode === 'COIN_QTY' ? refusal : undefined}
          value={shown('COIN_QTY')}
          set={type('COIN_QTY')}
          fills={side === 'SELL' ? listFills(balance, market.baseStep, balance) : []}
        />
        <p class="quiet">
          You have {showCoins(balance, spent)}. Orders from {showAmount(market.minNotional)} to{' '}
          {showAmount(market.maxNotional)} USDT.
        </p>
        <div class="preview" aria-live="polite">
          {amount === undefined && error === undefined ? (
            <p class="quiet">
              {typed.trim() === '' ? 'Type' : 'Correct'} the amount to see the price, the spread and what you{' '}
              {side === 'BUY' ? 'pay' : 'get'}.
            </p>
          ) : (
            <Cost side={side} coin={coin} preview={preview} />
          )}
          {error !== undefined && refusal === undefined && <Fault error={error} />}
        </div>
        <details class="plain-details">
          <summary>Slippage: at most {tolerance}</summary>
          <p>
            The order fills whole and at once, at most so much worse than shown, or not at all. The spread is the
            exchange’s own, and half of what the venues’ prices differ by.
          </p>
          <Choice
            label="At most so much worse"
            value={tolerance}
            set={changing(setTolerance)}
            options={Object.keys(tolerances).map((name) => [name as Tolerance, name] as const)}
          />
        </details>
      </Form>
      {last && (
        <p class="notice good" role="status">
          {last.side === 'BUY' ? 'Bought' : 'Sold'} {showSum(last.coinAmount, last.coin)} for{' '}
          {showCents(last.usdtAmount)} USDT, at {showPrice(last.executedPrice)}.
        </p>
      )}
    </section>
  );
}

const shares = { '25 %': '0.25', '50 %': '0.5', Max: '1' };

/** Shares of a balance in whole steps, each `most` at most. */
function listFills(balance: string, step: string, most: string) {
  const decimals = step.split('.')[1]?.length ?? 0;
  return Object.entries(shares).map(([label, share]) => ({
    label,
    value: least(multiply(balance, share, decimals), most),
  }));
}

function least(one: string, other: string): string {
  return isGreater(one, other) ? other : one;
}

/** What the order would move now, and what of it is the exchange's spread; a line for each, also before it is known. */
function Cost({
  side,
  coin,
  preview,
}: {
  readonly side: Side;
  readonly coin: Coin;
  readonly preview: Preview | undefined;
}) {
  const spread = preview && readSpread(preview);
  return (
    <dl>
      <dt>Your price</dt>
      <dd>{preview ? `${showPrice(preview.executedPrice)} USDT` : NONE}</dd>
      <dt>Spread</dt>
      <dd>{spread ? `${showCents(spread.usdt)} USDT (${showAmount(spread.share)} %)` : NONE}</dd>
      <dt>{side === 'BUY' ? 'You get' : 'You give'}</dt>
      <dd>{preview ? <strong>{showSum(preview.coinAmount, coin)}</strong> : NONE}</dd>
      <dt>{side === 'BUY' ? 'You pay' : 'You get'}</dt>
      <dd>{preview ? <strong>{showCents(preview.usdtAmount, side === 'BUY' ? 'up' : 'down')} USDT</strong> : NONE}</dd>
    </dl>
  );
}

/** How far the price of a preview is from its middle, in percent of that, and what that costs. */
function readSpread({ side, executedPrice, midPrice: middle, coinAmount }: Preview) {
  if (middle === undefined) return undefined;
  const spread = side === 'BUY' ? subtract(executedPrice, middle) : subtract(middle, executedPrice);
  return {
    share: divide(multiply(spread, '100', PRICE_DECIMALS), middle, 2),
    usdt: multiply(spread, coinAmount, PRICE_DECIMALS),
  };
}

/** What the order would get now, asked for a moment after the last change and again while it is shown. */
function usePreview(coin: Coin, side: Side, mode: Mode, value: string | undefined) {
  // Which order it is of: that of another side, or of what stood here before, is nobody's.
  const wanted = `${side} ${mode} ${value ?? ''}`;
  const [read, setRead] = useState<{ readonly of: string; readonly preview?: Preview; readonly error?: unknown }>();
  const ask = async () => {
    const answer = await api.previewOrder({ coin, side, mode, value: value ?? '' });
    return answer.preview;
  };
  useEffect(() => {
    if (value === undefined) return undefined;
    let isCurrent = true;
    const look = () =>
      ask().then(
        (preview) => isCurrent && setRead({ of: wanted, preview }),
        (error: unknown) => isCurrent && setRead({ of: wanted, error }),
      );
    const first = setTimeout(() => void look(), PAUSE_MS);
    const again = setInterval(() => void look(), AGAIN_MS);
    return () => {
      isCurrent = false;
      clearTimeout(first);
      clearInterval(again);
    };
  }, [wanted]);
  const current = read?.of === wanted ? read : undefined;
  return { preview: current?.preview, error: current?.error, ask };
}
