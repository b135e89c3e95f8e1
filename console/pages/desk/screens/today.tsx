import { useState } from 'preact/hooks';
import type { ExchangeStatus } from '../../../../clients/bureau-client/src/operations.ts';
import { inWords } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/notice.tsx';
import { operate, readPublic } from '../operate.ts';
import { State, Time } from '../parts/names.tsx';
import { Matters } from '../parts/matters.tsx';
import { Facts, Records } from '../parts/records.tsx';
import { ReasonField, Step } from '../parts/step.tsx';
import type { ExchangeSettings, House, Reconciliation } from '../schema.d.ts';
import { useMay, useStaff } from '../staff.ts';
import { listExchangeMatters } from './exchange-matters.tsx';
import { Figures } from './figures.tsx';
import { ToggleStep } from './toggle-step.tsx';
import { toggleWhole } from './toggles.ts';
import { custodianWords } from './house.tsx';
import { readWaiting, WaitingCard } from './waiting.tsx';

const EVERY_MS = 15_000;

async function read(decider: string | undefined) {
  const [waiting, { settings }, { reconciliation }, { house }, { venues }, { flows }, { profit }, status] =
    await Promise.all([
      readWaiting(decider),
      operate('get /settings'),
      operate('get /reconciliation'),
      operate('get /house'),
      operate('get /venues'),
      operate('get /flows'),
      operate('get /profit'),
      readPublic('/api/v1/status'),
    ]);
  return { waiting, settings, reconciliation, house, venues, flows, profit, status };
}

/** How the exchange stands, and what waits for somebody. */
export function Today() {
  const { actor } = useStaff();
  const may = useMay();
  const { loaded, reload } = useLoaded(() => read(may('decide_proposals') ? actor : undefined), EVERY_MS);
  return (
    <>
      <div class="top">
        <h1>Today</h1>
        {loaded.state === 'here' && (
          <div class="steps">
            <Status {...loaded.value} />
            <ToggleStep of={toggleWhole(loaded.value.settings, 'tradingHalted')} changed={reload} />
            <ToggleStep of={toggleWhole(loaded.value.settings, 'withdrawalsHalted')} changed={reload} />
          </div>
        )}
      </div>
      <Shown loaded={loaded}>
        {({ waiting, settings, reconciliation, house, venues, flows, profit, status }) => (
          <>
            <Matters label="What is not as it should be" of={listExchangeMatters(settings, status, house, venues)} />
            <WaitingCard {...waiting} />
            <Figures flows={flows} profit={profit} house={house} />
            <Reconciled reconciliation={reconciliation} house={house} changed={reload} />
          </>
        )}
      </Shown>
    </>
  );
}

/** Which parts of the exchange work, as clients are told. What is off is a line below, and not said twice. */
function Status({
  status: { trading, withdrawals, prices },
  settings,
}: {
  readonly status: ExchangeStatus;
  readonly settings: ExchangeSettings;
}) {
  const { tradingHalted, withdrawalsHalted, hedgingHalted, haltedCoins, pausedNetworks } = settings;
  const states = [
    ['Trading', trading, tradingHalted || haltedCoins.length > 0],
    ['Withdrawals', withdrawals, withdrawalsHalted || pausedNetworks.length > 0],
    ['Prices', prices, prices !== 'OK'],
    ['Hedging', 'OK', hedgingHalted],
  ] as const;
  const left = states.filter(([, , isBelow]) => !isBelow);
  if (left.length === 0) return null;
  return (
    <ul class="legend" aria-label="How the exchange stands">
      {left.map(([name, state]) => (
        <li key={name}>
          <State of={state} words={`${name} ${state === 'OK' ? 'OK' : state.toLowerCase()}`} />
        </li>
      ))}
    </ul>
  );
}

const balance = {
  ok: 'Books balance',
  broken: 'Books do not balance',
  pending: 'Not checked yet',
  unreachable: 'Does not answer',
} as const;
const checks = { ok: 'passed', broken: 'failed', pending: 'not checked yet' } as const;

/** Whether the books balance, and when that was last found out. */
function Reconciled({
  reconciliation: { status, lastPass, progress, violations, invariants, ledgers },
  house,
  changed,
}: {
  readonly reconciliation: Reconciliation;
  readonly house: House;
  readonly changed: () => void;
}) {
  const may = useMay();
  return (
    <section class="card">
      <div class="top">
        <h2>Reconciliation</h2>
        {may('reconcile') && (
          <Step
            label="Check now"
            title="Check the books now"
            act={() => operate('post /reconciliation/run')}
            done={changed}
          >
            <p>Every account, record and transfer is checked. Nothing stops meanwhile.</p>
          </Step>
        )}
      </div>
      <Facts
        of={[
          ['State', <State key="s" of={status} words={balance[status]} />],
          ['Last full check', lastPass ? <Time iso={lastPass.completedAt} /> : 'none yet'],
          ['Custodian’s report', house.custodyAnsweredAt && <Custodian key="c" house={house} />],
        ]}
      />
      {ledgers.length > 1 && (
        <Records
          label="Ledgers"
          rows={ledgers}
          keyOf={({ ledger }) => String(ledger)}
          columns={[
            { name: 'Ledger', show: ({ ledger }) => ledger },
            { name: 'State', show: ({ status: stands }) => <State of={stands} words={balance[stands]} /> },
            {
              name: 'Last full check',
              show: (row) => (row.lastPass ? <Time iso={row.lastPass.completedAt} /> : 'not known'),
            },
          ]}
          empty=""
        />
      )}
      {violations.map((violation) => (
        <Violation key={violation.id} violation={violation} cleared={changed} />
      ))}
      <details class="plain-details">
        <summary>All that is checked</summary>
        {progress.lastStepAt && (
          <p class="quiet">
            The last part was checked <Time iso={progress.lastStepAt} />.
          </p>
        )}
        <Records
          isSmall
          label="All that is checked"
          rows={invariants}
          keyOf={({ name }) => name}
          columns={[
            { name: 'What', show: ({ name }) => inWords(name) },
            { name: 'State', show: (row) => <State of={row.status} words={checks[row.status]} /> },
          ]}
          empty="Nothing was checked yet."
        />
      </details>
    </section>
  );
}

function Violation({
  violation: { id, invariant, foundAt, examples },
  cleared,
}: {
  readonly violation: Reconciliation['violations'][number];
  readonly cleared: () => void;
}) {
  const [reason, setReason] = useState('');
  const may = useMay();
  return (
    <div class="notice bad">
      <h3>A check failed: {inWords(invariant).toLowerCase()}</h3>
      <p>
        Found <Time iso={foundAt} />. Trading and withdrawals were halted. Find the cause with the examples before you
        clear it.
      </p>
      <pre>{examples.map((example) => JSON.stringify(example)).join('\n')}</pre>
      {may('clear_violations') && (
        <Step
          danger
          needsTwo
          label="Clear the violation"
          title="Clear the violation"
          act={() =>
            operate('post /reconciliation/violations/{violationId}/clear', {
              path: { violationId: id },
              body: { reason },
            })
          }
          done={cleared}
        >
          <p>After that the halts can be lifted. The next full check halts again if it finds the same.</p>
          <ReasonField value={reason} set={setReason} />
        </Step>
      )}
    </div>
  );
}

/** Whether the custodian holds what it should of every asset; the page of the house says of which it does not. */
function Custodian({ house: { assets } }: { readonly house: House }) {
  const worst = (['shortfall', 'unknown'] as const).find((state) =>
    assets.some(({ custodyCovers }) => custodyCovers === state),
  );
  return (
    <a href="/desk/house">
      <State of={worst ?? 'covered'} words={custodianWords[worst ?? 'covered']} />
    </a>
  );
}
