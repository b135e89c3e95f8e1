import { useEffect, useState } from 'preact/hooks';
import type { Transaction } from '../../../clients/bureau-client/src/operations.ts';
import { api } from '../api.ts';
import { add, divide, multiply } from '../exact.ts';
import { showCents, showPrice } from '../format.ts';
import { type Cost, averageCosts, differenceOf } from '../gains.ts';
import { Badge } from '../parts/coin.tsx';
import { Form } from '../parts/form.tsx';
import { Waiting } from '../parts/notice.tsx';

const PAGE = 100;
const PRICE_DECIMALS = 8;
/** So many coins are shown before somebody asks for more: those worth most. */
const FIRST = 3;

/** All movements of the account that were read, the newest first, and how to read the rest of them. */
export function useMovements() {
  const [movements, setMovements] = useState<readonly Transaction[]>([]);
  const [next, setNext] = useState<string | null>();
  const read = async (known: readonly Transaction[], cursor: string | undefined) => {
    const page = await api.listTransactions({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
    const all = [...known, ...page.transactions];
    setMovements(all);
    setNext(page.nextCursor);
    if (cursor !== undefined && page.nextCursor !== null) await read(all, page.nextCursor);
  };
  useEffect(() => {
    // What cannot be read now is left out: the page has said why already.
    read([], undefined).catch(() => undefined);
  }, []);
  return { movements, isRead: next !== undefined, rest: next == null ? undefined : () => read(movements, next) };
}

/** What each coin cost and gained. It is worked out from every movement: if they are many, only when somebody asks. */
export function Gains({
  known: { movements, isRead, rest },
  priceOf,
}: {
  readonly known: ReturnType<typeof useMovements>;
  readonly priceOf: (asset: string) => string | undefined;
}) {
  const worth = ([asset, { held }]: readonly [string, Cost]) => Number(held) * Number(priceOf(asset) ?? 0);
  const costs = rest ? [] : [...averageCosts(movements.toReversed())].filter(([asset]) => asset !== 'USDT');
  const rows = costs
    .toSorted((one, other) => worth(other) - worth(one))
    .map(([asset, cost]) => readRow(asset, cost, priceOf(asset)));
  const [areAllShown, setAllShown] = useState(false);
  // Where nothing was gained or lost yet there is nothing to say, unless somebody asked.
  const hasGains = rows.some(({ unrealised = '0', realised }) => !isNothing(unrealised) || !isNothing(realised));
  if (isRead && !rest && !hasGains && (rows.length === 0 || movements.length <= PAGE)) return null;
  return (
    <section class="card">
      <h2>Cost and gain</h2>
      {!isRead && <Waiting />}
      {rest && (
        <Form act={rest} label="Work it out">
          <p role="status">{movements.length} movements are read, and there are more.</p>
        </Form>
      )}
      {rows.length > 0 && (
        <p class="quiet">
          Gains are against the average price that you paid: unrealised on what you hold, realised on what you sold. A
          deposit counts at its price of that day. This is no tax advice.
        </p>
      )}
      {rows.length > 0 && (
        <table class="stacked" aria-label="Cost and gain">
          <thead>
            <tr>
              <th scope="col">Coin</th>
              <th scope="col" class="number">
                Average cost
              </th>
              <th scope="col" class="number">
                Unrealised gain
              </th>
              <th scope="col" class="number">
                Realised gain
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.length > 1 && <Total costs={costs} priceOf={priceOf} />}
            {rows.slice(0, areAllShown ? rows.length : FIRST).map((row) => (
              <Row key={row.asset} row={row} />
            ))}
          </tbody>
        </table>
      )}
      {rows.length > FIRST && (
        <button type="button" class="link" aria-expanded={areAllShown} onClick={() => setAllShown(!areAllShown)}>
          {areAllShown ? 'Show fewer coins' : `Show ${rows.length - FIRST} more coins`}
        </button>
      )}
    </section>
  );
}

/** What a coin cost on average, and gained; `undefined` what is not known or of nothing. */
interface Gained {
  readonly asset: string;
  readonly average: string | undefined;
  readonly unrealised: string | undefined;
  readonly realised: string;
}

function readRow(asset: string, { held, cost, gained, lost }: Cost, price: string | undefined): Gained {
  const isHeld = held !== '0';
  return {
    asset,
    average: isHeld ? divide(cost, held, PRICE_DECIMALS) : undefined,
    unrealised:
      isHeld && price !== undefined
        ? differenceOf(multiply(held, price, PRICE_DECIMALS), multiply(cost, '1', PRICE_DECIMALS))
        : undefined,
    realised: differenceOf(gained, lost),
  };
}

/** The gains of all coins together: the unrealised one of those that have a price. */
function Total({
  costs,
  priceOf,
}: {
  readonly costs: readonly (readonly [asset: string, cost: Cost])[];
  readonly priceOf: (asset: string) => string | undefined;
}) {
  const priced = costs.flatMap(([asset, { held, cost }]) => {
    const price = priceOf(asset);
    return price === undefined ? [] : [{ cost, value: multiply(held, price, PRICE_DECIMALS) }];
  });
  return (
    <tr>
      <th scope="row">All coins</th>
      <td class="number" />
      <td class="number" data-name="Unrealised gain">
        <Gain value={differenceOf(add(priced.map(({ value }) => value)), add(priced.map(({ cost }) => cost)))} />
      </td>
      <td class="number" data-name="Realised gain">
        <Gain
          value={differenceOf(add(costs.map(([, { gained }]) => gained)), add(costs.map(([, { lost }]) => lost)))}
        />
      </td>
    </tr>
  );
}

function Row({ row: { asset, average, unrealised, realised } }: { readonly row: Gained }) {
  return (
    <tr>
      <th scope="row">
        <span class="coin">
          <Badge asset={asset} />
          <span>{asset}</span>
        </span>
      </th>
      <td class="number" data-name="Average cost">
        {average === undefined ? '–' : `${showPrice(average)} USDT`}
      </td>
      <td class="number" data-name="Unrealised gain">
        {unrealised === undefined ? '–' : <Gain value={unrealised} />}
      </td>
      <td class="number" data-name="Realised gain">
        <Gain value={realised} />
      </td>
    </tr>
  );
}

/** Whether a gain or a loss is less than a cent. */
const isNothing = (value: string) => /^[+−]?0(?:\.00\d*)?$/.test(value);

/** A gain or a loss in USDT; its sign says which, not the colour alone. */
function Gain({ value }: { readonly value: string }) {
  const sign = /^[+−]/.exec(value)?.[0] ?? '';
  const direction = { '+': 'up', '−': 'down' }[sign];
  // “< −0.01” would be a large loss: what is shown as nothing is neither.
  if (isNothing(value)) return <>0.00 USDT</>;
  return (
    <span class={direction}>
      {sign}
      {showCents(value.slice(sign.length))} USDT
    </span>
  );
}
