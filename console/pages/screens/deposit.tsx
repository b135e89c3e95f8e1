import { useState } from 'preact/hooks';
import { api } from '../api.ts';
import { inGroups, shorten, showCoins, showRecent } from '../format.ts';
import { useNamed } from '../route.ts';
import { useLoaded } from '../load.ts';
import { describeNetwork, timeOf } from '../describe-network.ts';
import { nameNetwork } from '../networks.ts';
import { TransactionLink } from '../parts/transaction-link.tsx';
import { Folded } from '../parts/folded.tsx';
import { Choice } from '../parts/form.tsx';
import { Item } from '../parts/item.tsx';
import { Pill } from '../parts/pill.tsx';
import { Copied } from '../parts/copy.tsx';
import { None } from '../parts/none.tsx';
import { Shown } from '../parts/notice.tsx';
import { QrCode } from '../parts/qr.tsx';

const EVERY_MS = 10_000;

async function read() {
  const [{ assets }, { addresses }] = await Promise.all([api.listAssets(), api.listAddresses()]);
  return { assets, addresses };
}

/** Where to send an asset on a network, and the deposits that are under way. */
export function Deposit() {
  const { loaded } = useLoaded(read);
  return (
    <div class="split">
      <Shown loaded={loaded}>{(known) => <WhereTo {...known} />}</Shown>
      <UnderWay />
    </div>
  );
}

function WhereTo({ assets, addresses }: Awaited<ReturnType<typeof read>>) {
  const linked = useNamed('asset');
  const [symbol, setSymbol] = useState<string>(linked ?? 'USDT');
  const asset = assets.find((known) => known.asset === symbol);
  const networks = asset?.networks ?? [];
  const [wanted, setWanted] = useState('');
  const network =
    networks.find((known) => known.network === wanted) ??
    networks.find(({ depositEnabled }) => depositEnabled) ??
    networks[0];
  const address = network?.depositEnabled
    ? addresses.find((known) => known.network === network.network)?.address
    : undefined;
  return (
    <section class="card">
      <div class="row">
        <Choice
          label="Asset"
          value={symbol}
          set={setSymbol}
          options={assets.map((known) => [known.asset as string, `${known.asset}, ${known.name}`] as const)}
        />
        <Choice
          label="Network"
          value={network?.network ?? ''}
          set={setWanted}
          options={networks.map((known) => [known.network as string, nameNetwork(known.network)] as const)}
        />
      </div>
      {network && address ? (
        <>
          <p class="quiet">{describeNetwork(network.network)}</p>
          <p class="notice warn">
            Send only <strong>{symbol}</strong> over <strong>{nameNetwork(network.network)}</strong> to this address.
            Another coin, or {symbol} over another network, may be lost.
          </p>
          <QrCode text={address} label={`The ${network.network} address as a QR code`} />
          <div class="field">
            <span class="quiet">
              Your {symbol} address on {nameNetwork(network.network)}
            </span>
            <Copied isMain text={address} shown={inGroups(address)} label="the address" />
          </div>
          <div class="on-telephone">
            <Folded label="Show the QR code">
              <QrCode text={address} label={`The ${network.network} address as a QR code`} />
            </Folded>
          </div>
          <dl class="known">
            <dt>Minimum</dt>
            <dd>
              {showCoins(network.minDeposit, symbol)} <small>(less is not credited)</small>
            </dd>
            <dt>Credited after</dt>
            <dd>
              about {timeOf(network.network)} <small>({network.confirmations} confirmations)</small>
            </dd>
            {network.contractAddress !== null && (
              <>
                <dt>Token’s contract</dt>
                <dd>
                  <Copied
                    isBeside
                    text={network.contractAddress}
                    shown={shorten(network.contractAddress)}
                    label="the token’s contract"
                  />
                </dd>
              </>
            )}
          </dl>
        </>
      ) : (
        <p class="notice warn">
          {network?.depositEnabled ? (
            `Your address on ${network.network} is still being made. Come back in a few minutes.`
          ) : network?.deposits === 'UNSERVED' ? (
            `Nobody watches ${network.network} here, so a deposit over it would not be seen. Choose another network.`
          ) : (
            <>
              <strong>
                Deposits of {symbol}
                {network && network.network !== symbol && ` over ${nameNetwork(network.network)}`} are paused.
              </strong>{' '}
              Do not send {symbol} now. What is already on its way will still be credited.
              {networks.some(({ depositEnabled }) => depositEnabled)
                ? ' You can deposit over its other networks.'
                : ' You can deposit other assets.'}
            </>
          )}
        </p>
      )}
    </section>
  );
}

function UnderWay() {
  const { loaded } = useLoaded(() => api.listDeposits({ limit: 10 }), EVERY_MS);
  return (
    <section class="card">
      <h2>Your deposits</h2>
      <Shown loaded={loaded}>
        {({ deposits }) =>
          deposits.length === 0 ? (
            <None title="No deposits yet">A deposit appears here as soon as it is seen on its network.</None>
          ) : (
            <ul class="plain">
              {deposits.map((row) => (
                <Item
                  key={row.id}
                  asset={row.asset}
                  title={`${showCoins(row.amount, row.asset)}${row.network === null ? '' : ` over ${nameNetwork(row.network)}`}`}
                  about={
                    <>
                      <time dateTime={row.ts}>{showRecent(row.ts)}</time>
                      {row.network === null && ', credited by the exchange'}
                      {row.network != null && row.txHash != null && (
                        <>
                          <br />
                          <TransactionLink network={row.network} txHash={row.txHash} />
                        </>
                      )}
                    </>
                  }
                  end={
                    <Pill
                      status={row.status}
                      words={{ PENDING: 'On its way', COMPLETED: 'Credited', FAILED: 'Not credited' }[row.status]}
                    />
                  }
                  below={
                    row.status === 'PENDING'
                      ? `${row.confirmations ?? 0} of ${row.confirmationsNeeded ?? 0} confirmations; it is credited then`
                      : undefined
                  }
                />
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}
