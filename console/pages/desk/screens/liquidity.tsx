import { add } from '../../exact.ts';
import { inWords, showAmount } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/notice.tsx';
import { operate } from '../operate.ts';
import { BAND_WIDTH, Band } from '../parts/band.tsx';
import { addPlus, lastDays, showGain, showSigned, sumByDay } from '../parts/day-bars.ts';
import { State, Time } from '../parts/names.tsx';
import { type Matter, Matters } from '../parts/matters.tsx';
import { type Column, Facts, Records } from '../parts/records.tsx';
import { Tabs, shownOf } from '../parts/tabs.tsx';
import type { Place } from '../place.ts';
import type { ExchangeSettings, House, Profit, Venue, Venues } from '../schema.d.ts';
import { EnterFunding } from './enter-funding.tsx';
import { DayChart } from './figures.tsx';
import { ToggleStep } from './toggle-step.tsx';
import { EndHedge, Hedges, OpenHedges, Signed } from './liquidity-hedges.tsx';
import { toggleWhole } from './toggles.ts';
import { findExcess, listStuck, listVenueMatters } from './venue-matters.tsx';

const EVERY_MS = 15_000;
const DAYS = 31;

async function readNow() {
  const [{ house }, { venues }, { settings }] = await Promise.all([
    operate('get /house'),
    operate('get /venues'),
    operate('get /settings'),
  ]);
  return { house, venues, settings };
}

const parts = { now: 'Now', profit: 'Profit and loss', hedges: 'Hedges' } as const;

/** What the house bears the risk of, how it is covered, and what that earned. */
export function Liquidity({ query }: Place) {
  const shown = shownOf(parts, query);
  return (
    <>
      <h1>Liquidity</h1>
      <Tabs label="Of liquidity" path="/desk/liquidity" of={parts} shown={shown} />
      {shown === 'hedges' ? <Hedges /> : shown === 'profit' ? <ProfitAndLoss /> : <Now />}
    </>
  );
}

function Now() {
  const { loaded, reload } = useLoaded(readNow, EVERY_MS);
  return (
    <Shown loaded={loaded}>
      {({ house, venues, settings }) => (
        <>
          <Hedging house={house} venues={venues} settings={settings} changed={reload} />
          <Positions house={house} />
          <div class="grid">
            {venues.venues.map((venue) => (
              <VenueCard key={venue.venue} venue={venue} />
            ))}
          </div>
        </>
      )}
    </Shown>
  );
}

function ProfitAndLoss() {
  const { loaded } = useLoaded(() => operate('get /profit'), EVERY_MS);
  return <Shown loaded={loaded}>{({ profit }) => <Earned profit={profit} />}</Shown>;
}

const showUsdt = (value: string | null) => (value === null ? 'not known' : `${showSigned(value)} USDT`);

function Hedging({
  house,
  venues,
  settings,
  changed,
}: {
  readonly house: House;
  readonly venues: Venues;
  readonly settings: ExchangeSettings;
  readonly changed: () => void;
}) {
  const { hedgingHalted, halt, atVenuesUsdValue, maxAtVenues } = venues;
  const there = showUsdt(atVenuesUsdValue);
  const excess = findExcess(venues);
  const switched = <ToggleStep of={toggleWhole(settings, 'hedgingHalted')} main={hedgingHalted} changed={changed} />;
  const matters: readonly Matter[] = [
    ...(hedgingHalted
      ? [
          {
            what: 'Hedging is halted: positions are not covered',
            why: halt && (
              <>
                Halted by {halt.by}, <Time iso={halt.ts} />
                {halt.reason !== null && `: ${halt.reason}`}.
              </>
            ),
            isBad: true,
            step: switched,
          },
        ]
      : []),
    ...listVenueMatters(venues, (move, { venue, balances }) => (
      <EnterFunding
        move={move}
        held={{
          custody: house.assets.find(({ asset }) => asset === move.asset)?.custodyShouldHold ?? '0',
          [venue]: balances.find(({ asset }) => asset === move.asset)?.shouldHold ?? '0',
        }}
        ledgers={house.ledgers.length}
        done={changed}
      />
    )),
    ...listStuck(venues, (hedge) => <EndHedge hedge={hedge} done={changed} />),
  ];
  const open = venues.venues
    .flatMap(({ openHedges }) => openHedges)
    .toSorted((one, other) => (one.ts < other.ts ? -1 : 1));
  return (
    <>
      <Matters label="What needs a person" of={matters} />
      <section class="card">
        <div class="top">
          <h2>Hedging</h2>
          {!hedgingHalted && switched}
        </div>
        <Facts
          of={[
            ['State', hedgingHalted ? null : <State of="OK" words="on" />],
            [
              'At venues',
              excess === undefined ? (
                there
              ) : (
                <>
                  <State of="PENDING" words={there} />
                  <small class="below">{showSigned(excess)} over the limit</small>
                </>
              ),
            ],
            [
              'Limit at venues',
              <>
                {showUsdt(maxAtVenues)}
                {settings.maxAtVenues === null && <small class="below">the house’s own capital</small>}
              </>,
            ],
            [
              'Daily hedging limit',
              settings.dailyHedgeVolume === null ? 'no limit' : showUsdt(settings.dailyHedgeVolume),
            ],
          ]}
        />
        {open.length > 0 && <h3>Open hedges, oldest first</h3>}
        <OpenHedges hedges={open} />
      </section>
    </>
  );
}

type Position = House['assets'][number];

const positionColumns: readonly Column<Position>[] = [
  { name: 'Coin', show: ({ asset }) => asset },
  {
    name: 'Inventory',
    isNumber: true,
    show: ({ inventory, hedging }) => showAmount(add([inventory, hedging])),
  },
  { name: '− Capital', isNumber: true, show: ({ capital }) => showAmount(capital) },
  { name: '= Position', isNumber: true, show: ({ position }) => addPlus(showAmount(position)) },
  {
    name: 'In USDT',
    isNumber: true,
    narrow: 'beside',
    show: ({ positionUsdValue }) => (
      <>
        {positionUsdValue === null ? '–' : showGain(positionUsdValue)}
        <span class="narrow quiet"> USDT</span>
      </>
    ),
  },
  { name: 'Band, USDT', narrow: 'bare', show: (row) => <PlaceInBand of={row} /> },
];

/** Whether the house has or had anything of a coin. */
const isHeld = ({ position, band, atVenues, capital }: Position) =>
  band !== null || [position, atVenues, capital].some((amount) => amount !== '0');

function Positions({ house }: { readonly house: House }) {
  const coins = house.assets.filter(({ asset }) => asset !== 'USDT');
  const others = coins.filter((coin) => !isHeld(coin)).map(({ asset }) => asset);
  return (
    <section class="card">
      <h2>Position against its band</h2>
      <p class="quiet">
        The position is what the house bears the risk of. Beyond its outer bound it is hedged at once, and beyond its
        inner bound after the wait, back to the inner bound. The inventory counts what open hedges may spend.
      </p>
      <Records
        label="Positions"
        rows={coins.filter(isHeld).toSorted((one, other) => Number(one.band === null) - Number(other.band === null))}
        keyOf={({ asset }) => asset}
        columns={positionColumns}
        empty="The house has no position."
      />
      {others.length > 0 && <p class="quiet">Without a position or a band: {others.join(', ')}.</p>}
    </section>
  );
}

/** The outer bound is so far from the middle; what is beyond it has the rest. */
const OUTER = 60;

/** Where a position is within its band, drawn and in words. */
function PlaceInBand({ of: { asset, position, positionUsdValue, band } }: { readonly of: Position }) {
  if (!band) return <span class="quiet">not hedged</span>;
  if (positionUsdValue === null) return <span class="quiet">no price</span>;
  const [value, outer, inner] = [positionUsdValue, band.outer, band.inner].map(Number) as [number, number, number];
  const place = (usdt: number) => {
    const at = outer === 0 ? 0 : (usdt / outer) * OUTER;
    return BAND_WIDTH / 2 + Math.max(-BAND_WIDTH / 2 + 3, Math.min(BAND_WIDTH / 2 - 3, at));
  };
  const size = Math.abs(value);
  const where = size > outer ? 'past the outer bound' : size > inner ? 'past the inner bound' : 'within the band';
  const tone = size > outer ? 'bad' : size > inner ? 'warn' : 'good';
  return (
    <Band
      label={`${asset}: ${position}, ${where} of ${band.outer} and ${band.inner} USDT`}
      value={<span class={`state ${tone}`}>{where}</span>}
      lines={[`bounds ±${showAmount(band.inner)} and ±${showAmount(band.outer)}, at ${band.venue}`]}
    >
      <line class="zero" x1={0} x2={BAND_WIDTH} y1={11} y2={11} />
      <rect class="outer" x={place(-outer)} y={6} width={place(outer) - place(-outer)} height={10} rx={3} />
      <rect class="inner" x={place(-inner)} y={6} width={place(inner) - place(-inner)} height={10} rx={3} />
      <line class="zero" x1={BAND_WIDTH / 2} x2={BAND_WIDTH / 2} y1={3} y2={19} />
      <rect class={`mark ${tone}`} x={place(value) - 2} y={1} width={4} height={20} rx={2} />
    </Band>
  );
}

const profitParts = ['profit', 'spread', 'hedges', 'fees', 'settlements', 'revaluation'] as const;

type ProfitPart = (typeof profitParts)[number];

/** What all coins come to, in the place of a coin. */
const ALL = 'All';

type CoinProfit = Readonly<Record<ProfitPart, string>> & { readonly coin: string };

function Earned({ profit }: { readonly profit: Profit }) {
  const days = lastDays(DAYS, Date.parse(profit.ts));
  const coins = [...new Set(profit.days.map(({ coin }) => coin))].toSorted().map((coin): CoinProfit => {
    const rows = profit.days.filter((row) => row.coin === coin);
    return {
      coin,
      ...(Object.fromEntries(profitParts.map((part) => [part, add(rows.map((row) => row[part]))])) as Record<
        ProfitPart,
        string
      >),
    };
  });
  const missing = profit.ledgers.filter((ledger) => ledger.profit === null).map(({ ledger }) => ledger);
  return (
    <section class="card">
      <h2>Profit and loss</h2>
      <p class="quiet">
        In USDT, by days in UTC, for the last 31 days. Profit = spread + hedges + fees + settlements + revaluation, each
        rounded. Revaluation is what the house’s coins gained or lost as prices moved.
      </p>
      {missing.length > 0 && (
        <p class="notice warn">Ledger {missing.join(', ')} does not answer: the figures are without it.</p>
      )}
      <h3>By day</h3>
      <DayChart
        days={days}
        label={`Profit or loss by day since ${days[0]}: ${showGain(profit.sum.profit)} USDT in all. The arrow keys read it day by day.`}
        series={[{ name: 'Profit or loss', values: sumByDay(profit.days, days, 'profit'), show: showGain }]}
      />
      <h3>By coin</h3>
      <Records
        label="Profit and loss by coin"
        rows={coins.length > 1 ? [{ coin: ALL, ...profit.sum }, ...coins] : coins}
        keyOf={({ coin }) => coin}
        columns={[
          { name: 'Coin', show: ({ coin }) => (coin === ALL ? <span class="sum">{coin}</span> : coin) },
          ...profitParts.map((part) => ({
            name: inWords(part),
            isNumber: true,
            show: (row: CoinProfit) =>
              part === 'profit' ? (
                <strong>
                  <Signed value={row[part]} />
                </strong>
              ) : (
                <Signed value={row[part]} />
              ),
          })),
        ]}
        empty="Nothing was earned or lost in these days."
      />
    </section>
  );
}

const venueStates = { answers: 'COMPLETED', silent: 'FAILED', unknown: 'NEVER' } as const;

const balanceColumns: readonly Column<Venue['balances'][number]>[] = [
  { name: 'Asset', show: ({ asset }) => asset },
  {
    name: 'Holds',
    isNumber: true,
    narrow: 'half',
    show: ({ holds }) => (holds === null ? '–' : showAmount(holds)),
  },
  { name: 'By the ledger', isNumber: true, narrow: 'half', show: ({ shouldHold }) => showAmount(shouldHold) },
  {
    name: 'State',
    narrow: 'beside',
    show: ({ differs }) => (
      <State
        of={differs === null ? 'unknown' : differs ? 'shortfall' : 'covered'}
        words={differs === null ? 'not known' : differs ? 'differs' : 'agrees'}
      />
    ),
  },
];

/** What is known of a venue of which nothing is read yet. */
const unread = ['Asset', 'By the ledger'];

function VenueCard({ venue }: { readonly venue: Venue }) {
  const isRead = venue.state !== 'unknown';
  return (
    <section class="card">
      <div class="top">
        <h2>Venue {venue.venue}</h2>
        <State of={venueStates[venue.state]} words={isRead ? venue.state : 'not checked'} />
      </div>
      {isRead ? (
        <Facts
          of={[
            ['Reported', venue.reportedAt === null ? 'never yet' : <Time key="r" iso={venue.reportedAt} />],
            [
              'Markets',
              venue.markets.map(({ coin, isOpen }) => `${coin}${isOpen ? '' : ' (closed)'}`).join(', ') || 'not known',
            ],
          ]}
        />
      ) : (
        <p class="quiet">Not checked, as no coin is set to be hedged here.</p>
      )}
      <Records
        label={`Balances at ${venue.venue}`}
        rows={venue.balances}
        keyOf={({ asset }) => asset}
        columns={balanceColumns.filter(({ name }) => isRead || unread.includes(name))}
        empty="The venue neither holds nor should hold anything."
      />
    </section>
  );
}
