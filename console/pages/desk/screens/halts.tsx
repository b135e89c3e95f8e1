import { operate } from '../operate.ts';
import { OldAndNew, Step } from '../parts/step.tsx';
import type { ExchangeSettings } from '../schema.d.ts';
import { useMay } from '../staff.ts';

const halts = [
  ['tradingHalted', 'trading', 'No order is taken, at once. Reads, deposits and withdrawals go on.'],
  ['withdrawalsHalted', 'withdrawals', 'Nothing is paid out, at once. Reads, deposits and orders go on.'],
] as const;

/** The steps that halt trading and withdrawals, and lift a halt. */
export function HaltSteps({
  settings,
  changed,
}: {
  readonly settings: ExchangeSettings;
  readonly changed: () => void;
}) {
  const may = useMay();
  if (!may('change_settings')) return null;
  return (
    <div class="steps">
      {halts.map(([name, what, meaning]) => {
        const isHalted = settings[name];
        const label = isHalted ? `Lift the halt of ${what}` : `Halt ${what}`;
        return (
          <Step
            key={name}
            danger={!isHalted}
            label={label}
            title={label}
            act={() => operate('patch /settings', { body: { [name]: !isHalted } })}
            done={changed}
          >
            <OldAndNew
              name={`The state of ${what}`}
              old={isHalted ? 'halted' : 'open'}
              next={isHalted ? 'open' : 'halted'}
            />
            <p>{isHalted ? 'Once there are two admins, lifting a halt needs both.' : meaning}</p>
          </Step>
        );
      })}
    </div>
  );
}
