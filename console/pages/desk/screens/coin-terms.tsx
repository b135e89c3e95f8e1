import { coinSymbols } from '../../parts/coin.tsx';
import { useState } from 'preact/hooks';
import { showAmount } from '../../format.ts';
import { Choice, TextField } from '../../parts/form.tsx';
import { Records } from '../parts/records.tsx';
import type { ExchangeSettings } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import { showPercent } from '../parts/percent.ts';
import { ChangeStep, type SettingsPart } from './change-step.tsx';

type Terms = ExchangeSettings['coinTerms'];
type Coin = keyof Terms;
type CoinTerm = NonNullable<Terms[Coin]>;

/** What holds of single coins instead of the exchange's own, and how the house's position of each is hedged. */
export function CoinTermsCard({ settings, changed }: SettingsPart) {
  const may = useMay();
  const { coinTerms, spreadBps } = settings;
  return (
    <section class="card">
      <h2>Terms of coins</h2>
      <p class="quiet">Every other coin has the spread of the exchange, and its position is not hedged.</p>
      <Records
        label="Terms of coins"
        rows={coinSymbols.filter((coin) => coinTerms[coin] !== undefined)}
        keyOf={(coin) => coin}
        columns={[
          { name: 'Coin', show: (coin) => coin },
          {
            name: 'Spread',
            isNumber: true,
            show: (coin) => {
              const own = coinTerms[coin]?.spreadBps;
              return own === undefined ? <span class="quiet">{showPercent(spreadBps)}</span> : showPercent(own);
            },
          },
          {
            name: 'Largest order, USDT',
            isNumber: true,
            show: (coin) => {
              const most = coinTerms[coin]?.maxNotional;
              return most === undefined ? <span class="quiet">no bound of its own</span> : showAmount(most);
            },
          },
          {
            name: 'Hedged',
            show: (coin) => {
              const hedging = coinTerms[coin]?.hedging;
              if (!hedging) return <span class="quiet">not hedged</span>;
              const { venue, inner, outer } = hedging;
              return `at ${venue}, from ±${showAmount(inner)} and ±${showAmount(outer)} USDT on`;
            },
          },
        ]}
        empty="No coin has terms of its own."
      />
      {may('change_settings') && (
        <div class="steps">
          <SetTerms settings={settings} changed={changed} />
        </div>
      )}
    </section>
  );
}

/** The fields of a coin as they are typed. */
const fields = {
  spreadBps: ['Spread, in hundredths of a percent (empty: the exchange’s)', false],
  maxNotional: ['Largest order, USDT (empty: no bound of its own)', false],
  venue: ['Venue at which it is hedged (empty: not hedged)', false],
  inner: ['Inner bound, USDT', true],
  outer: ['Outer bound, USDT', true],
  maxAgeSeconds: ['Beyond the inner bound at most for so many seconds', true],
  limitBps: ['A hedge may be worse than the middle by, in 0.01 %', true],
  maxHedge: ['Largest hedge, USDT', true],
  feeBps: ['The venue’s fee, in 0.01 %', true],
} as const satisfies Record<string, readonly [label: string, isOfHedging: boolean]>;

type FieldName = keyof typeof fields;

type Texts = Readonly<Record<FieldName, string>>;

function textsOf({ spreadBps, maxNotional, hedging }: CoinTerm = {}): Texts {
  const all: Partial<Record<FieldName, string | number | undefined>> = { ...hedging, spreadBps, maxNotional };
  const names = Object.keys(fields) as FieldName[];
  return Object.fromEntries(names.map((name) => [name, String(all[name] ?? '')])) as Texts;
}

function readTerm(texts: Texts): CoinTerm {
  const { spreadBps, maxNotional, venue, inner, outer, maxHedge } = texts;
  return {
    ...(spreadBps !== '' && { spreadBps: Number(spreadBps) }),
    ...(maxNotional !== '' && { maxNotional }),
    ...(venue !== '' && {
      hedging: {
        venue,
        inner,
        outer,
        maxHedge,
        maxAgeSeconds: Number(texts.maxAgeSeconds),
        limitBps: Number(texts.limitBps),
        feeBps: Number(texts.feeBps),
      },
    }),
  };
}

function SetTerms(part: SettingsPart) {
  const { coinTerms } = part.settings;
  const [coin, setCoin] = useState<Coin>('BTC');
  const [texts, setTexts] = useState(() => textsOf(coinTerms.BTC));
  const { [coin]: _before, ...others } = coinTerms;
  const term = readTerm(texts);
  // Replaced whole, so the other coins are named as they are.
  const change = { coinTerms: { ...others, ...(Object.keys(term).length > 0 && { [coin]: term }) } };
  const shown = (Object.keys(fields) as FieldName[]).filter((name) => !fields[name][1] || texts.venue !== '');
  return (
    <ChangeStep {...part} label="Set the terms of a coin" change={change}>
      <Choice
        label="Coin"
        value={coin}
        set={(next) => {
          setCoin(next);
          setTexts(textsOf(coinTerms[next]));
        }}
        options={coinSymbols.map((one) => [one, one] as const)}
      />
      {shown.map((name) => (
        <TextField
          key={name}
          label={fields[name][0]}
          required={fields[name][1]}
          value={texts[name]}
          set={(value) => setTexts((known) => ({ ...known, [name]: value.trim() }))}
        />
      ))}
    </ChangeStep>
  );
}
