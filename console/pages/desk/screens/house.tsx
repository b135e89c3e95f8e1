import { add } from '../../exact.ts';
import { showAmount, showCents } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/notice.tsx';
import { operate } from '../operate.ts';
import { State, Time } from '../parts/names.tsx';
import { type Column, Facts, Records } from '../parts/records.tsx';
import type { House } from '../schema.d.ts';

type HouseAsset = House['assets'][number];

const EVERY_MS = 15_000;
const USDT_DECIMALS = 6;

const asset: Column<HouseAsset> = { name: 'Asset', show: (row) => row.asset };
const number = (name: string, read: (row: HouseAsset) => string | null): Column<HouseAsset> => ({
  name,
  isNumber: true,
  show: (row) => {
    const value = read(row);
    return value === null ? '–' : showAmount(value);
  },
});

/** What is owed and held. Only between several ledgers is anything in transit. */
const holdingsOf = (ledgers: number): readonly Column<HouseAsset>[] => [
  asset,
  number('Owed to clients', (row) => row.owedToClients),
  number('In flight', (row) => row.inFlight),
  ...(ledgers > 1 ? [number('In transit', (row) => row.inTransit)] : []),
  number('Fees earned', (row) => row.feesEarned),
  number('Inventory', (row) => row.inventory),
  number('In custody, by the ledger', (row) => row.custodyShouldHold),
  number('By the custodian', (row) => row.custodyHolds),
  {
    name: 'Covered',
    show: ({ custodyCovers }) => (
      <State
        of={custodyCovers}
        words={{ covered: 'yes', shortfall: 'shortfall', unknown: 'not known' }[custodyCovers]}
      />
    ),
  },
];

const limits: readonly Column<HouseAsset>[] = [
  asset,
  number('Price', (row) => row.price),
  number('Inventory, USDT', (row) => row.inventoryUsdValue),
  number('May be short', (row) => row.exposure),
  { name: 'Used', isNumber: true, show: (row) => <Used share={row.exposureUsed} of={`exposure of ${row.asset}`} /> },
  number('Supply cap', (row) => row.supplyCap),
  { name: 'Cap used', isNumber: true, show: (row) => <Used share={row.supplyCapUsed} of={`cap of ${row.asset}`} /> },
];

/** How much of a limit is used, as a share of one. */
function Used({ share, of }: { readonly share: string | null; readonly of: string }) {
  if (share === null) return <>–</>;
  const fraction = Number(share);
  return (
    <span class="meter">
      {(fraction * 100).toFixed(2)} %
      <meter min={0} max={1} low={0.7} high={0.9} optimum={0} value={fraction} aria-label={`Used of the ${of}`} />
    </span>
  );
}

/** What is owed and held, how far the house may go, and what it earned. */
export function HouseScreen() {
  const { loaded } = useLoaded(async () => (await operate('get /house')).house, EVERY_MS);
  return (
    <>
      <h1>House</h1>
      <Shown loaded={loaded}>
        {(house) => (
          <>
            <section class="card">
              <h2>What is owed and held</h2>
              <Facts
                of={[
                  [
                    'Inventory is worth',
                    house.inventoryUsdValue === null
                      ? 'not known: a price is missing'
                      : `${showCents(house.inventoryUsdValue)} USDT`,
                  ],
                  [
                    'The custodian answered',
                    house.custodyAnsweredAt ? <Time key="c" iso={house.custodyAnsweredAt} /> : 'never yet',
                  ],
                  ['As of', <Time key="t" iso={house.ts} />],
                ]}
              />
              <Records
                label="What is owed and held"
                rows={house.assets}
                keyOf={(row) => row.asset}
                columns={holdingsOf(house.ledgers.length)}
                empty=""
              />
            </section>
            <section class="card">
              <h2>Exposure and caps</h2>
              <Records
                label="Exposure and caps"
                rows={house.assets}
                keyOf={(row) => row.asset}
                columns={limits}
                empty=""
              />
              <a href="/desk/settings">Change the limits</a>
            </section>
            <Spread earned={house.spreadEarned} />
          </>
        )}
      </Shown>
    </>
  );
}

/** What the spread earned by day, in total and by coin. */
function Spread({ earned }: { readonly earned: House['spreadEarned'] }) {
  const days = [...new Set((earned ?? []).map(({ day }) => day))].map((day) => {
    const coins = (earned ?? []).filter((row) => row.day === day);
    return {
      day,
      coins,
      orders: coins.reduce((sum, { orders }) => sum + orders, 0),
      usdt: add(
        coins.map(({ usdt }) => usdt),
        USDT_DECIMALS,
      ),
    };
  });
  return (
    <section class="card">
      <h2>Spread earned by day</h2>
      <p class="quiet">What clients paid more, or got less, than the middle price. Days are in UTC.</p>
      {earned === null ? (
        <p>It is not known now. It is counted every minute.</p>
      ) : (
        <Records
          label="Spread earned by day"
          rows={days}
          keyOf={({ day }) => day}
          columns={[
            { name: 'Day', show: ({ day }) => day },
            { name: 'Orders', isNumber: true, show: ({ orders }) => String(orders) },
            { name: 'USDT', isNumber: true, show: ({ usdt }) => showAmount(usdt) },
            {
              name: 'By coin, USDT',
              show: ({ coins }) => coins.map(({ coin, usdt }) => `${coin} ${showAmount(usdt)}`).join(' · '),
            },
          ]}
          empty="No order was filled in the last 31 days."
        />
      )}
    </section>
  );
}
