import { assetSymbols } from '../../parts/coin.tsx';
import { useState } from 'preact/hooks';
import { useLoaded } from '../../load.ts';
import { networks } from '../../networks.ts';
import { LinesField, TextField } from '../../parts/form.tsx';
import { Shown } from '../../parts/notice.tsx';
import { operate } from '../operate.ts';
import { State, Time } from '../parts/names.tsx';
import { Matters } from '../parts/matters.tsx';
import { Facts, Records } from '../parts/records.tsx';
import { Step } from '../parts/step.tsx';
import type { ExchangeSettings } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import { ChangeStep, type SettingsPart } from './change-step.tsx';
import { HaltSteps } from './halts.tsx';
import {
  type Toggled,
  listToggles,
  toggleDepositsOf,
  toggleDepositsOver,
  toggleTrading,
  toggleWithdrawalsOver,
} from './toggles.ts';

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
            <OffNow settings={settings} changed={reload} />
            <NoticeCard settings={settings} changed={reload} />
            <div class="grid">
              <Coins settings={settings} changed={reload} />
              <Networks settings={settings} changed={reload} />
            </div>
          </>
        )}
      </Shown>
    </>
  );
}

function Open({ isOpen, words = 'off' }: { readonly isOpen: boolean; readonly words?: string }) {
  return <State of={isOpen ? 'OK' : 'HALTED'} words={isOpen ? 'on' : words} />;
}

/** The whole exchange, and all else that is off now, each with the way to switch it on. */
function OffNow({ settings, changed }: SettingsPart) {
  const off = listToggles(settings).filter(({ isOn }) => !isOn);
  return (
    <>
      <Matters
        label="What is off"
        of={off.map((one) => ({
          what: one.told,
          isBad: true,
          step: <Toggle settings={settings} changed={changed} of={one} />,
        }))}
      />
      <section class="card">
        <h2>The whole exchange</h2>
        <Facts
          of={[
            ['Trading', <Open key="t" isOpen={!settings.tradingHalted} />],
            ['Withdrawals', <Open key="w" isOpen={!settings.withdrawalsHalted} />],
            [
              'Hedging',
              <>
                <Open isOpen={!settings.hedgingHalted} />
                <a class="below" href="/desk/liquidity">
                  Liquidity
                </a>
              </>,
            ],
            ['Coins and networks', <Open key="o" isOpen={off.length === 0} words={`${off.length} off`} />],
          ]}
        />
        <HaltSteps settings={settings} changed={changed} />
      </section>
    </>
  );
}

/** The switch of one thing, which shows how it stands; for who may not change it, how it stands alone. */
function Toggle({
  settings,
  changed,
  of: { isOn, label, about, meaning, change },
}: SettingsPart & { readonly of: Toggled }) {
  const may = useMay();
  if (!may('change_settings')) return <Open isOpen={isOn} />;
  return (
    <div class="toggle">
      <ChangeStep
        settings={settings}
        changed={changed}
        label={label}
        about={about}
        change={change}
        shows={<span class={isOn ? 'on' : 'off'}>{isOn ? 'On' : 'Off'}</span>}
      >
        {isOn && <p>{meaning}</p>}
      </ChangeStep>
    </div>
  );
}

function Coins(part: SettingsPart) {
  return (
    <section class="card">
      <h2>Coins</h2>
      <p class="quiet">A coin that is not traded is still held, deposited and withdrawn.</p>
      <Records
        isSmall
        label="Coins"
        rows={assetSymbols}
        keyOf={(asset) => asset}
        columns={[
          { name: 'Coin', show: (asset) => asset },
          {
            name: 'Trading',
            show: (asset) =>
              asset === 'USDT' ? (
                <span class="quiet">–</span>
              ) : (
                <Toggle {...part} of={toggleTrading(part.settings, asset)} />
              ),
          },
          { name: 'Deposits', show: (asset) => <Toggle {...part} of={toggleDepositsOf(part.settings, asset)} /> },
        ]}
        empty=""
      />
    </section>
  );
}

function Networks(part: SettingsPart) {
  return (
    <section class="card">
      <h2>Networks</h2>
      <p class="quiet">A deposit over a paused network is still credited.</p>
      <Records
        isSmall
        label="Networks"
        rows={networks}
        keyOf={(network) => network}
        columns={[
          { name: 'Network', show: (network) => network },
          { name: 'Deposits', show: (network) => <Toggle {...part} of={toggleDepositsOver(part.settings, network)} /> },
          {
            name: 'Withdrawals',
            show: (network) => <Toggle {...part} of={toggleWithdrawalsOver(part.settings, network)} />,
          },
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
          <div class="banner news">
            <p>{notice.text}</p>
          </div>
          <p class="quiet">
            {tellWhen(notice)} from <Time iso={notice.from} /> until <Time iso={notice.until} />.
          </p>
        </>
      )}
      {may('change_settings') && (
        <div class="steps">
          <WriteNotice key={JSON.stringify(notice)} notice={notice} changed={changed} />
          {notice !== null && (
            <Step
              label="End it now"
              title="End the notice now"
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

type Notice = NonNullable<ExchangeSettings['notice']>;

function tellWhen({ from, until }: Notice): string {
  if (Date.now() < Date.parse(from)) return 'Will be shown';
  return Date.now() < Date.parse(until) ? 'Shown' : 'Was shown';
}

const HOUR_MS = 3_600_000;
const SHOWN_HOURS = 24;
const MOST_LETTERS = 500;

/** A time as a field of the page takes it: without a zone, in that of the reader. */
function toField(time_ms: number): string {
  return new Date(time_ms - new Date(time_ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The reader's, in which the fields of times are. */
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

/** Writes a notice, or another in place of the one that is there, with which it begins. */
function WriteNotice({ notice, changed }: { readonly notice: Notice | null; readonly changed: () => void }) {
  const [stored] = useState(() => ({
    text: notice?.text ?? '',
    from: toField(notice ? Date.parse(notice.from) : Date.now()),
    until: toField(notice ? Date.parse(notice.until) : Date.now() + SHOWN_HOURS * HOUR_MS),
  }));
  const [typed, setTyped] = useState(stored);
  const { text, from, until } = typed;
  const act = () =>
    operate('patch /settings', {
      body: { notice: { text, from: new Date(from).toISOString(), until: new Date(until).toISOString() } },
    });
  return (
    <Step
      label={notice ? 'Change the notice' : 'Write a notice'}
      title={notice ? 'Change the notice' : 'Write a notice'}
      does="Publish it"
      needsTwo
      isReady={typed !== stored}
      act={act}
      done={changed}
    >
      <LinesField
        label="What holders are told"
        help="Plain text without links"
        required
        maxLength={MOST_LETTERS}
        value={text}
        set={(next) => setTyped({ ...typed, text: next })}
      />
      <div class="group">
        <p class="quiet">
          As holders see it, {text.length} of {MOST_LETTERS} characters
        </p>
        <div class="banner news">
          <p>{text || '…'}</p>
        </div>
      </div>
      <div class="row">
        <TextField
          label={`From, ${timeZone} time`}
          type="datetime-local"
          required
          value={from}
          set={(next) => setTyped({ ...typed, from: next })}
        />
        <TextField
          label={`Until, ${timeZone} time`}
          type="datetime-local"
          required
          value={until}
          set={(next) => setTyped({ ...typed, until: next })}
        />
      </div>
    </Step>
  );
}
