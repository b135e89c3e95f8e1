import { useEffect, useState } from 'preact/hooks';
import type { Order } from '../../../clients/bureau-client/src/operations.ts';
import { api } from '../ask.ts';
import { multiply } from '../exact.ts';
import { showAmount } from '../format.ts';
import { useLoaded } from '../load.ts';
import { Choice, Form, TextField } from '../parts/form.tsx';
import { Fault, Shown } from '../parts/notice.tsx';

const PAUSE_MS = 300;
const PRICE_DECIMALS = 8;

type Side = 'BUY' | 'SELL';
type Mode = 'USDT_AMOUNT' | 'COIN_QTY';
type Coin = Parameters<typeof api.placeOrder>[0]['coin'];

/** How much worse than the preview an order may fill, as a factor for each side. */
const tolerances = {
  '0.1 %': { BUY: '1.001', SELL: '0.999' },
  '0.5 %': { BUY: '1.005', SELL: '0.995' },
  '1 %': { BUY: '1.01', SELL: '0.99' },
} as const;

type Tolerance = keyof typeof tolerances;

/** Buying and selling at the market's price, with a preview as one types. */
export function Trade() {
  const { loaded } = useLoaded(() => api.getExchangeInfo());
  return (
    <Shown loaded={loaded}>{({ symbols }) => <OrderForm coins={symbols.map(({ symbol }) => symbol as Coin)} />}</Shown>
  );
}

function OrderForm({ coins }: { readonly coins: readonly Coin[] }) {
  const [coin, setCoin] = useState<Coin>('BTC');
  const [side, setSide] = useState<Side>('BUY');
  const [mode, setMode] = useState<Mode>('USDT_AMOUNT');
  const [value, setValue] = useState('');
  const [tolerance, setTolerance] = useState<Tolerance>('0.5 %');
  const [filled, setFilled] = useState<Order>();
  // One for each intent: the same form sent twice buys once.
  const [intent, setIntent] = useState(() => crypto.randomUUID());
  const wanted = { coin, side, mode, value };
  const { preview, error } = usePreview(wanted);
  useEffect(() => setIntent(crypto.randomUUID()), [coin, side, mode, value, tolerance]);

  const place = async () => {
    if (!preview) return;
    const limitPrice = multiply(preview.executedPrice, tolerances[tolerance][side], PRICE_DECIMALS);
    const { order } = await api.placeOrder({ ...wanted, limitPrice }, { idempotencyKey: intent });
    setFilled(order);
    setIntent(crypto.randomUUID());
    setValue('');
  };

  return (
    <section class="card">
      <Form act={place} label={`${side === 'BUY' ? 'Buy' : 'Sell'} ${coin}`}>
        <div class="row">
          <Choice
            label="Side"
            value={side}
            set={setSide}
            options={[
              ['BUY', 'Buy'],
              ['SELL', 'Sell'],
            ]}
          />
          <Choice label="Coin" value={coin} set={setCoin} options={coins.map((name) => [name, name] as const)} />
          <Choice
            label="By"
            value={mode}
            set={setMode}
            options={[
              ['USDT_AMOUNT', 'amount in USDT'],
              ['COIN_QTY', `quantity of ${coin}`],
            ]}
          />
        </div>
        <TextField
          label={mode === 'COIN_QTY' ? `Quantity of ${coin}` : 'Amount in USDT'}
          inputMode="decimal"
          autoComplete="off"
          required
          value={value}
          set={setValue}
        />
        <Choice
          label="Fill only if the price is no worse than the preview by"
          value={tolerance}
          set={setTolerance}
          options={Object.keys(tolerances).map((name) => [name as Tolerance, name] as const)}
        />
        <div class="preview" aria-live="polite">
          {preview && (
            <dl>
              <dt>{side === 'BUY' ? 'You get' : 'You sell'}</dt>
              <dd>
                {showAmount(preview.coinAmount)} {coin}
              </dd>
              <dt>{side === 'BUY' ? 'You pay' : 'You get'}</dt>
              <dd>{showAmount(preview.usdtAmount)} USDT</dd>
              <dt>Price</dt>
              <dd>{showAmount(preview.executedPrice)} USDT</dd>
            </dl>
          )}
          {error !== undefined && <Fault error={error} />}
        </div>
      </Form>
      {filled && (
        <p class="notice good" role="status">
          {filled.side === 'BUY' ? 'Bought' : 'Sold'} {showAmount(filled.coinAmount)} {filled.coin} for{' '}
          {showAmount(filled.usdtAmount)} USDT, at {showAmount(filled.executedPrice)}.
        </p>
      )}
    </section>
  );
}

type Preview = Awaited<ReturnType<typeof api.previewOrder>>['preview'];

/** What the order would get now, a moment after the last change. */
function usePreview(wanted: { coin: Coin; side: Side; mode: Mode; value: string }) {
  const [preview, setPreview] = useState<Preview>();
  const [error, setError] = useState<unknown>();
  const { coin, side, mode, value } = wanted;
  useEffect(() => {
    setPreview(undefined);
    setError(undefined);
    if (!/^\d+(\.\d+)?$/.test(value)) return undefined;
    let isCurrent = true;
    const timer = setTimeout(() => {
      api.previewOrder({ coin, side, mode, value }).then(
        (answer) => isCurrent && setPreview(answer.preview),
        (fault: unknown) => isCurrent && setError(fault),
      );
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [coin, side, mode, value]);
  return { preview, error };
}
