import { useEffect, useRef, useState } from 'preact/hooks';
import type { Withdrawal } from '../../../../clients/bureau-client/src/operations.ts';
import { api } from '../../api.ts';
import { add, subtract } from '../../exact.ts';
import { inGroups, showCents, showCoins } from '../../format.ts';
import { timeOf } from '../../describe-network.ts';
import { nameAlone } from '../../networks.ts';
import { Form, TextField } from '../../parts/form.tsx';
import { withPasskey } from '../../passkey.ts';
import type { Draft } from './withdrawal-form.tsx';

/** A withdrawal once more, whole, before it is sent: what leaves cannot be undone. */
export function Review({
  draft,
  back,
  sent,
}: {
  readonly draft: Draft;
  readonly back: () => void;
  readonly sent: (withdrawal: Withdrawal) => void;
}) {
  const { asset, network, address, amount, fee, balance, value, label } = draft;
  const [totpCode, setTotpCode] = useState('');
  // One for each draft: the same one sent twice leaves once.
  const [intent] = useState(() => crypto.randomUUID());
  // The form is gone, and with it the place where somebody was.
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const total = add([amount, fee]);
  const send = async () => {
    const wanted = { asset, network, amount, address, totpCode };
    const { withdrawal } = await withPasskey(() => api.createWithdrawal(wanted, { idempotencyKey: intent }));
    sent(withdrawal);
  };
  return (
    <section class="card deal review" aria-label="Review">
      <h2 ref={heading} tabIndex={-1}>
        Check and send
      </h2>
      <p>
        <span class="figure">{showCoins(amount, asset)}</span>
        {asset !== 'USDT' && value !== '0' && <span class="quiet"> about {showCents(value)} USDT</span>}
      </p>
      <div>
        <p>To{label !== undefined && <strong> {label}</strong>}</p>
        <code class="boxed whole">{inGroups(address)}</code>
      </div>
      <p class="notice warn">
        <strong>This cannot be undone.</strong> Check the whole address.
      </p>
      <dl>
        <dt>Network</dt>
        <dd>{nameAlone(network)}</dd>
        <dt>Fee, on top</dt>
        <dd>{showCoins(fee, asset)}</dd>
        <dt>You pay in total</dt>
        <dd>
          <strong>{showCoins(total, asset)}</strong>
        </dd>
        <dt>Balance after</dt>
        <dd>{showCoins(subtract(balance, total), asset)}</dd>
        <dt>Arrives in</dt>
        <dd>about {timeOf(network)}</dd>
      </dl>
      <Form
        act={send}
        label={`Send ${showCoins(amount, asset)}`}
        beside={
          <button type="button" onClick={back}>
            Back
          </button>
        }
      >
        <TextField
          label="6-digit code from your authenticator app"
          help="Next, you confirm with your passkey."
          inputMode="numeric"
          autoComplete="one-time-code"
          pattern="\d{6}"
          maxLength={6}
          required
          value={totpCode}
          set={setTotpCode}
        />
      </Form>
    </section>
  );
}
