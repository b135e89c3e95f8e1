import { useState } from 'preact/hooks';
import { api } from '../../ask.ts';
import { inWords, showAmount } from '../../format.ts';
import { useLoaded } from '../../load.ts';
import { Shown } from '../../parts/notice.tsx';
import { operate } from '../operate.ts';
import { State, Time } from '../parts/names.tsx';
import { Matters } from '../parts/matters.tsx';
import { Facts, Records } from '../parts/records.tsx';
import { ReasonField, Step } from '../parts/step.tsx';
import type { ExchangeSettings, House, Reconciliation } from '../schema.d.ts';
import { useMay, useStaff } from '../staff.ts';
import { listExchangeMatters } from './exchange-matters.tsx';
import { Figures } from './figures.tsx';
import { HaltSteps } from './halts.tsx';
import { readWaiting, WaitingCard } from './waiting.tsx';

const EVERY_MS = 15_000;

type Status = Awaited<ReturnType<typeof api.getStatus>>;

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
      api.getStatus(),
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
            <HaltSteps settings={loaded.value.settings} changed={reload} />
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
            {house.custodyAnsweredAt !== null && <Custody house={house} answeredAt={house.custodyAnsweredAt} />}
          </>
        )}
      </Shown>
    </>
  );
}

/** Whether the exchange works, as clients are told, and whether its positions are hedged. */
function Status({
  status: { trading, withdrawals, prices },
  settings,
}: {
  readonly status: Status;
  readonly settings: ExchangeSettings;
}) {
  const states = {
    Trading: trading,
    Withdrawals: withdrawals,
    Prices: prices,
    Hedging: settings.hedgingHalted ? 'HALTED' : 'OK',
  };
  return (
    <ul class="legend" aria-label="How the exchange stands">
      {Object.entries(states).map(([name, state]) => (
        <li key={name}>
          <State of={state} words={`${name} ${state === 'OK' ? 'OK' : state.toLowerCase()}`} />
        </li>
      ))}
    </ul>
  );
}

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
      <h2>Reconciliation</h2>
      <Facts
        of={[
          [
            'The ledger',
            <State key="s" of={status} words={status === 'ok' ? 'Every invariant holds' : inWords(status)} />,
          ],
          ['Last whole pass', lastPass ? <Time iso={lastPass.completedAt} /> : 'none yet'],
          ['Last step', progress.lastStepAt ? <Time iso={progress.lastStepAt} /> : 'none yet'],
          ['Custody', house.custodyAnsweredAt === null ? 'no report to compare' : null],
        ]}
      />
      {ledgers.length > 1 && (
        <Records
          label="Ledgers"
          rows={ledgers}
          keyOf={({ ledger }) => String(ledger)}
          columns={[
            { name: 'Ledger', show: ({ ledger }) => ledger },
            { name: 'State', show: ({ status: stands }) => <State of={stands} /> },
            {
              name: 'Last whole pass',
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
        <summary>Every invariant</summary>
        <Records
          label="Invariants"
          rows={invariants}
          keyOf={({ name }) => name}
          columns={[
            { name: 'Invariant', show: ({ name }) => inWords(name) },
            { name: 'State', show: (row) => <State of={row.status} /> },
          ]}
          empty="None was checked yet."
        />
      </details>
      {may('reconcile') && (
        <div class="steps">
          <Step
            label="Begin a pass now"
            title="Check the whole ledger now"
            act={() => operate('post /reconciliation/run')}
            done={changed}
          >
            <p>The keeper checks every account, record and transfer. Nothing stops meanwhile.</p>
          </Step>
        </div>
      )}
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
      <h3>{inWords(invariant)} is broken</h3>
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
          <p>After that the halts can be lifted. The next pass halts again if the invariant is still broken.</p>
          <ReasonField value={reason} set={setReason} />
        </Step>
      )}
    </div>
  );
}

const covers = { covered: 'covered', shortfall: 'shortfall', unknown: 'no report' } as const;

function Custody({ house, answeredAt }: { readonly house: House; readonly answeredAt: string }) {
  return (
    <section class="card">
      <h2>Custody against the ledger</h2>
      <p class="quiet">
        The custodian said what it holds <Time iso={answeredAt} />.
      </p>
      <Records
        isLined
        label="Custody against the ledger"
        rows={house.assets}
        keyOf={({ asset }) => asset}
        columns={[
          { name: 'Asset', show: ({ asset }) => asset },
          { name: 'By the ledger', isNumber: true, show: (row) => showAmount(row.custodyShouldHold) },
          {
            name: 'By the custodian',
            isNumber: true,
            show: ({ custodyHolds }) => (custodyHolds === null ? '–' : showAmount(custodyHolds)),
          },
          { name: 'State', show: ({ custodyCovers }) => <State of={custodyCovers} words={covers[custodyCovers]} /> },
        ]}
        empty=""
      />
      <a href="/desk/house">See the house’s book</a>
    </section>
  );
}
