import { coinSymbols } from '../../parts/coin.tsx';
import { useState } from 'preact/hooks';
import { showAmount } from '../../format.ts';
import { Choice, TextField } from '../../parts/form.tsx';
import { Records } from '../parts/records.tsx';
import type { ExchangeSettings } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import { PERCENT_PATTERN, readPercent, showPercent, writePercent } from '../parts/percent.ts';
import { ChangeStep, type SettingsPart } from './change-step.tsx';

type Terms = ExchangeSettings['coinTerms'];
type Coin = keyof Terms;
type CoinTerm = NonNullable<Terms[Coin]>;

interface TermsShown {
  readonly of: CoinTerm;
  /** The spread of the exchange. */
  readonly spreadBps: number;
}

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
          {
            name: 'Coin, with its terms',
            show: (coin) => (
              <>
                {coin}
                <Sentences of={coinTerms[coin] ?? {}} spreadBps={spreadBps} />
              </>
            ),
          },
          ...(may('change_settings')
            ? [
                {
                  name: 'Change',
                  isStep: true,
                  narrow: 'by-row' as const,
                  show: (coin: Coin) => <SetTerms settings={settings} changed={changed} coin={coin} />,
                },
              ]
            : []),
        ]}
        empty="No coin has terms of its own."
      />
      {may('change_settings') && (
        <div class="steps">
          <SetTerms key={Object.keys(coinTerms).join()} settings={settings} changed={changed} />
        </div>
      )}
    </section>
  );
}

/** What was agreed for a coin, as one would say it. */
function Sentences({ of: { spreadBps, maxNotional, hedging }, spreadBps: common }: TermsShown) {
  return (
    <>
      <small class="below">
        Spread {showPercent(spreadBps ?? common)}
        {spreadBps === undefined && ', as every coin'}; orders of{' '}
        {maxNotional === undefined ? 'any size' : `up to ${showAmount(maxNotional)} USDT`}.
      </small>
      <small class="below">
        {hedging
          ? `Hedged at ${hedging.venue}: after ${hedging.maxAgeSeconds} s beyond ±${showAmount(hedging.inner)} USDT, at once beyond ±${showAmount(hedging.outer)}, at most ${showAmount(hedging.maxHedge)} USDT at a time.`
          : 'Not hedged.'}
      </small>
    </>
  );
}

/** The fields of a coin as they are typed, with what helps; those in percent are stored in hundredths of one. */
const fields = {
  spreadBps: ['Spread, %', 'Empty: the exchange’s own'],
  maxNotional: ['Order at most', 'USDT; empty: any size'],
  venue: ['Venue', 'Empty: not hedged'],
  inner: ['Inner bound', undefined],
  outer: ['Outer bound', 'Beyond it, hedged at once'],
  maxAgeSeconds: ['After, s', 'Beyond the inner bound'],
  maxHedge: ['Hedge at most', undefined],
  limitBps: ['Worse by, %', 'Than the middle, at most'],
  feeBps: ['Venue’s fee, %', undefined],
} as const;

type FieldName = keyof typeof fields;

const ofHedging = ['inner', 'outer', 'maxAgeSeconds', 'maxHedge', 'limitBps', 'feeBps'] as const;

type Texts = Readonly<Record<FieldName, string>>;

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

/** The terms that were typed; `undefined` while a percentage is none. */
function readTerm(texts: Texts): CoinTerm | undefined {
  const { maxNotional, venue, inner, outer, maxHedge } = texts;
  const [spreadBps, limitBps, feeBps] = [texts.spreadBps, texts.limitBps, texts.feeBps].map(readPercent);
  if (texts.spreadBps !== '' && spreadBps === undefined) return undefined;
  if (venue !== '' && (limitBps === undefined || feeBps === undefined)) return undefined;
  const maxAgeSeconds = Number(texts.maxAgeSeconds);
  return {
    ...(spreadBps !== undefined && { spreadBps }),
    ...(maxNotional !== '' && { maxNotional }),
    ...(limitBps !== undefined &&
      feeBps !== undefined &&
      venue !== '' && { hedging: { venue, inner, outer, maxHedge, maxAgeSeconds, limitBps, feeBps } }),
  };
}

/** Sets the terms of a coin that has some, or those of one that is chosen among the others. */
function SetTerms({ coin: named, ...part }: SettingsPart & { readonly coin?: Coin }) {
  const { coinTerms } = part.settings;
  const without = coinSymbols.filter((one) => coinTerms[one] === undefined);
  const [chosen, setCoin] = useState<Coin | undefined>(named);
  const coin = chosen ?? without[0];
  const [texts, setTexts] = useState(() => textsOf(named && coinTerms[named]));
  if (coin === undefined) return null;
  const { [coin]: _before, ...others } = coinTerms;
  const term = readTerm(texts);
  // Replaced whole, so the other coins are named as they are.
  const change = term && { coinTerms: { ...others, ...(Object.keys(term).length > 0 && { [coin]: term }) } };
  const field = (name: FieldName, required: boolean) => (
    <TextField
      key={name}
      label={fields[name][0]}
      help={fields[name][1]}
      required={required}
      {...(name !== 'venue' && { inputMode: 'decimal' })}
      {...(name.endsWith('Bps') && { pattern: PERCENT_PATTERN })}
      value={texts[name]}
      set={(value) => setTexts((known) => ({ ...known, [name]: value.trim() }))}
    />
  );
  return (
    <ChangeStep
      {...part}
      {...(named
        ? { label: 'Change', about: named, title: `Terms of ${named}` }
        : { label: without.length < coinSymbols.length ? 'Set the terms of another coin' : 'Set the terms of a coin' })}
      change={change}
    >
      {!named && <Choice label="Coin" value={coin} set={setCoin} options={without.map((one) => [one, one] as const)} />}
      <fieldset class="group">
        <legend>Price</legend>
        <div class="row short">
          {field('spreadBps', false)}
          {field('maxNotional', false)}
        </div>
      </fieldset>
      <fieldset class="group">
        <legend>Hedging, in USDT</legend>
        {field('venue', false)}
        {texts.venue !== '' && <div class="row short">{ofHedging.map((name) => field(name, true))}</div>}
      </fieldset>
    </ChangeStep>
  );
}
