import { useEffect, useRef, useState } from 'preact/hooks';
import type { Withdrawal } from '../../../../clients/bureau-client/src/operations.ts';
import { api } from '../../ask.ts';
import { add, subtract } from '../../exact.ts';
import { inGroups, showCoins } from '../../format.ts';
import { nameNetwork, timeOf } from '../../networks.ts';
import { Form, TextField } from '../../parts/form.tsx';
import { withPasskey } from '../../passkey.ts';
import type { Draft } from './withdrawal-form.tsx';

const DECIMALS = 18;

/** A withdrawal once more, whole, before it is sent: what leaves cannot be called back. */
export function Review({
  draft,
  back,
  sent,
}: {
  readonly draft: Draft;
  readonly back: () => void;
  readonly sent: (withdrawal: Withdrawal) => void;
}) {
  const { asset, network, address, amount, fee, balance, label } = draft;
  const [totpCode, setTotpCode] = useState('');
  // One for each draft: the same one sent twice leaves once.
  const [intent] = useState(() => crypto.randomUUID());
  // The form is gone, and with it the place where somebody was.
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const total = add([amount, fee], DECIMALS);
  const send = async () => {
    const wanted = { asset, network, amount, address, totpCode };
    const { withdrawal } = await withPasskey(() => api.createWithdrawal(wanted, { idempotencyKey: intent }));
    sent(withdrawal);
  };
  return (
    <section class="card deal" aria-label="Review">
      <h2 ref={heading} tabIndex={-1}>
        Is this right?
      </h2>
      <div>
        <p class="quiet">To{label !== undefined && <strong> {label}</strong>}</p>
        <code class="boxed whole">{inGroups(address)}</code>
      </div>
      <div class="split">
        <dl>
          <dt>Network</dt>
          <dd>{nameNetwork(network)}</dd>
          <dt>It gets</dt>
          <dd>{showCoins(amount, asset)}</dd>
          <dt>Fee</dt>
          <dd>{showCoins(fee, asset)}</dd>
          <dt>You pay in all</dt>
          <dd>
            <strong>{showCoins(total, asset)}</strong>
          </dd>
          <dt>You keep</dt>
          <dd>{showCoins(subtract(balance, total), asset)}</dd>
          <dt>Arrives</dt>
          <dd>in about {timeOf(network)}, once it is sent</dd>
        </dl>
        <div>
          <Form act={send} label={`Send ${showCoins(amount, asset)}`}>
            <p class="notice">
              <strong>What is sent cannot be called back.</strong> Compare the whole address with where you have it
              from.
            </p>
            <TextField
              label="Code of your authenticator app"
              inputMode="numeric"
              autoComplete="one-time-code"
              pattern="\d{6}"
              maxLength={6}
              required
              value={totpCode}
              set={setTotpCode}
            />
          </Form>
          <button type="button" class="link" onClick={back}>
            Change it
          </button>
        </div>
      </div>
    </section>
  );
}
