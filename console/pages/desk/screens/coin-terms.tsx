import { coinSymbols } from '../../assets.ts';
import { useState } from 'preact/hooks';
import { showAmount, showTime } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Choice, TextField } from '../../parts/form.tsx';
import { operate } from '../operate.ts';
import { upperFirst } from '../parts/deeds.ts';
import { Time } from '../parts/names.tsx';
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
    row === DEFAULT ? <SetSpread {...part} /> : <SetTerms {...part} coin={row} about={row} />,
  );
  const { coinTerms, spreadBps, fallbackPrices } = part.settings;
  const termOf = (row: Row): CoinTerm => (row === DEFAULT ? { spreadBps } : (coinTerms[row] ?? {}));
  return (
    <>
      <section class="card">
        <h2>Terms of coins</h2>
        <p class="quiet">
          Amounts are in USDT. Clients pay the spread beyond the market’s price; a coin without its own is grey. While
          no venue has a price, the fallback price is shown and nothing is traded.
        </p>
        <Records
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
                return maxNotional === undefined ? 'no limit' : showAmount(maxNotional);
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
                        old: <Time iso={fallback.setAt} />
                      </small>
                    )}
                  </>
                );
              },
            },
            {
              name: 'Hedging',
              show: (row) => {
                if (row === DEFAULT) return '';
                return termOf(row).hedging ? 'hedged' : <span class="quiet">not hedged</span>;
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

const column = (name: string, show: (hedging: Hedging) => string): Column<Hedged> => ({ name, isNumber: true, show });

/** The terms of the coins that are hedged. */
function HedgedCoins(part: SettingsPart) {
  const changes = useChangeColumn(({ coin }: Hedged) => (
    <SetTerms {...part} coin={coin} about={`the hedging of ${coin}`} />
  ));
  const { coinTerms } = part.settings;
  const hedged = coinSymbols.flatMap((coin): Hedged[] => {
    const hedging = coinTerms[coin]?.hedging;
    return hedging ? [{ coin, ...hedging }] : [];
  });
  if (hedged.length === 0) return null;
  return (
    <section class="card">
      <h2>Hedging</h2>
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
          { name: 'Venue', narrow: 'beside', show: ({ venue }) => venue },
          column('Inner bound', ({ inner }) => `±${showAmount(inner)}`),
          column('Outer bound', ({ outer }) => `±${showAmount(outer)}`),
          column('Wait', ({ maxAgeSeconds }) => `${maxAgeSeconds}\u00A0s`),
          column('Hedge limit', ({ maxHedge }) => showAmount(maxHedge)),
          column('Price limit', ({ limitBps }) => showPercent(limitBps)),
          column('Venue’s fee', ({ feeBps }) => showPercent(feeBps)),
          ...changes,
        ]}
        empty=""
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

/** What helps with the fields of a coin's hedging. */
const hedgingFields = {
  inner: 'A position beyond it is hedged after the wait',
  outer: 'A position beyond it is hedged at once',
  maxAgeSeconds: 'For a position beyond the inner bound',
  maxHedge: 'The most that one hedge may be',
  limitBps: 'At most this much worse than the market’s price',
  feeBps: 'Set aside for each hedge',
} as const;

type HedgingField = keyof typeof hedgingFields;

type Texts = Readonly<Record<HedgingField | 'spreadBps' | 'maxNotional' | 'venue', string>>;

const toPercent = (bps: number | undefined) => (bps === undefined ? '' : writePercent(bps));

function textsOf({ spreadBps, maxNotional, hedging }: CoinTerm = {}): Texts {
  return {
    spreadBps: toPercent(spreadBps),
    maxNotional: maxNotional ?? '',
    venue: hedging?.venue ?? '',
    inner: hedging?.inner ?? '',
    outer: hedging?.outer ?? '',
    maxAgeSeconds: String(hedging?.maxAgeSeconds ?? ''),
    maxHedge: hedging?.maxHedge ?? '',
    limitBps: toPercent(hedging?.limitBps),
    feeBps: toPercent(hedging?.feeBps),
  };
}

/** Another venue, until it has its name: no name of a venue begins so. */
const ANOTHER = '-';

/** The terms that were typed; `undefined` while a percentage is none, or the venue has no name. */
function readTerm(texts: Texts): CoinTerm | undefined {
  const { maxNotional, venue, inner, outer, maxHedge } = texts;
  const [spreadBps, limitBps, feeBps] = [texts.spreadBps, texts.limitBps, texts.feeBps].map(readPercent);
  if (texts.spreadBps !== '' && spreadBps === undefined) return undefined;
  if (venue === ANOTHER || (venue !== '' && (limitBps === undefined || feeBps === undefined))) return undefined;
  const maxAgeSeconds = Number(texts.maxAgeSeconds);
  return {
    ...(spreadBps !== undefined && { spreadBps }),
    ...(maxNotional !== '' && { maxNotional }),
    ...(limitBps !== undefined &&
      feeBps !== undefined &&
      venue !== '' && { hedging: { venue, inner, outer, maxHedge, maxAgeSeconds, limitBps, feeBps } }),
  };
}

function SetTerms({ coin, about, ...part }: SettingsPart & { readonly coin: Coin; readonly about: string }) {
  const { coinTerms, spreadBps, fallbackPrices } = part.settings;
  const fallback = fallbackPrices[coin];
  const storedPrice = fallback?.price ?? '';
  const [texts, setTexts] = useState(() => textsOf(coinTerms[coin]));
  const [price, setPrice] = useState(storedPrice);
  const { [coin]: _before, ...others } = coinTerms;
  const term = readTerm(texts);
  // Replaced whole, so the other coins are named as they are.
  const terms = term && { coinTerms: { ...others, ...(Object.keys(term).length > 0 && { [coin]: term }) } };
  // Only what is another: the terms of a coin need two people, its fallback price does not.
  const change = terms && {
    ...(compareSettings(terms, part.settings).length > 0 && terms),
    ...(price !== storedPrice && { fallbackPrices: { [coin]: price === '' ? null : price } }),
  };
  const field = (name: keyof Texts, help: string, required: boolean) => (
    <TextField
      key={name}
      label={upperFirst(termNames[name] ?? '') + (name.endsWith('Bps') ? ', %' : '')}
      help={help}
      required={required}
      inputMode="decimal"
      {...(name.endsWith('Bps') && { pattern: PERCENT_PATTERN })}
      value={texts[name]}
      set={(value) => setTexts((known) => ({ ...known, [name]: value.trim() }))}
    />
  );
  return (
    <ChangeStep {...part} label="Change" about={about} title={`Terms of ${coin}`} change={change}>
      <div class="row">
        {field('spreadBps', `If empty: ${showPercent(spreadBps)}`, false)}
        {field('maxNotional', 'If empty: no limit', false)}
        <TextField
          label="Fallback price, USDT"
          help={`${fallback ? `Set ${showTime(fallback.setAt)}. ` : ''}If empty: the default price`}
          inputMode="decimal"
          value={price}
          set={(value) => setPrice(value.trim())}
        />
      </div>
      <h3>Hedging</h3>
      <VenueChoice value={texts.venue} set={(venue) => setTexts((known) => ({ ...known, venue }))} />
      {texts.venue !== '' && (
        <div class="row">
          {(Object.keys(hedgingFields) as HedgingField[]).map((name) => field(name, hedgingFields[name], true))}
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
