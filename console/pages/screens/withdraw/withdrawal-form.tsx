import { useState } from 'preact/hooks';
import type { Asset, Balance, NewWithdrawal, Ticker } from '../../../../clients/bureau-client/src/operations.ts';
import { readAmount } from '../../amount.ts';
import { add, divide, isGreater, multiply, subtract } from '../../exact.ts';
import { inGroups, showCents, showCoins, showQuantity, showTime } from '../../format.ts';
import { timeOf } from '../../describe-network.ts';
import { nameAlone, nameNetwork } from '../../networks.ts';
import { AmountField } from '../../parts/amount-field.tsx';
import { Choice, Field, Form } from '../../parts/form.tsx';
import { useNamed } from '../../route.ts';
import { useSignedIn } from '../../parts/session.ts';

/** An approved address, as the console shows it. */
export interface Entry {
  readonly id: string;
  readonly network: string;
  readonly address: string;
  readonly label: string;
  readonly usableAt: string;
}

/** A withdrawal as it was written down, with what it costs; it is sent after a second look. */
export interface Draft extends Pick<NewWithdrawal, 'asset' | 'network' | 'address' | 'amount'> {
  readonly fee: string;
  readonly balance: string;
  /** What the amount is worth in USDT; `0` where there is no price. */
  readonly value: string;
  /** The name of an approved address. */
  readonly label: string | undefined;
}

const ANOTHER = '';
const DECIMALS = 18;
/** As exact as something is that follows the price. */
const ROUGH_DECIMALS = 4;

/** What a balance is worth in USDT, for comparing: nothing where there is no price. */
function valueOf(amount: string, asset: string, tickers: readonly Ticker[]): string {
  const price = asset === 'USDT' ? '1' : (tickers.find(({ symbol }) => symbol === asset)?.price ?? '0');
  return multiply(amount, price, DECIMALS);
}

/** What is most likely to be sent: of what one has the most by value; with nothing, the network's own coin. */
function chooseAsset(
  sendable: readonly Asset[],
  network: string | undefined,
  value: (asset: string) => string,
): Asset | undefined {
  const first = sendable.find(({ asset }) => asset === network) ?? sendable[0];
  return sendable.reduce(
    (most, known) => (most && !isGreater(value(known.asset), value(most.asset)) ? most : known),
    first,
  );
}

/** Why an amount cannot be sent, as far as the form knows it. */
function refuseAmount(
  asset: string,
  { minWithdrawal }: Asset['networks'][number],
  balance: string,
  amount: string | undefined,
  total: string | undefined,
): string | undefined {
  if (amount === undefined || total === undefined || balance === '0') return undefined;
  if (isGreater(minWithdrawal, amount)) return `The minimum is ${showCoins(minWithdrawal, asset)}.`;
  return isGreater(total, balance) ? `With the fee that is more than you have.` : undefined;
}

/** Where to, how much, of what. The address book comes first: who sends to the same place again types no address. */
export function WithdrawalForm({
  assets,
  balances,
  tickers,
  entries,
  draft,
  reviewed,
}: {
  readonly assets: readonly Asset[];
  readonly balances: readonly Balance[];
  readonly tickers: readonly Ticker[];
  readonly entries: readonly Entry[];
  readonly draft: Draft | undefined;
  readonly reviewed: (draft: Draft) => void;
}) {
  const { account } = useSignedIn();
  const linked = useNamed('asset');
  const to = useNamed('to');
  const isStrict = account.allowlist.mode === 'strict';
  const usable = entries.filter(({ usableAt }) => !isStrict || Date.parse(usableAt) <= Date.now());
  const cooling = entries.filter((entry) => !usable.includes(entry));
  const takesLinked = ({ network }: Entry) =>
    linked === undefined ||
    assets.some((known) => known.asset === linked && known.networks.some((one) => one.network === network));
  const first = draft
    ? usable.find(({ address, network }) => address === draft.address && network === draft.network)
    : (usable.find(({ id }) => id === to) ?? usable.find(takesLinked) ?? (isStrict ? usable[0] : undefined));
  const [entryId, setEntryId] = useState(first?.id ?? ANOTHER);
  const entry = usable.find(({ id }) => id === entryId);
  const [symbol, setSymbol] = useState<string | undefined>(draft?.asset ?? linked);
  const [chosen, setChosen] = useState<string>(draft?.network ?? '');
  const [written, setWritten] = useState(draft?.address ?? '');
  const [typed, setTyped] = useState(draft?.amount ?? '');
  const takes = (asset: Asset) =>
    asset.networks.some(({ network, withdrawEnabled }) => withdrawEnabled && (!entry || network === entry.network));
  const sendable = assets.filter(takes);
  const balanceOf = (of: string) => balances.find((known) => known.asset === of)?.amount ?? '0';
  const proposed = () => chooseAsset(sendable, entry?.network, (of) => valueOf(balanceOf(of), of, tickers));
  const asset = sendable.find((known) => known.asset === symbol) ?? proposed();
  const networks = (asset?.networks ?? []).filter(({ withdrawEnabled }) => withdrawEnabled);
  const network = networks.find((known) => known.network === (entry?.network ?? chosen)) ?? networks[0];
  if (isStrict && usable.length === 0) {
    return (
      <p class="notice">
        Your account sends to approved addresses alone, and none is ready. <a href="/addresses">Approve one</a>
        {cooling[0] ? `, or wait until ${showTime(cooling[0].usableAt)} for “${cooling[0].label}”.` : '.'}
      </p>
    );
  }
  if (!asset || !network) return <p class="notice">Nothing can be sent to this address at the moment.</p>;
  const balance = balanceOf(asset.asset);
  const isEmpty = balance === '0';
  const { remaining } = account.dailyWithdrawals;
  const price = tickers.find(({ symbol: of }) => of === asset.asset)?.price;
  const { amount } = readAmount(typed);
  const total = amount === undefined ? undefined : add([amount, network.withdrawFee]);
  const isAddress = entry !== undefined || new RegExp(network.addressPattern, 'u').test(written);
  const refusal = refuseAmount(asset.asset, network, balance, amount, total);
  const review = () => {
    if (amount === undefined) return Promise.resolve();
    reviewed({
      asset: asset.asset,
      network: network.network,
      address: entry?.address ?? written,
      label: entry?.label,
      amount,
      fee: network.withdrawFee,
      balance,
      value: valueOf(amount, asset.asset, tickers),
    });
    return Promise.resolve();
  };
  return (
    <section class="card deal">
      <div class="title">
        <h2>Send coins</h2>
        <a href="/addresses">Add an address</a>
      </div>
      <Form act={review} label="Continue">
        {entries.length > 0 && (
          <Choice
            label="To"
            value={entryId}
            set={setEntryId}
            options={[
              ...usable.map(({ id, label, network: of }) => [id, `${label}, on ${nameAlone(of)}`] as const),
              ...(isStrict ? [] : [[ANOTHER, 'Another address …'] as const]),
            ]}
          />
        )}
        {cooling.length > 0 && (
          <p class="quiet">
            {cooling.map(({ label, usableAt }) => `“${label}” can be used from ${showTime(usableAt)}`).join('; ')}.
          </p>
        )}
        {entry && (
          <p class="boxed">
            <code>{inGroups(entry.address)}</code>
          </p>
        )}
        <div class="row">
          <Choice
            label="Asset"
            value={asset.asset}
            set={setSymbol}
            options={sendable.map(
              (known) =>
                [
                  known.asset,
                  `${known.asset}, ${known.name}: ${showQuantity(balanceOf(known.asset), known.asset)}`,
                ] as const,
            )}
          />
          {!entry && (
            <Choice
              label="Network"
              value={network.network}
              set={setChosen}
              options={networks.map((known) => [known.network as string, nameNetwork(known.network)] as const)}
            />
          )}
        </div>
        {!entry && (
          <Field
            label={`Address on ${network.network}`}
            fault={written === '' || isAddress ? undefined : `This is no address of ${nameNetwork(network.network)}.`}
          >
            {(named) => (
              <input
                {...named}
                autoComplete="off"
                spellcheck={false}
                required
                value={written}
                onInput={(event) => setWritten(event.currentTarget.value.trim())}
              />
            )}
          </Field>
        )}
        <AmountField
          label="Amount to send"
          unit={asset.asset}
          value={typed}
          set={setTyped}
          fills={isEmpty ? [] : [{ label: 'Max', value: subtract(balance, network.withdrawFee) }]}
          fault={refusal}
        />
        {isEmpty && (
          <p class="notice">
            You have no {asset.asset}, so there is nothing to send.{' '}
            <a href={`/deposit?asset=${asset.asset}`}>Deposit</a> some, or choose another asset.
          </p>
        )}
        <dl>
          <dt>Available</dt>
          <dd>{showCoins(balance, asset.asset)}</dd>
          <dt>Minimum</dt>
          <dd>{showCoins(network.minWithdrawal, asset.asset)}</dd>
          <dt>Left of your daily limit</dt>
          <dd>
            {showCents(remaining, 'down')} USDT
            {asset.asset !== 'USDT' && price !== undefined && (
              <small>about {showCoins(divide(remaining, price, ROUGH_DECIMALS), asset.asset)}</small>
            )}
          </dd>
        </dl>
        <dl>
          <dt>Fee, on top</dt>
          <dd>{showCoins(network.withdrawFee, asset.asset)}</dd>
          <dt>You pay in total</dt>
          <dd>{total === undefined ? '–' : <strong>{showCoins(total, asset.asset)}</strong>}</dd>
          <dt>Arrives in</dt>
          <dd>about {timeOf(network.network)}</dd>
        </dl>
      </Form>
    </section>
  );
}
