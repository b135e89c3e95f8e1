import { assetSymbols } from '../../assets.ts';
import { useState } from 'preact/hooks';
import { useLoaded } from '../../load.ts';
import { networks } from '../../networks.ts';
import { Choice, LinesField, TextField } from '../../parts/form.tsx';
import { showTime, showZoned } from '../../format.ts';
import { Shown } from '../../parts/notice.tsx';
import { operate } from '../operate.ts';
import { NetworkName, State, Time } from '../parts/names.tsx';
import { labelTime, toField } from '../parts/field-time.ts';
import { Matters } from '../parts/matters.tsx';
import { Records } from '../parts/records.tsx';
import { Step } from '../parts/step.tsx';
import type { AuditEntry, ExchangeSettings } from '../schema.d.ts';
import { useMay } from '../staff.ts';
import type { SettingsPart } from './change-step.tsx';
import { ToggleStep } from './toggle-step.tsx';
import {
  type Changes,
  type Toggled,
  findSwitchOff,
  listToggles,
  nameToggle,
  toggleDepositsOf,
  toggleDepositsOver,
  toggleTrading,
  toggleWhole,
  toggleWithdrawalsOver,
} from './toggles.ts';

/** So many of the newest changes are read, to say who has switched off what is off. */
const CHANGES_READ = 100;

async function read() {
  const [{ settings }, changes] = await Promise.all([
    operate('get /settings'),
    operate('get /audit', { query: { action: 'change_settings', limit: CHANGES_READ } }),
  ]);
  return { settings, changes };
}

/** What can be switched off and on: the exchange, a coin, a network; and what all holders are told. */
export function Switches() {
  const { loaded, reload } = useLoaded(read);
  return (
    <>
      <div class="top">
        <h1>Switches</h1>
        <a href="/desk/audit?action=change_settings">Who switched what</a>
      </div>
      <Shown loaded={loaded}>
        {({ settings, changes }) => (
          <>
            <OffNow settings={settings} changes={changes} changed={reload} />
            <WholeExchange settings={settings} changed={reload} />
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

/** The parts of the whole exchange, with what each is. */
const wholes = [
  ['tradingHalted', 'Trading', 'Orders of all coins'],
  ['withdrawalsHalted', 'Withdrawals', 'Payouts of all assets'],
  ['hedgingHalted', 'Hedging', 'The house’s own trades'],
] as const;

function WholeExchange({ settings, changed }: SettingsPart) {
  return (
    <section class="card">
      <h2>The whole exchange</h2>
      <div class="wholes">
        {wholes.map(([halt, name, meaning]) => (
          <div key={name} class="choice">
            <p>
              <strong>{name}</strong>
              <small class="below">{meaning}</small>
            </p>
            <Toggle of={toggleWhole(settings, halt)} changed={changed} />
          </div>
        ))}
      </div>
    </section>
  );
}

/** All that is off, each with the way to switch it on: its row may be far below. */
function OffNow({ settings, changes, changed }: SettingsPart & { readonly changes: Changes }) {
  const all = [...wholes.map(([halt]) => toggleWhole(settings, halt)), ...listToggles(settings)];
  const off = all.filter(({ isOn }) => !isOn);
  return (
    <Matters
      label="What is off"
      of={off.map((one) => ({
        what: one.told,
        why: tellSwitchOff(findSwitchOff(one, changes)),
        isBad: true,
        // Far from its row, it says of what.
        step: <ToggleStep of={{ ...one, label: nameToggle(one), about: undefined }} changed={changed} />,
      }))}
    />
  );
}

const tellSwitchOff = (change: AuditEntry | undefined) =>
  change && (
    <>
      By {change.actor}, <Time iso={change.ts} />
      {typeof change.detail['because'] === 'string' && `: ${change.detail['because']}`}.
    </>
  );

/** The switch of one thing, which shows how it stands; for who may not change it, how it stands alone. */
function Toggle(part: { readonly of: Toggled; readonly changed: () => void }) {
  const may = useMay();
  const { isOn } = part.of;
  const words = isOn ? 'On' : 'Off';
  if (!may('change_settings')) return <State of={isOn ? 'OK' : 'HALTED'} words={words} />;
  return (
    <div class="toggle">
      <ToggleStep {...part} shows={<span class={isOn ? 'on' : 'off'}>{words}</span>} />
    </div>
  );
}

function Coins({ settings, changed }: SettingsPart) {
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
                <span class="dim">–</span>
              ) : (
                <Toggle changed={changed} of={toggleTrading(settings, asset)} />
              ),
          },
          { name: 'Deposits', show: (asset) => <Toggle changed={changed} of={toggleDepositsOf(settings, asset)} /> },
        ]}
        empty=""
      />
    </section>
  );
}

function Networks({ settings, changed }: SettingsPart) {
  return (
    <section class="card">
      <h2>Networks</h2>
      <p class="quiet">Deposits off hides new addresses; what still arrives is credited.</p>
      <Records
        isSmall
        label="Networks"
        rows={networks}
        keyOf={(network) => network}
        columns={[
          { name: 'Network', show: (network) => <NetworkName network={network} /> },
          {
            name: 'Deposits',
            show: (network) => <Toggle changed={changed} of={toggleDepositsOver(settings, network)} />,
          },
          {
            name: 'Withdrawals',
            show: (network) => <Toggle changed={changed} of={toggleWithdrawalsOver(settings, network)} />,
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
          <p class="notice">{notice.text}</p>
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

/** Another end than the ones below. */
const OWN_END = '';

/** How long a notice is shown, in hours. */
const lengths = [
  ['1', 'An hour'],
  ['6', '6 hours'],
  ['24', 'A day'],
  ['72', '3 days'],
  ['168', 'A week'],
  [OWN_END, 'Until another time'],
] as const;

/** Times of fields. */
interface Span {
  readonly from: string;
  readonly until: string;
}

const findLength = ({ from, until }: Span) => {
  const hours = String((Date.parse(until) - Date.parse(from)) / HOUR_MS);
  return lengths.find(([known]) => known === hours)?.[0] ?? OWN_END;
};

/** Two times in words, of which the second may be too early. */
function tellSpan(from: string, until: string): string {
  if (until <= from) return 'It has to end after it begins.';
  return `Holders see it from ${showTime(from)} until ${showZoned(until)}.`;
}

/** Writes a notice, or another in place of the one that is there, with which it begins. */
function WriteNotice({ notice, changed }: { readonly notice: Notice | null; readonly changed: () => void }) {
  const [stored] = useState(() => ({
    text: notice?.text ?? '',
    from: toField(notice ? Date.parse(notice.from) : Date.now()),
    until: toField(notice ? Date.parse(notice.until) : Date.now() + SHOWN_HOURS * HOUR_MS),
  }));
  const [typed, setTyped] = useState(stored);
  const { text, from, until } = typed;
  const [length, setLength] = useState(() => findLength(stored));
  const change = (next: Partial<typeof stored>) => setTyped({ ...typed, ...next });
  /** Its end moves with its beginning, unless the end is a time of its own. */
  const span = (begin: string, hours: string) => ({
    from: begin,
    ...(hours !== OWN_END && begin !== '' && { until: toField(Date.parse(begin) + Number(hours) * HOUR_MS) }),
  });
  const times = from !== '' && until !== '' ? tellSpan(from, until) : undefined;
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
        help={`Plain text without links, ${text.length} of ${MOST_LETTERS} characters`}
        required
        maxLength={MOST_LETTERS}
        value={text}
        set={(next) => change({ text: next })}
      />
      <div class="group">
        <p class="quiet">As holders see it</p>
        <p class="notice">{text || '…'}</p>
      </div>
      <div class="row">
        <TextField
          label={labelTime('From')}
          type="datetime-local"
          required
          value={from}
          set={(next) => change(span(next, length))}
        />
        <Choice
          label="For how long"
          value={length}
          set={(next) => {
            setLength(next);
            change(span(from, next));
          }}
          options={lengths}
        />
        {length === OWN_END && (
          <TextField
            label={labelTime('Until')}
            type="datetime-local"
            required
            value={until}
            set={(next) => change({ until: next })}
          />
        )}
      </div>
      {times !== undefined && <p class="quiet">{times}</p>}
    </Step>
  );
}
