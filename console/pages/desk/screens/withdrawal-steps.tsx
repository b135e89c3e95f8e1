import { useState } from 'preact/hooks';
import { showSum } from '../../format.ts';
import { nameAlone } from '../../networks.ts';
import { Question, TextField } from '../../parts/form.tsx';
import { operate } from '../operate.ts';
import { Grouped } from '../parts/names.tsx';
import { ReasonField, Step } from '../parts/step.tsx';
import type { OperatorWithdrawal, PayoutClaim } from '../schema.d.ts';
import { useMay, useStaff } from '../staff.ts';

interface StepsOf {
  readonly withdrawal: OperatorWithdrawal;
  readonly changed: () => void;
}

/** What can be done with a withdrawal in its state. */
export function WithdrawalSteps({ withdrawal, claim, changed }: StepsOf & { readonly claim: PayoutClaim | undefined }) {
  const may = useMay();
  if (withdrawal.status === 'PENDING' && may('review_withdrawals')) {
    return (
      <div class="steps">
        <Review outcome="approve" withdrawal={withdrawal} changed={changed} />
        <Review outcome="reject" withdrawal={withdrawal} changed={changed} />
      </div>
    );
  }
  if (withdrawal.status !== 'PROCESSING') return null;
  return (
    <div class="steps">
      {may('ask_custodian') && <Look withdrawal={withdrawal} changed={changed} />}
      {may('settle_withdrawals') && <Claim withdrawal={withdrawal} claim={claim} changed={changed} />}
      {may('settle_withdrawals') && <Settle withdrawal={withdrawal} changed={changed} />}
    </div>
  );
}

function nameIt({ amount, asset, network }: OperatorWithdrawal): string {
  return `${showSum(amount, asset)} over ${nameAlone(network)}`;
}

function Review({ outcome, withdrawal, changed }: StepsOf & { readonly outcome: 'approve' | 'reject' }) {
  const [reason, setReason] = useState('');
  const [note, setNote] = useState('');
  const isApproval = outcome === 'approve';
  const name = isApproval ? 'Approve' : 'Reject';
  const path = { id: withdrawal.accountId, withdrawalId: withdrawal.id };
  const body = note.trim() === '' ? { reason } : { reason, note };
  return (
    <Step
      danger={!isApproval}
      main={isApproval}
      label={name}
      title={`${name} ${nameIt(withdrawal)}`}
      act={() => operate(`post /accounts/{id}/withdrawals/{withdrawalId}/${outcome}`, { path, body })}
      done={changed}
    >
      <p>
        {isApproval ? 'The coins leave at once, for' : 'Amount and fee go back to the account. Nothing is sent to'}{' '}
        <code>
          <Grouped address={withdrawal.address} />
        </code>
        .
      </p>
      <ReasonField value={reason} set={setReason} />
      {!isApproval && (
        <TextField
          label="What the holder is told (optional)"
          help="Plain text without links"
          maxLength={200}
          value={note}
          set={setNote}
        />
      )}
    </Step>
  );
}

function Look({ withdrawal, changed }: StepsOf) {
  return (
    <Step
      label="Ask the custodian now"
      title={`Ask the custodian about ${nameIt(withdrawal)}`}
      act={() => operate('post /withdrawals/{id}/look', { path: { id: withdrawal.id } })}
      done={changed}
    >
      <p>Bureau asks the custodian at once, and takes its answer.</p>
    </Step>
  );
}

function Claim({ withdrawal, claim, changed }: StepsOf & { readonly claim: PayoutClaim | undefined }) {
  const { actor } = useStaff();
  const path = { id: withdrawal.accountId, withdrawalId: withdrawal.id };
  if (claim && claim.claimedBy !== actor) return null;
  const name = claim ? 'Give the claim back' : 'Claim it';
  return (
    <Step
      label={name}
      title={`${name}: ${nameIt(withdrawal)}`}
      act={() =>
        claim
          ? operate('delete /accounts/{id}/withdrawals/{withdrawalId}/claim', { path })
          : operate('post /accounts/{id}/withdrawals/{withdrawalId}/claim', { path })
      }
      done={changed}
    >
      <p>{claim ? 'Somebody else can pay it then.' : 'You pay it by hand then, and nobody else does.'}</p>
    </Step>
  );
}

const outcomes = [
  ['failed', 'It failed: amount and fee go back to the account'],
  ['paid', 'It was paid: a transaction sent the coins'],
] as const;

function Settle({ withdrawal, changed }: StepsOf) {
  const [outcome, setOutcome] = useState<'failed' | 'paid'>();
  const [txHash, setHash] = useState('');
  const [reason, setReason] = useState('');
  const path = { id: withdrawal.accountId, withdrawalId: withdrawal.id };
  const body = outcome === 'paid' ? { outcome, txHash, reason } : { outcome: 'failed' as const, reason };
  return (
    <Step
      danger
      needsTwo
      label="Settle it"
      title={`Settle ${nameIt(withdrawal)}`}
      act={() => operate('post /accounts/{id}/withdrawals/{withdrawalId}/settle', { path, body })}
      done={changed}
    >
      <p>Only when the custodian told you what became of it. When in doubt, do neither.</p>
      <Question label="What became of it?" value={outcome} set={setOutcome} options={outcomes} />
      {outcome === 'paid' && <TextField label="Transaction hash" required value={txHash} set={setHash} />}
      <ReasonField value={reason} set={setReason} />
    </Step>
  );
}
