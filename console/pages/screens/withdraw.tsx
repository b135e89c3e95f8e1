import { useEffect, useState } from 'preact/hooks';
import { api, ask } from '../ask.ts';
import { showAmount, showTime } from '../format.ts';
import { useLoaded } from '../load.ts';
import { Choice, Field, Form, TextField } from '../parts/form.tsx';
import { Shown } from '../parts/notice.tsx';
import { useSignedIn } from '../parts/session.ts';
import { withPasskey } from '../passkey.ts';
import { reasonsOf, statesOf } from '../withdrawal-states.ts';

const EVERY_MS = 5_000;

/** An approved address, as the console shows it. */
export interface Entry {
  readonly id: string;
  readonly network: string;
  readonly address: string;
  readonly label: string;
  readonly usableAt: string;
}

type WithdrawalRequest = Parameters<typeof api.createWithdrawal>[0];

async function read() {
  const [{ assets }, { balances }, { entries }] = await Promise.all([
    api.listAssets(),
    api.listBalances(),
    ask<{ entries: Entry[] }>('GET', '/account/addresses'),
  ]);
  return { assets, balances, entries };
}

/** Sending coins out, and what became of earlier withdrawals. */
export function Withdraw() {
  const { account } = useSignedIn();
  const { loaded, reload } = useLoaded(read);
  return (
    <>
      {account.totp.enabled ? (
        <Shown loaded={loaded}>{(known) => <WithdrawalForm {...known} sent={reload} />}</Shown>
      ) : (
        <p class="notice">
          <a href="/security">Switch two-factor authentication on</a> first: the console sends no withdrawal without it.
        </p>
      )}
      <Sent />
    </>
  );
}

function WithdrawalForm({
  assets,
  balances,
  entries,
  sent,
}: Awaited<ReturnType<typeof read>> & { readonly sent: () => void }) {
  const { account, reload } = useSignedIn();
  const [symbol, setSymbol] = useState<WithdrawalRequest['asset']>('USDT');
  const asset = assets.find((known) => known.asset === symbol);
  const networks = (asset?.networks ?? []).filter(({ withdrawEnabled }) => withdrawEnabled);
  const [chosen, setChosen] = useState('');
  const network = networks.find((known) => known.network === chosen) ?? networks[0];
  const [address, setAddress] = useState('');
  const [amount, setAmount] = useState('');
  const [totpCode, setTotpCode] = useState('');
  const [intent, setIntent] = useState(() => crypto.randomUUID());
  useEffect(() => setIntent(crypto.randomUUID()), [symbol, chosen, address, amount]);
  const balance = balances.find((known) => known.asset === symbol)?.amount ?? '0';
  const approved = entries.filter((entry) => entry.network === network?.network);
  const send = async () => {
    const wanted = { asset: symbol, network: network?.network ?? '', amount, address, totpCode };
    await withPasskey(() => api.createWithdrawal(wanted, { idempotencyKey: intent }));
    setIntent(crypto.randomUUID());
    setAmount('');
    setTotpCode('');
    sent();
    reload();
  };
  return (
    <section class="card">
      <Form act={send} label={`Send ${symbol} over ${network?.network ?? ''}`}>
        <div class="row">
          <Choice
            label="Asset"
            value={symbol}
            set={setSymbol}
            options={assets.map((known) => [known.asset, `${known.asset}, ${known.name}`] as const)}
          />
          <Choice
            label="Network"
            value={network?.network ?? ''}
            set={setChosen}
            options={networks.map((known) => [known.network as string, known.network] as const)}
          />
        </div>
        <Field
          label={`Address on ${network?.network ?? 'the network'}`}
          help={
            account.allowlist.mode === 'strict'
              ? 'Only approved addresses, once they have cooled. Approve one under Security.'
              : undefined
          }
        >
          {(named) => (
            <>
              <input
                {...named}
                list="approved"
                autoComplete="off"
                spellcheck={false}
                required
                value={address}
                onInput={(event) => setAddress(event.currentTarget.value.trim())}
              />
              <datalist id="approved">
                {approved.map((entry) => (
                  <option key={entry.id} value={entry.address}>
                    {entry.label}
                  </option>
                ))}
              </datalist>
            </>
          )}
        </Field>
        <TextField
          label={`Amount of ${symbol} that the address gets`}
          help={`You hold ${showAmount(balance)}. The smallest is ${showAmount(network?.minWithdrawal ?? '0')}, and the fee is ${showAmount(network?.withdrawFee ?? '0')} on top.`}
          inputMode="decimal"
          autoComplete="off"
          required
          value={amount}
          set={setAmount}
        />
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
        <p class="quiet">
          Left of your limit of 24 hours: {showAmount(account.dailyWithdrawals.remaining)} of{' '}
          {showAmount(account.dailyWithdrawals.limit)} USDT.
        </p>
      </Form>
    </section>
  );
}

function Sent() {
  const { loaded } = useLoaded(() => api.listWithdrawals({ limit: 20 }), EVERY_MS);
  return (
    <section class="card">
      <h2>Your withdrawals</h2>
      <Shown loaded={loaded}>
        {({ withdrawals }) =>
          withdrawals.length === 0 ? (
            <p>There are none yet.</p>
          ) : (
            <ul class="plain">
              {withdrawals.map((row) => (
                <li key={row.id}>
                  <span>
                    {showAmount(row.amount)} {row.asset} over {row.network} to <code>{row.address}</code>
                  </span>
                  <span>
                    {statesOf[row.status]}
                    {row.reason != null && `. ${reasonsOf[row.reason]}`}
                    {row.txHash !== null && (
                      <>
                        {' '}
                        as <code>{row.txHash}</code>
                      </>
                    )}
                  </span>
                  <time dateTime={row.ts}>{showTime(row.ts)}</time>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}
