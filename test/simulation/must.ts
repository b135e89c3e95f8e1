/** The exchange did something else than the model says. */
export class Disagreement extends Error {
  override readonly name = 'Disagreement';
}

export function must(holds: boolean, what: string, ...facts: unknown[]): asserts holds {
  if (holds) return;
  const told = facts.map((fact) =>
    JSON.stringify(fact, (_, value) => (typeof value === 'bigint' ? `${value}` : value)),
  );
  throw new Disagreement([what, ...told].join(' '));
}
