/** A step of a payment to another ledger, and whether the cut of its ledger has it. */
export interface PaymentStep {
  /** The id of the withdrawal. */
  readonly payment: string;
  /** In this order: one ledger takes the money, the other one receives it, and the first completes the withdrawal. */
  readonly step: 'taken' | 'received' | 'paid';
  readonly isInCut: boolean;
}

const order = ['taken', 'received', 'paid'] as const;

/** The payments of which a cut has a step without the one before it: restored, money would be twice or lost. */
export function findTorn(steps: readonly PaymentStep[]): string[] {
  const cuts = new Map(steps.map(({ payment, step, isInCut }) => [`${step} ${payment}`, isInCut]));
  const torn = steps.filter(({ payment, step, isInCut }) => {
    const before = order[order.indexOf(step) - 1];
    return isInCut && before !== undefined && cuts.get(`${before} ${payment}`) === false;
  });
  return [...new Set(torn.map(({ payment }) => payment))];
}
