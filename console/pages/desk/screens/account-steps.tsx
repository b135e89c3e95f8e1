import { useState } from 'preact/hooks';
import { readAmount } from '../../amount.ts';
import { isGreater } from '../../exact.ts';
import { showAmount } from '../../format.ts';
import { AmountField } from '../../parts/amount-field.tsx';
import { Choice, TextField } from '../../parts/form.tsx';
import { operate } from '../operate.ts';
import { Facts } from '../parts/records.tsx';
import { OldAndNew, ReasonField, Step } from '../parts/step.tsx';
import type { CreateCredit } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import type { AccountView } from './account-view.ts';

/** What can be done with an account, by whom it may be done. */
export function AccountSteps({ account, changed }: AccountView) {
  const may = useMay();
  const isFrozen = account.status === 'frozen';
  return (
    <div class="steps">
      {may('credit') && <Credit account={account} changed={changed} />}
      {may('set_limits') && <SetLimit account={account} changed={changed} />}
      {may(isFrozen ? 'thaw_accounts' : 'freeze_accounts') && <Freeze account={account} changed={changed} />}
    </div>
  );
}

function Freeze({ account: { id, label, status }, changed }: AccountView) {
  const [reason, setReason] = useState('');
  const isFrozen = status === 'frozen';
  const [name, next] = isFrozen ? (['Unfreeze', 'active'] as const) : (['Freeze', 'frozen'] as const);
  return (
    <Step
      danger={!isFrozen}
      label={name}
      title={`${name} ${label}`}
      act={() => operate('patch /accounts/{id}', { path: { id }, body: { status: next, reason } })}
      done={() => {
        setReason('');
        changed();
      }}
    >
      {isFrozen ? (
        <p>
          The holder and the API keys trade and withdraw again, at once. Payouts that were held follow within an hour.
        </p>
      ) : (
        <>
          <Facts
            of={[
              ['Stops', 'Trading, withdrawals, approvals of withdrawals, new payouts.'],
              [
                'Still works',
                'Signing in to look, API keys that read, deposits, payouts that the custodian already has.',
              ],
            ]}
          />
          <p>The account can be unfrozen at any time.</p>
        </>
      )}
      <ReasonField value={reason} set={setReason} />
    </Step>
  );
}

function SetLimit({ account: { id, label, dailyWithdrawalLimit }, changed }: AccountView) {
  const [reason, setReason] = useState('');
  const [limit, setLimit] = useState(dailyWithdrawalLimit);
  return (
    <Step
      label="Set the limit"
      title={`Set the daily limit of ${label}`}
      needsTwo={isGreater(readAmount(limit).amount ?? '0', dailyWithdrawalLimit)}
      isReady={limit !== dailyWithdrawalLimit}
      act={() => operate('patch /accounts/{id}', { path: { id }, body: { dailyWithdrawalLimit: limit, reason } })}
      done={() => {
        setReason('');
        changed();
      }}
    >
      <p>How much the account may withdraw in any 24 hours.</p>
      <TextField label="Daily limit" unit="USDT" inputMode="decimal" required value={limit} set={setLimit} />
      <ReasonField value={reason} set={setReason} />
      {limit !== dailyWithdrawalLimit && (
        <OldAndNew name="Daily limit, USDT" old={showAmount(dailyWithdrawalLimit)} next={showAmount(limit)} />
      )}
    </Step>
  );
}

type Asset = CreateCredit['asset'];

function Credit({ account: { id, label, balances }, changed }: AccountView) {
  const [asset, setAsset] = useState<Asset>('USDT');
  const [typed, setTyped] = useState('');
  const [reference, setReference] = useState('');
  const { amount = '' } = readAmount(typed);
  return (
    <Step
      label="Credit by hand"
      title={`Credit ${label} by hand`}
      act={() => operate('post /accounts/{id}/credits', { path: { id }, body: { asset, amount, reference } })}
      done={() => {
        setTyped('');
        setReference('');
        changed();
      }}
    >
      <p>For money that no chain shows. The same reference credits once, however often it is sent.</p>
      <Choice
        label="Asset"
        value={asset}
        set={setAsset}
        options={balances.map((balance) => [balance.asset as Asset, balance.asset] as const)}
      />
      <AmountField label={`Amount of ${asset}`} unit={asset} value={typed} set={setTyped} />
      <TextField
        label="Reference"
        help="Such as the number of the wire"
        required
        value={reference}
        set={setReference}
      />
    </Step>
  );
}
