import { useState } from 'preact/hooks';
import { showAmount } from '../../format.ts';
import { TextField } from '../../parts/form.tsx';
import { operate } from '../operate.ts';
import { Step } from '../parts/step.tsx';
import type { CreateFunding, Venue } from '../schema.d.ts';
import { useMay } from '../staff.ts';

export type Move = Venue['toMove'][number];

const placeOf = (name: string) => (name === 'custody' ? name : `venue ${name}`);

/** Money of the house that is to be moved, in words. */
export function tellMove({ asset, amount, from, to }: Move): string {
  return `Move ${showAmount(amount)} ${asset} from ${placeOf(from)} to ${placeOf(to)}`;
}

/** Enters money of the house that a person has moved between custody and a venue. */
export function EnterFunding({ move, done }: { readonly move: Move; readonly done: () => void }) {
  const may = useMay();
  const [ledger, setLedger] = useState('0');
  const [amount, setAmount] = useState(move.amount);
  const [reference, setReference] = useState('');
  if (!may('fund_house')) return null;
  const funding: CreateFunding = {
    ...move,
    ledger: Number(ledger),
    amount: amount.trim(),
    reference: reference.trim(),
  };
  return (
    <Step
      label="Enter what was moved"
      title={`Moved from ${placeOf(move.from)} to ${placeOf(move.to)}`}
      act={() => operate('post /fundings', { body: funding })}
      done={done}
    >
      <p>Move it first, at the venue and with the custodian. Here the ledger is told that it was moved.</p>
      <div class="row">
        <TextField label={`Amount of ${move.asset}`} inputMode="decimal" required value={amount} set={setAmount} />
        <TextField label="Ledger" inputMode="numeric" pattern="\d{1,4}" required value={ledger} set={setLedger} />
      </div>
      <TextField
        label="Reference, such as the hash of the transaction"
        help="Letters, digits and signs, without spaces. Each is entered once."
        required
        maxLength={100}
        pattern="[!-~]+"
        value={reference}
        set={setReference}
      />
    </Step>
  );
}
