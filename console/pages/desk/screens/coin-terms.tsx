import { coinSymbols } from '../../assets.ts';
import { useState } from 'preact/hooks';
import { showAmount, showPrice, showTime } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Choice, TextField } from '../../parts/form.tsx';
import { operate, readPublic } from '../operate.ts';
import { upperFirst } from '../parts/deeds.ts';
import { Day } from '../parts/names.tsx';
import { type Column, Records } from '../parts/records.tsx';
import type { ExchangeSettings } from '../schema.d.ts';
import { PERCENT_PATTERN, readPercent, showPercent, writePercent } from '../parts/percent.ts';
import { ChangeStep, type SettingsPart, useChangeColumn } from './change-step.tsx';
import { compareSettings, termNames } from './changed-settings.tsx';

type Terms = ExchangeSettings['coinTerms'];
type Coin = keyof Terms;
type CoinTerm = NonNullable<Terms[Coin]>;
type Hedging = NonNullable<CoinTerm['hedging']>;

/** The row of what holds of every coin that has no terms of its own. */
const DEFAULT = 'Default';

type Row = Coin | typeof DEFAULT;

/** A fallback price that was set longer ago is marked: 30 days. */
const OLD_MS = 30 * 86_400_000;

/** What holds of each coin, above them what holds where nothing else is set; and how the house's positions are hedged. */
export function CoinTerms(part: SettingsPart) {
  const changes = useChangeColumn((row: Row) =>
    row === DEFAULT ? <SetSpread {...part} /> : <SetTerms {...part} coin={row} />,
  );
  const { coinTerms, spreadBps, fallbackPrices } = part.settings;
  const termOf = (row: Row): CoinTerm => (row === DEFAULT ? { spreadBps } : (coinTerms[row] ?? {}));
  return (
    <>
      <section class="card">
        <h2>Terms of coins</h2>
        <p class="quiet">
          Clients pay the spread beyond the market’s price; a grey one is the default. While no venue has a price, the
          fallback price is shown and nothing is traded. Amounts are in USDT.
        </p>
        <Records
          isSmall
          label="Terms of coins"
          rows={[DEFAULT, ...coinSymbols]}
          keyOf={(row) => row}
          columns={[
            { name: 'Coin', show: (row) => row },
            {
              name: 'Spread',
              isNumber: true,
              show: (row) => {
                const own = termOf(row).spreadBps;
                return own === undefined ? <span class="quiet">{showPercent(spreadBps)}</span> : showPercent(own);
              },
            },
            {
              name: 'Order limit',
              isNumber: true,
              show: (row) => {
                if (row === DEFAULT) return '';
                const { maxNotional } = termOf(row);
                return maxNotional === undefined ? <span class="quiet">no limit</span> : showAmount(maxNotional);
              },
            },
            {
              name: 'Fallback price',
              isNumber: true,
              show: (row) => {
                const fallback = row === DEFAULT ? undefined : fallbackPrices[row];
                if (!fallback) return '';
                return (
                  <>
                    {showAmount(fallback.price)}
                    {Date.parse(fallback.setAt) < Date.now() - OLD_MS && (
                      <small class="below state warn">
                        old: <Day iso={fallback.setAt} />
                      </small>
                    )}
                  </>
                );
              },
            },
            ...changes,
          ]}
          empty=""
        />
      </section>
      <HedgedCoins {...part} />
    </>
  );
}

type Hedged = Hedging & { readonly coin: Coin };

const column = (name: string, show: (hedging: Hedging) => string): Column<Hedged> => ({
  name,
  isNumber: true,
  narrow: 'half',
  show,
});

/** The terms of the coins that are hedged. */
function HedgedCoins(part: SettingsPart) {
  const changes = useChangeColumn(({ coin }: Hedged) => <SetHedging {...part} coin={coin} />);
  const { coinTerms } = part.settings;
  const hedged = coinSymbols.flatMap((coin): Hedged[] => {
    const hedging = coinTerms[coin]?.hedging;
    return hedging ? [{ coin, ...hedging }] : [];
  });
  const others = coinSymbols.filter((coin) => !coinTerms[coin]?.hedging);
  const [first] = others;
  return (
    <section class="card">
      <div class="top">
        <h2>Hedging</h2>
        {changes.length > 0 && first && <SetHedging key={first} {...part} coin={first} choices={others} />}
      </div>
      <p class="quiet">
        Amounts are in USDT. A position beyond the inner bound is hedged after the wait, one beyond the outer bound at
        once.
      </p>
      <Records
        label="Hedging"
        rows={hedged}
        keyOf={({ coin }) => coin}
        columns={[
          { name: 'Coin', show: ({ coin }) => coin },
          {
            name: 'Venue',
            narrow: 'beside',
            show: ({ venue }) => (
              <>
                <span class="narrow">at </span>
                {venue}
              </>
            ),
          },
          column('Inner bound', ({ inner }) => `±${showAmount(inner)}`),
          column('Outer bound', ({ outer }) => `±${showAmount(outer)}`),
          column('Wait', ({ maxAgeSeconds }) => `${maxAgeSeconds}\u00A0s`),
          column('Hedge limit', ({ maxHedge }) => showAmount(maxHedge)),
          column('Price limit', ({ limitBps }) => showPercent(limitBps)),
          column('Venue’s fee', ({ feeBps }) => showPercent(feeBps)),
          ...changes,
        ]}
        empty="No coin is hedged: the house keeps every position."
      />
    </section>
  );
}

function SetSpread(part: SettingsPart) {
  const [text, setText] = useState(writePercent(part.settings.spreadBps));
  const spreadBps = readPercent(text);
  return (
    <ChangeStep
      {...part}
      label="Change"
      about="the spread"
      change={spreadBps === undefined ? undefined : { spreadBps }}
    >
      <TextField
        label="Percent, such as 0.20"
        help="For every coin without a spread of its own"
        inputMode="decimal"
        pattern={PERCENT_PATTERN}
        required
        value={text}
        set={setText}
      />
    </ChangeStep>
  );
}

/** The terms of all coins with those of one: they are replaced whole, so that the others are named as they are. */
function withTerm(terms: Terms, coin: Coin, term: CoinTerm) {
  const { [coin]: _before, ...others } = terms;
  return { coinTerms: { ...others, ...(Object.keys(term).length > 0 && { [coin]: term }) } };
}

/** Changes the terms on which clients trade a coin. How it is hedged stays. */
function SetTerms({ coin, ...part }: SettingsPart & { readonly coin: Coin }) {
  const { coinTerms, spreadBps, fallbackPrices } = part.settings;
  const { hedging, ...known } = coinTerms[coin] ?? {};
  const fallback = fallbackPrices[coin];
  const storedPrice = fallback?.price ?? '';
  const [spread, setSpread] = useState(known.spreadBps === undefined ? '' : writePercent(known.spreadBps));
  const [maxNotional, setMaxNotional] = useState(known.maxNotional ?? '');
  const [price, setPrice] = useState(storedPrice);
  const own = readPercent(spread);
  const terms =
    spread !== '' && own === undefined
      ? undefined
      : withTerm(coinTerms, coin, {
          ...(own !== undefined && { spreadBps: own }),
          ...(maxNotional !== '' && { maxNotional }),
          ...(hedging && { hedging }),
        });
  // Only what is another: the terms of a coin need two people, its fallback price does not.
  const change = terms && {
    ...(compareSettings(terms, part.settings).length > 0 && terms),
    ...(price !== storedPrice && { fallbackPrices: { [coin]: price === '' ? null : price } }),
  };
  return (
    <ChangeStep {...part} label="Change" about={coin} title={`Change the terms of ${coin}`} change={change}>
      <div class="row">
        <TextField
          label="Spread"
          unit="%"
          help={`Leave empty for the default, ${showPercent(spreadBps)}`}
          inputMode="decimal"
          pattern={PERCENT_PATTERN}
          value={spread}
          set={(value) => setSpread(value.trim())}
        />
        <TextField
          label="Order limit"
          unit="USDT"
          help="The largest order. Leave empty for no limit"
          inputMode="decimal"
          value={maxNotional}
          set={(value) => setMaxNotional(value.trim())}
        />
        <FallbackField coin={coin} setAt={fallback?.setAt} value={price} set={setPrice} />
      </div>
    </ChangeStep>
  );
}

/** The field of a fallback price, with the market's price beside it, so that an old one is noticed. */
function FallbackField({
  coin,
  setAt,
  value,
  set,
}: {
  readonly coin: Coin;
  readonly setAt: string | undefined;
  readonly value: string;
  readonly set: (value: string) => void;
}) {
  const { loaded } = useLoaded(async () => (await readPublic('/api/v1/markets/tickers')).tickers);
  const ticker = loaded.state === 'here' ? loaded.value.find(({ symbol }) => symbol === coin) : undefined;
  const parts = [
    'Shown while no venue has a price',
    ...(setAt === undefined ? [] : [`Last set ${showTime(setAt)}`]),
    // A degraded one is not the market's.
    ...(ticker && !ticker.degraded ? [`The market’s price is ${showPrice(ticker.price)} now`] : []),
  ];
  return (
    <TextField
      label="Fallback price"
      unit="USDT"
      help={parts.join('. ')}
      inputMode="decimal"
      value={value}
      set={(text) => set(text.trim())}
    />
  );
}

/** What helps with the fields of a coin's hedging. */
const hedgingFields = {
  inner: 'Hedge after the wait',
  outer: 'Hedge at once',
  maxAgeSeconds: 'How long past the inner bound before it is hedged',
  maxHedge: 'Largest single hedge',
  limitBps: 'Off the market price',
  feeBps: 'Set aside for the venue’s fee',
} as const;

type HedgingField = keyof typeof hedgingFields;

type Texts = Readonly<Record<HedgingField | 'venue', string>>;

const toPercent = (bps: number | undefined) => (bps === undefined ? '' : writePercent(bps));

const textsOf = (hedging?: Hedging): Texts => ({
  venue: hedging?.venue ?? '',
  inner: hedging?.inner ?? '',
  outer: hedging?.outer ?? '',
  maxAgeSeconds: String(hedging?.maxAgeSeconds ?? ''),
  maxHedge: hedging?.maxHedge ?? '',
  limitBps: toPercent(hedging?.limitBps),
  feeBps: toPercent(hedging?.feeBps),
});

/** Another venue, until it has its name: no name of a venue begins so. */
const ANOTHER = '-';

/** The hedging that was typed, `null` for none; `undefined` while a percentage is none, or the venue has no name. */
function readHedging({ venue, inner, outer, maxHedge, ...texts }: Texts): Hedging | null | undefined {
  if (venue === '') return null;
  const [limitBps, feeBps] = [texts.limitBps, texts.feeBps].map(readPercent);
  if (venue === ANOTHER || limitBps === undefined || feeBps === undefined) return undefined;
  return { venue, inner, outer, maxHedge, maxAgeSeconds: Number(texts.maxAgeSeconds), limitBps, feeBps };
}

/** Changes how a coin is hedged, or begins to hedge one of those to choose from, the first at the beginning. */
function SetHedging({
  coin: first,
  choices,
  ...part
}: SettingsPart & { readonly coin: Coin; readonly choices?: readonly Coin[] }) {
  const { coinTerms } = part.settings;
  const [coin, setCoin] = useState(first);
  const { hedging: known, ...terms } = coinTerms[coin] ?? {};
  const [texts, setTexts] = useState(() => textsOf(known));
  const hedging = readHedging(texts);
  return (
    <ChangeStep
      {...part}
      label={choices ? 'Hedge another coin' : 'Change'}
      about={choices ? undefined : `the hedging of ${coin}`}
      title={choices ? 'Hedge another coin' : `Change the hedging of ${coin}`}
      change={
        hedging === undefined
          ? undefined
          : withTerm(coinTerms, coin, { ...terms, ...(hedging !== null && { hedging }) })
      }
    >
      {choices && (
        <Choice label="Coin" value={coin} set={setCoin} options={choices.map((symbol) => [symbol, symbol] as const)} />
      )}
      <VenueChoice value={texts.venue} set={(venue) => setTexts((before) => ({ ...before, venue }))} />
      {texts.venue !== '' && (
        <div class="row short">
          {(Object.keys(hedgingFields) as HedgingField[]).map((name) => {
            const isPercent = name.endsWith('Bps');
            const [label, unit = '%'] = (termNames[name] ?? '').split(', ');
            return (
              <TextField
                key={name}
                label={upperFirst(label ?? '')}
                unit={unit}
                help={hedgingFields[name]}
                required
                inputMode="decimal"
                {...(isPercent && { pattern: PERCENT_PATTERN })}
                value={texts[name]}
                set={(value) => setTexts((before) => ({ ...before, [name]: value.trim() }))}
              />
            );
          })}
        </div>
      )}
    </ChangeStep>
  );
}

/** Where a coin is hedged: one of the venues that the exchange knows of, or the first coin at another. */
function VenueChoice({ value, set }: { readonly value: string; readonly set: (venue: string) => void }) {
  const { loaded } = useLoaded(async () => (await operate('get /venues')).venues.venues.map(({ venue }) => venue));
  const [stored] = useState(value);
  const [isAnother, setAnother] = useState(false);
  const known = loaded.state === 'here' ? loaded.value : [];
  const venues = new Set([...(stored === '' ? [] : [stored]), ...known]);
  return (
    <div class="row">
      <Choice
        label="Hedged at"
        value={isAnother ? ANOTHER : value}
        set={(next) => {
          setAnother(next === ANOTHER);
          set(next);
        }}
        options={[
          ['', 'Nowhere'],
          ...[...venues].map((venue) => [venue, venue] as const),
          [ANOTHER, 'Another venue …'],
        ]}
      />
      {isAnother && (
        <TextField
          label="Its name at the dealer"
          help="Small letters, digits and hyphens"
          required
          pattern="[a-z0-9][a-z0-9\-]{0,31}"
          value={value === ANOTHER ? '' : value}
          set={(name) => set(name.trim() || ANOTHER)}
        />
      )}
    </div>
  );
}
