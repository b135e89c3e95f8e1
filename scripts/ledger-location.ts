/** The result of comparing the gate's location with the database's, for a person. */
export interface LocationVerdict {
  readonly isRight: boolean;
  readonly detail: string;
}

/**
 * Compares `LEDGER_LOCATION` with the region that D1 answered from. `answer` is the output of `wrangler d1 execute
 * --json`: a list of results whose `meta` has `served_by_region` ("D1 > Return objects"), which is a location hint in
 * upper case. An answer without a region, as from a local database, counts as wrong.
 */
export function compareLocation(configured: string, answer: string): LocationVerdict {
  const region = readRegion(answer);
  if (region === undefined) return { isRight: false, detail: 'the answer names no region: ask the remote database' };
  if (region === configured) return { isRight: true, detail: `the database and the gate are both in ${region}` };
  return {
    isRight: false,
    detail: `the database is in ${region}, and LEDGER_LOCATION is ${configured}: every order would cross between them`,
  };
}

function readRegion(answer: string): string | undefined {
  // Wrangler may print something before the JSON.
  const begin = answer.indexOf('[');
  try {
    const [result] = JSON.parse(answer.slice(Math.max(begin, 0))) as { meta?: { served_by_region?: string } }[];
    return result?.meta?.served_by_region?.toLowerCase();
  } catch {
    return undefined;
  }
}

/** `LEDGER_LOCATION` of production in wrangler.toml. Throws when there is none. */
export function readConfiguredLocation(wranglerToml: string): string {
  const [, production = ''] = wranglerToml.split('[env.production.vars]');
  const [, location] = /^LEDGER_LOCATION = "([a-z]+)"$/m.exec(production) ?? [];
  if (location === undefined) throw new Error('wrangler.toml names no LEDGER_LOCATION for production');
  return location;
}
