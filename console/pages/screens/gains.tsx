import { useState } from 'preact/hooks';
import type { Transaction } from '../../../clients/bureau-client/src/operations.ts';
import { api } from '../ask.ts';
import { divide, multiply } from '../exact.ts';
import { showAmount, showCents } from '../format.ts';
import { type Cost, averageCosts, differenceOf } from '../gains.ts';
import { Form } from '../parts/form.tsx';

const PAGE = 100;
const CENTS = 2;
const PRICE_DECIMALS = 8;

/** What each coin cost and gained. It is worked out from every movement, so only when somebody asks. */
export function Gains({ priceOf }: { readonly priceOf: (asset: string) => string | undefined }) {
  const [costs, setCosts] = useState<ReadonlyMap<string, Cost>>();
  const [read, setRead] = useState(0);
  const work = async () => {
    const movements: Transaction[] = [];
    for await (const row of api.transactions({ pageSize: PAGE })) {
      movements.push(row);
      if (movements.length % PAGE === 0) setRead(movements.length);
    }
    setCosts(averageCosts(movements.toReversed()));
  };
  const rows = [...(costs ?? [])].filter(([asset]) => asset !== 'USDT');
  return (
    <section class="card">
      <h2>Cost and gain</h2>
      <p class="quiet">
        By the average cost of all that came in. A deposit costs what it was worth when it came. It is no tax advice.
      </p>
      {!costs && (
        <Form act={work} label="Work it out">
          {read > 0 && <p role="status">{read} movements read</p>}
        </Form>
      )}
      {costs && rows.length === 0 && <p>No coin has come in yet.</p>}
      {rows.length > 0 && (
        <table class="stacked" aria-label="Cost and gain">
          <thead>
            <tr>
              <th scope="col">Coin</th>
              <th scope="col" class="number">
                Average cost
              </th>
              <th scope="col" class="number">
                Gain of what you hold
              </th>
              <th scope="col" class="number">
                Gain of sales
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([asset, cost]) => (
              <Row key={asset} asset={asset} cost={cost} price={priceOf(asset)} />
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Row({
  asset,
  cost,
  price,
}: {
  readonly asset: string;
  readonly cost: Cost;
  readonly price: string | undefined;
}) {
  const { held } = cost;
  const average = held === '0' ? undefined : divide(cost.cost, held, PRICE_DECIMALS);
  return (
    <tr>
      <th scope="row">{asset}</th>
      <td class="number">{average === undefined ? '–' : `${showAmount(average)} USDT`}</td>
      <td class="number">
        {price === undefined || held === '0' ? (
          '–'
        ) : (
          <Gain value={differenceOf(multiply(held, price, CENTS), multiply(cost.cost, '1', CENTS))} />
        )}
      </td>
      <td class="number">
        <Gain value={differenceOf(multiply(cost.gained, '1', CENTS), multiply(cost.lost, '1', CENTS))} />
      </td>
    </tr>
  );
}

/** A gain or a loss in USDT; its sign says which, not the colour alone. */
function Gain({ value }: { readonly value: string }) {
  const sign = /^[+−]/.exec(value)?.[0] ?? '';
  const direction = { '+': 'up', '−': 'down' }[sign];
  return (
    <span class={direction}>
      {sign}
      {showCents(value.slice(sign.length))} USDT
    </span>
  );
}
