import { useState } from 'preact/hooks';
import { readAmount } from '../../amount.ts';
import { add, multiply, subtract } from '../../exact.ts';
import { showAmount, showCents, showPrice, showRecent, showSum } from '../../format.ts';
import { AmountField } from '../../parts/amount-field.tsx';
import { Copied } from '../../parts/copy.tsx';
import { Choice, Question, TextField } from '../../parts/form.tsx';
import { operate } from '../operate.ts';
import { addPlus, showGain } from '../parts/day-bars.ts';
import { listOf } from '../parts/list.ts';
import { ShortId, State, Time } from '../parts/names.tsx';
import { Pages } from '../parts/pages.tsx';
import { type Column, Records } from '../parts/records.tsx';
import { OldAndNew, ReasonField, Step } from '../parts/step.tsx';
import type { Hedge } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import { isStuck, nameHedge, showSeconds } from './venue-matters.tsx';

/** The hedges that have no end yet, the oldest first. */
export function OpenHedges({ hedges }: { readonly hedges: readonly Hedge[] }) {
  return (
    <Records label="Open hedges" rows={hedges} keyOf={({ id }) => id} columns={planned} empty="No hedge is open." />
  );
}

const filters = [
  ['', 'All'],
  ['OPEN', 'Open'],
  ['DEALT', 'Dealt'],
  ['NEVER', 'Never dealt'],
] as const;

/** All hedges or those of a state, newest first; but what is still open comes before what has ended. */
export function Hedges() {
  const [status, setStatus] = useState<(typeof filters)[number][0]>('');
  const [turn, setTurn] = useState(0);
  return (
    <section class="card">
      <div class="top">
        <h2>Hedges</h2>
        <div class="filters">
          <Choice label="State" value={status} set={setStatus} options={filters} />
        </div>
      </div>
      <p class="quiet">
        What the house buys and sells at venues, so that its position stays within the band. A result is in USDT,
        against the middle price.
      </p>
      <Pages wanted={status} turn={turn} list={listOf('get /hedges', { query: status === '' ? {} : { status } })}>
        {(rows) => (
          <Records
            label="Hedges"
            rows={rows.toSorted((one, other) => Number(other.status === 'OPEN') - Number(one.status === 'OPEN'))}
            keyOf={({ id }) => id}
            columns={[...planned, ...dealt, ...(rows.some(isStuck) ? [endColumn(() => setTurn(turn + 1))] : [])]}
            empty={
              status === ''
                ? 'Nothing was hedged yet. A coin is hedged once its terms name a venue and a band.'
                : 'No hedge is in this state.'
            }
          />
        )}
      </Pages>
    </section>
  );
}

/** A signed value in USDT, with a loss marked; to the digit where two decimals would not show which. */
export function Signed({ value }: { readonly value: string }) {
  const rounded = showGain(value);
  const shown = /[<>]/.test(rounded) ? addPlus(showAmount(value)) : rounded;
  return <span class={shown.startsWith('−') ? 'down' : shown.startsWith('+') ? undefined : 'dim'}>{shown}</span>;
}

const states = {
  OPEN: ['PENDING', 'open'],
  DEALT: ['COMPLETED', 'dealt'],
  NEVER: ['NEVER', 'never dealt'],
} as const;

/** What was planned. */
const planned: readonly Column<Hedge>[] = [
  {
    name: 'Hedge',
    show: (hedge) => (
      <>
        {nameHedge(hedge)}
        <small class="below">
          <time dateTime={hedge.ts}>{showRecent(hedge.ts)}</time>, id{'\u00A0'}
          <ShortId id={hedge.id} />
        </small>
      </>
    ),
  },
  {
    name: 'State',
    narrow: 'beside',
    show: (hedge) => {
      const { status, openSeconds } = hedge;
      const [tone, words] = states[status];
      if (openSeconds === null) return <State of={tone} words={words} />;
      const [now, is] = isStuck(hedge) ? ['FAILED', 'no answer'] : [tone, 'open'];
      return (
        <>
          <State of={now} words={is} />
          <small class="below">for {showSeconds(openSeconds)}</small>
        </>
      );
    },
  },
  {
    name: 'Price',
    isNumber: true,
    narrow: 'half',
    show: ({ side, dealtPrice, limitPrice }) => {
      const limit = `at ${side === 'BUY' ? 'most' : 'least'} ${showPrice(limitPrice)}`;
      if (dealtPrice === null) return <span class="quiet">{limit}</span>;
      return (
        <>
          {showPrice(dealtPrice)}
          <small class="below">{limit}</small>
        </>
      );
    },
  },
];

/** What came of it. */
const dealt: readonly Column<Hedge>[] = [
  {
    name: 'Result',
    isNumber: true,
    narrow: 'half',
    show: ({ gain, fee }) => {
      if (gain === null) return <span class="dim">–</span>;
      const isOfFee = fee?.asset === 'USDT';
      return (
        <>
          <Signed value={isOfFee ? add([gain, `-${fee.amount}`]) : gain} />
          {fee !== null && (
            <small class="below">
              {isOfFee ? `incl. fee ${showCents(fee.amount)}` : `and a fee of ${showSum(fee.amount, fee.asset)}`}
            </small>
          )}
        </>
      );
    },
  },
];

/** What the dealer does not end, a person does: `ended` is called after it. */
const endColumn = (ended: () => void): Column<Hedge> => ({
  name: 'End',
  isStep: true,
  show: (hedge) => isStuck(hedge) && <EndHedge hedge={hedge} done={ended} />,
});

/** A wrong "never" frees money that was spent, and hedges anew. */
const outcomes = [
  ['never', 'Never dealt'],
  ['dealt', 'Dealt, fully or in part'],
] as const;

/** What a venue may take its fee in: of the tokens that venues give a rebate in, only BNB is an asset here. */
const feeAssetsOf = ({ coin }: Hedge) => [...new Set(['USDT', coin, 'BNB'] as const)];

const USDT_DECIMALS = 6;

/** What the venue did, as it is entered. */
interface Deal {
  readonly amount: string;
  readonly usdt: string;
  readonly fee: Hedge['fee'];
}

/** What is no amount is sent as nothing, which the exchange refuses. */
const read = (typed: string) => readAmount(typed).amount ?? '';

/** What becomes of the money that was set aside. */
function tellSetAside({ setAside, setAsideAsset }: Hedge, { amount, usdt, fee }: Deal): string {
  const spent = add([setAsideAsset === 'USDT' ? usdt : amount, ...(fee?.asset === setAsideAsset ? [fee.amount] : [])]);
  return `${showSum(setAside, setAsideAsset)} set aside, ${showAmount(subtract(setAside, spent))} free again`;
}

/** Ends one by what a person has seen at the venue. */
export function EndHedge({ hedge, done }: { readonly hedge: Hedge; readonly done: () => void }) {
  const may = useMay();
  const [outcome, setOutcome] = useState<(typeof outcomes)[number][0]>();
  const [typedAmount, setAmount] = useState(hedge.amount);
  const [typedUsdt, setUsdt] = useState('');
  const [feeAsset, setFeeAsset] = useState<Hedge['setAsideAsset']>('USDT');
  const [typedFee, setFee] = useState('');
  const [venueReference, setReference] = useState('');
  const [reason, setReason] = useState('');
  if (!may('fund_house')) return null;
  const { coin, side, limitPrice } = hedge;
  const fee = read(typedFee);
  const deal: Deal = {
    amount: read(typedAmount),
    usdt: read(typedUsdt),
    fee: fee === '' ? null : { asset: feeAsset, amount: fee },
  };
  const body =
    outcome === 'never'
      ? { outcome, reason }
      : { outcome: 'dealt' as const, ...deal, venueReference: venueReference.trim(), reason };
  return (
    <Step
      danger
      needsTwo
      label="End it by hand"
      title={`End the hedge: ${nameHedge(hedge)}`}
      act={() => operate('post /hedges/{id}/settle', { path: { id: hedge.id }, body })}
      done={done}
    >
      <p>
        Sent <Time iso={hedge.ts} />, limit {showPrice(limitPrice)} USDT. It has expired, and ending it cannot be
        undone. First look for its id among the venue’s orders:
      </p>
      <Copied isBeside text={hedge.id} label="the id of the hedge" />
      <Question label="What became of it?" value={outcome} set={setOutcome} options={outcomes} />
      {outcome === 'dealt' && (
        <>
          <TextField
            label="Venue’s order id (required)"
            required
            maxLength={128}
            value={venueReference}
            set={setReference}
          />
          <div class="row short">
            <AmountField
              label={side === 'BUY' ? 'Bought' : 'Sold'}
              unit={coin}
              help={`Of ${showSum(hedge.amount, coin)}`}
              value={typedAmount}
              set={setAmount}
            />
            <AmountField
              label={side === 'BUY' ? 'Paid, before the fee' : 'Received, before the fee'}
              unit="USDT"
              help={
                deal.amount === ''
                  ? undefined
                  : `At ${side === 'BUY' ? 'most' : 'least'} ${showSum(multiply(deal.amount, limitPrice, USDT_DECIMALS), 'USDT')}`
              }
              value={typedUsdt}
              set={setUsdt}
            />
          </div>
          <div class="row short">
            <AmountField
              isUnitShown={false}
              label="Fee, if any"
              unit={feeAsset}
              required={false}
              value={typedFee}
              set={setFee}
            />
            <Choice
              label="The fee is in"
              value={feeAsset}
              set={setFeeAsset}
              options={feeAssetsOf(hedge).map((asset) => [asset, asset] as const)}
            />
          </div>
        </>
      )}
      <ReasonField value={reason} set={setReason} />
      {outcome === 'never' && (
        <OldAndNew
          name="The hedge"
          old="open"
          next={`never dealt: the ${showSum(hedge.setAside, hedge.setAsideAsset)} set aside are free again`}
        />
      )}
      {outcome === 'dealt' && deal.amount !== '' && deal.usdt !== '' && (
        <OldAndNew
          name="The hedge"
          old="open"
          next={
            <>
              {`dealt${venueReference && `, order ${venueReference}`}: ${side === 'BUY' ? 'bought' : 'sold'} ${showSum(deal.amount, coin)} for ${showSum(deal.usdt, 'USDT')}, ${deal.fee ? `fee ${showSum(deal.fee.amount, deal.fee.asset)}` : 'no fee'}`}
              <small class="below">{tellSetAside(hedge, deal)}</small>
            </>
          }
        />
      )}
    </Step>
  );
}
