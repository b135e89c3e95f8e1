import type { LedgerAnswer } from '../db/ask-ledgers.ts';
import type { InvariantReport } from '../reconciliation/progress.ts';
import { type Example, MAX_EXAMPLES } from '../reconciliation/invariants.ts';
import { Exact } from '../money/amounts.ts';
import type { LedgerReconciliation, LedgerStanding, Reconciliation } from './reconciliation.ts';

/** From best to worst. */
const statuses = ['ok', 'pending', 'broken'] as const satisfies readonly Reconciliation['status'][];

/**
 * The reconciliation of all ledgers, from what each answered: the worst status, the sums of the figures, all violations,
 * and how each ledger stands. A ledger that does not answer keeps the whole from being `ok`. Throws without any answer.
 * Pure.
 */
export function mergeReconciliations(answers: readonly LedgerAnswer<LedgerReconciliation>[]): Reconciliation {
  const shown = answers.flatMap(({ answer }) => (answer ? [answer] : []));
  const slowest = shown.toSorted((one, other) => completedAt(one) - completedAt(other))[0];
  if (!slowest) throw new Error('no ledger has said how its reconciliation stands');
  const isSilent = shown.length < answers.length;
  return {
    ...slowest,
    status: worstOf([...shown.map(({ status }) => status), ...(isSilent ? (['pending'] as const) : [])]),
    invariants: slowest.invariants.map(({ name }) => {
      const all = shown.flatMap(({ invariants }) => invariants.filter((one) => one.name === name));
      const figures = all.map((one) => one.figures).reduce(sumFigures);
      const beyond = name === 'debts_within_caps' ? listBeyondCaps(figures) : [];
      return {
        name,
        status: beyond.length > 0 ? 'broken' : worstOf(all.map(({ status }) => status)),
        figures,
        examples: [...beyond, ...all.flatMap(({ examples }) => examples)].slice(0, MAX_EXAMPLES),
      };
    }),
    violations: shown.flatMap(({ violations }) => violations).toSorted((one, other) => (one.id < other.id ? -1 : 1)),
    ledgers: answers.map(showStanding),
  };
}

/** When the last pass was complete; the longest ago for a ledger that has had none. */
const completedAt = ({ lastPass }: LedgerReconciliation) => (lastPass ? Date.parse(lastPass.completedAt) : 0);

function worstOf(all: readonly Reconciliation['status'][]): Reconciliation['status'] {
  return statuses.findLast((status) => all.includes(status)) ?? 'pending';
}

function showStanding({ ledger, answer }: LedgerAnswer<LedgerReconciliation>): LedgerStanding {
  if (!answer) return { ledger, status: 'unreachable', lastPass: null, progress: null, history: null, violations: [] };
  const { status, lastPass, progress, history, violations } = answer;
  return { ledger, status, lastPass, progress, history, violations };
}

/** A sum that a pass could not form. */
const UNKNOWN = 'unknown';

/**
 * The assets of which all ledgers together were brought more than their caps, or owe more than caps and exposures. What
 * moved into a ledger, or is at its venues, is counted with what it owes, as both were read at one moment.
 */
function listBeyondCaps(figures: Figures): Example[] {
  return Object.entries(figures).flatMap(([asset, sums]) => {
    if (typeof sums === 'string') return [];
    const of = (name: string) => new Exact(sums[name] ?? 0);
    const allowed = of('supplyCap').plus(of('exposure')).plus(of('movedIn')).plus(of('atVenues'));
    const isWithin = of('broughtIn').lessThanOrEqualTo(of('supplyCap')) && of('owed').lessThanOrEqualTo(allowed);
    return isWithin ? [] : [{ asset, ...sums }];
  });
}

type Figures = InvariantReport['figures'];
type Figure = Figures[string];

function sumFigures(one: Figures, other: Figures): Figures {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries([...names].map((name) => [name, sumFigure(one[name], other[name])]));
}

/** A count or a decimal is added; of figures per asset, those of each asset. */
function sumFigure(one: Figure | undefined, other: Figure | undefined): Figure {
  if (one === undefined || other === undefined) return one ?? other ?? '0';
  if (typeof one === 'string' && typeof other === 'string') {
    return one === UNKNOWN || other === UNKNOWN ? UNKNOWN : new Exact(one).plus(other).toFixed();
  }
  if (typeof one === 'string' || typeof other === 'string')
    throw new TypeError('two figures of one name differ in kind');
  return sumFigures(one, other) as Figure;
}
