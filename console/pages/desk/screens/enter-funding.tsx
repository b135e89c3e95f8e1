import { useState } from 'preact/hooks';
import { readAmount } from '../../amount.ts';
import { add, subtract } from '../../exact.ts';
import { showAmount } from '../../format.ts';
import { AmountField } from '../../parts/amount-field.tsx';
import { TextField } from '../../parts/form.tsx';
import { operate } from '../operate.ts';
import { OldAndNew, Step } from '../parts/step.tsx';
import type { CreateFunding } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import type { Move } from './venue-matters.tsx';

/** Enters money of the house that a person has moved between custody and a venue. */
export function EnterFunding({
  move,
  held,
  ledgers,
  done,
}: {
  readonly move: Move;
  /** What the ledgers say that each of the two places holds. */
  readonly held: Readonly<Record<string, string>>;
  /** How many ledgers there are. */
  readonly ledgers: number;
  readonly done: () => void;
}) {
  const may = useMay();
  const [ledger, setLedger] = useState('0');
  const [typed, setTyped] = useState(move.amount);
  const [reference, setReference] = useState('');
  if (!may('fund_house')) return null;
  const { amount = '' } = readAmount(typed);
  const funding: CreateFunding = { ...move, ledger: Number(ledger), amount, reference: reference.trim() };
  return (
    <Step
      needsTwo
      label="Record the move"
      title={`Record a move from ${move.from} to ${move.to}`}
      act={() => operate('post /fundings', { body: funding })}
      done={done}
    >
      <p>
        Move it first, at the venue and with the custodian. Then record it here, so that the ledger agrees with them.
      </p>
      <div class="row">
        <AmountField label="Amount" unit={move.asset} value={typed} set={setTyped} />
        {ledgers > 1 && (
          <TextField label="Ledger" inputMode="numeric" pattern="\d{1,4}" required value={ledger} set={setLedger} />
        )}
      </div>
      <TextField
        label="Transaction hash or other reference (required)"
        help="Without spaces. A reference can be used only once."
        required
        autofocus
        maxLength={100}
        pattern="[!-~]+"
        value={reference}
        set={setReference}
      />
      {amount !== '' &&
        [move.from, move.to].map((place) => {
          const old = held[place] ?? '0';
          const next = place === move.from ? subtract(old, amount) : add([old, amount]);
          return (
            <OldAndNew
              key={place}
              name={`${move.asset} ${place === 'custody' ? 'in custody' : `at venue ${place}`}`}
              old={showAmount(old)}
              next={showAmount(next)}
            />
          );
        })}
    </Step>
  );
}
