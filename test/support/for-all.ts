import fc from 'fast-check';

/** Fails unless the predicate holds for all that these arbitraries draw, and names the smallest counterexample. */
export function forAll<Values extends [unknown, ...unknown[]]>(
  ...parts: [...{ [At in keyof Values]: fc.Arbitrary<Values[At]> }, (...values: Values) => boolean | void]
): void {
  fc.assert(fc.property<Values>(...parts));
}
