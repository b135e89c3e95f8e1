import { assetSymbols } from '../../parts/coin.tsx';
import { useState } from 'preact/hooks';
import { useLoaded } from '../../load.ts';
import { type Network, networks } from '../../networks.ts';
import { LinesField, TextField } from '../../parts/form.tsx';
import { Shown } from '../../parts/notice.tsx';
import { operate } from '../operate.ts';
import { State, Time } from '../parts/names.tsx';
import { Facts, Records } from '../parts/records.tsx';
import { Step } from '../parts/step.tsx';
import type { ExchangeSettings } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import { ChangeStep, type SettingsPart } from './change-step.tsx';
import { HaltSteps } from './halts.tsx';

type Asset = ExchangeSettings['pausedDeposits']['assets'][number];

/** What can be switched off and on: the exchange, a coin, a network; and what all holders are told. */
export function Switches() {
  const { loaded, reload } = useLoaded(async () => (await operate('get /settings')).settings);
  return (
    <>
      <div class="top">
        <h1>Switches</h1>
        <a href="/desk/audit?action=change_settings">Who switched what</a>
      </div>
      <Shown loaded={loaded}>
        {(settings) => (
          <>
            <section class="card">
              <h2>The whole exchange</h2>
              <Facts
                of={[
                  ['Trading', <Open key="t" isOpen={!settings.tradingHalted} />],
                  ['Withdrawals', <Open key="w" isOpen={!settings.withdrawalsHalted} />],
                ]}
              />
              <HaltSteps settings={settings} changed={reload} />
            </section>
            <NoticeCard settings={settings} changed={reload} />
            <Coins settings={settings} changed={reload} />
            <Networks settings={settings} changed={reload} />
          </>
        )}
      </Shown>
    </>
  );
}

function Open({ isOpen }: { readonly isOpen: boolean }) {
  return <State of={isOpen ? 'OK' : 'HALTED'} words={isOpen ? 'open' : 'off'} />;
}

/** The names with this one among them if it was not, and without it if it was. */
function toggle<Name extends string>(names: readonly Name[], name: Name): Name[] {
  return names.includes(name) ? names.filter((one) => one !== name) : [...names, name];
}

function Coins({ settings, changed }: SettingsPart) {
  const may = useMay();
  const { haltedCoins, pausedDeposits } = settings;
  const isTraded = (asset: Asset) => asset === 'USDT' || !haltedCoins.includes(asset);
  const takesDeposits = (asset: Asset) => !pausedDeposits.assets.includes(asset);
  return (
    <section class="card">
      <h2>Coins</h2>
      <p class="quiet">A coin that is not traded is still held, deposited and withdrawn.</p>
      <Records
        label="Coins"
        rows={assetSymbols}
        keyOf={(asset) => asset}
        columns={[
          { name: 'Coin', show: (asset) => asset },
          {
            name: 'Trading',
            show: (asset) => (asset === 'USDT' ? '–' : <Open isOpen={isTraded(asset)} />),
          },
          { name: 'Deposits', show: (asset) => <Open isOpen={takesDeposits(asset)} /> },
          ...(may('change_settings')
            ? [
                {
                  name: 'Switch',
                  show: (asset: Asset) => (
                    <div class="steps">
                      {asset !== 'USDT' && (
                        <ChangeStep
                          settings={settings}
                          changed={changed}
                          label={isTraded(asset) ? 'Halt' : `Trade ${asset} again`}
                          about={isTraded(asset) ? asset : undefined}
                          change={{ haltedCoins: toggle(haltedCoins, asset) }}
                        />
                      )}
                      <ChangeStep
                        settings={settings}
                        changed={changed}
                        label={takesDeposits(asset) ? 'Pause deposits' : `Take deposits of ${asset} again`}
                        about={takesDeposits(asset) ? `of ${asset}` : undefined}
                        change={{ pausedDeposits: { ...pausedDeposits, assets: toggle(pausedDeposits.assets, asset) } }}
                      />
                    </div>
                  ),
                },
              ]
            : []),
        ]}
        empty=""
      />
    </section>
  );
}

function Networks({ settings, changed }: SettingsPart) {
  const may = useMay();
  const { pausedNetworks, pausedDeposits } = settings;
  const pays = (network: Network) => !pausedNetworks.includes(network);
  const takesDeposits = (network: Network) => !pausedDeposits.networks.includes(network);
  return (
    <section class="card">
      <h2>Networks</h2>
      <p class="quiet">A deposit that arrives over a paused network all the same is credited.</p>
      <Records
        label="Networks"
        rows={networks}
        keyOf={(network) => network}
        columns={[
          { name: 'Network', show: (network) => network },
          { name: 'Deposits', show: (network) => <Open isOpen={takesDeposits(network)} /> },
          { name: 'Withdrawals', show: (network) => <Open isOpen={pays(network)} /> },
          ...(may('change_settings')
            ? [
                {
                  name: 'Switch',
                  show: (network: Network) => (
                    <div class="steps">
                      <ChangeStep
                        settings={settings}
                        changed={changed}
                        label={takesDeposits(network) ? 'Pause deposits' : `Take deposits over ${network}`}
                        about={takesDeposits(network) ? `over ${network}` : undefined}
                        change={{
                          pausedDeposits: { ...pausedDeposits, networks: toggle(pausedDeposits.networks, network) },
                        }}
                      />
                      <ChangeStep
                        settings={settings}
                        changed={changed}
                        label={pays(network) ? 'Pause withdrawals' : `Pay over ${network} again`}
                        about={pays(network) ? `over ${network}` : undefined}
                        change={{ pausedNetworks: toggle(pausedNetworks, network) }}
                      />
                    </div>
                  ),
                },
              ]
            : []),
        ]}
        empty=""
      />
    </section>
  );
}

function NoticeCard({ settings: { notice }, changed }: SettingsPart) {
  const may = useMay();
  return (
    <section class="card">
      <h2>Notice to all holders</h2>
      {notice === null ? (
        <p class="empty">Holders are told nothing. A notice is shown above every page of the console.</p>
      ) : (
        <>
          <blockquote>{notice.text}</blockquote>
          <p class="quiet">
            Shown from <Time iso={notice.from} /> until <Time iso={notice.until} />.
          </p>
        </>
      )}
      {may('change_settings') && (
        <div class="steps">
          <WriteNotice changed={changed} />
          {notice !== null && (
            <Step
              label="Take the notice away"
              title="Take the notice away"
              act={() => operate('patch /settings', { body: { notice: null } })}
              done={changed}
            >
              <blockquote>{notice.text}</blockquote>
              <p>It is gone from the console within a minute.</p>
            </Step>
          )}
        </div>
      )}
    </section>
  );
}

const HOUR_MS = 3_600_000;
const SHOWN_HOURS = 24;

/** A time as a field of the page takes it: without a zone, in that of the reader. */
function toField(time_ms: number): string {
  return new Date(time_ms - new Date(time_ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function WriteNotice({ changed }: { readonly changed: () => void }) {
  const [text, setText] = useState('');
  const [from, setFrom] = useState(() => toField(Date.now()));
  const [until, setUntil] = useState(() => toField(Date.now() + SHOWN_HOURS * HOUR_MS));
  const act = () =>
    operate('patch /settings', {
      body: { notice: { text, from: new Date(from).toISOString(), until: new Date(until).toISOString() } },
    });
  return (
    <Step label="Write a notice" title="Write a notice to all holders" act={act} done={changed}>
      <p>Plain text without links. It takes the place of the one before. Once there are two admins it needs both.</p>
      <LinesField label="What holders are told" required maxLength={500} value={text} set={setText} />
      <TextField label="From, in your time" type="datetime-local" required value={from} set={setFrom} />
      <TextField label="Until, in your time" type="datetime-local" required value={until} set={setUntil} />
    </Step>
  );
}
