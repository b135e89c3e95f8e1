/** The parts of wrangler.toml that name databases: the sandbox's at the top level, and production's. */
export type Environment = 'sandbox' | 'production';

const headings: Readonly<Record<Environment, string>> = {
  sandbox: '[[d1_databases]]',
  production: '[[env.production.d1_databases]]',
};

/** A ledger's number in twelve bits of every id. */
const MAX_LEDGER = 0xfff;

/** A database of wrangler.toml: the lines of its table, from the heading up to the next blank line. */
interface Block {
  readonly binding: string;
  readonly start: number;
  readonly end: number;
}

function listBlocks(toml: string, environment: Environment): Block[] {
  const lines = toml.split('\n');
  return lines.flatMap((line, start): Block[] => {
    if (line.trim() !== headings[environment]) return [];
    const blank = lines.findIndex((later, at) => at > start && later.trim() === '');
    const end = blank < 0 ? lines.length : blank;
    const named = lines.slice(start, end).map((inside) => /^binding = "([^"]+)"$/.exec(inside.trim())?.[1]);
    const binding = named.find((name) => name !== undefined);
    if (binding === undefined) throw new Error(`a database of ${environment} in wrangler.toml has no binding`);
    return /^DB(_\d+)?$/.test(binding) ? [{ binding, start, end }] : [];
  });
}

/** The bindings of the ledgers of an environment, in the order of their numbers: `DB`, `DB_1` and so on. */
export function listLedgerBindings(toml: string, environment: Environment): string[] {
  const bindings = listBlocks(toml, environment).map(({ binding }) => binding);
  for (const [ledger, binding] of bindings.entries()) {
    const expected = ledger === 0 ? 'DB' : `DB_${ledger}`;
    if (binding !== expected)
      throw new Error(`${environment} in wrangler.toml has ${binding} where ${expected} belongs`);
  }
  if (bindings.length === 0) throw new Error(`${environment} in wrangler.toml has no ledger`);
  return bindings;
}

/**
 * wrangler.toml with one more ledger in both environments, and the name of the new binding. Every local database has
 * its own id, because the local runtime tells databases apart by it. The operator fills in the id of production's
 * database. Throws when the environments have different ledgers, or the last number is taken.
 */
export function addLedger(toml: string): { readonly toml: string; readonly binding: string } {
  const [sandbox, production] = [listLedgerBindings(toml, 'sandbox'), listLedgerBindings(toml, 'production')];
  if (sandbox.length !== production.length) throw new Error('sandbox and production have different ledgers');
  const ledger = sandbox.length;
  if (ledger > MAX_LEDGER) throw new Error(`there is no ledger after number ${MAX_LEDGER}`);
  const binding = `DB_${ledger}`;
  const added = (['sandbox', 'production'] as const).reduce((text, environment) => {
    const lines = text.split('\n');
    const last = listBlocks(text, environment).at(-1);
    const block = [
      headings[environment],
      `binding = "${binding}"`,
      `database_name = "bureau-${ledger}"`,
      `database_id = "00000000-0000-0000-0000-${String(ledger).padStart(12, '0')}"`,
      'migrations_dir = "migrations"',
    ];
    return [...lines.slice(0, last?.end), '', ...block, ...lines.slice(last?.end)].join('\n');
  }, toml);
  return { toml: added, binding };
}
