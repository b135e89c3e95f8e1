import type { Probe, ProbeStatement } from './probe.ts';

/**
 * Runs statements without some triggers, as a restore or somebody with access to the database could. All in one batch,
 * which puts the triggers back. Throws when one of the names is no trigger.
 */
export async function runWithoutTriggers(
  probe: Probe,
  names: readonly string[],
  statements: readonly ProbeStatement[],
): Promise<void> {
  const all = await probe.query<{ name: string; sql: string }>(
    "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'",
  );
  const dropped = all.filter(({ name }) => names.includes(name));
  if (dropped.length < names.length) throw new Error(`one of these is no trigger: ${names.join(', ')}`);
  await probe.batch([
    ...dropped.map(({ name }) => ({ sql: `DROP TRIGGER ${name}` })),
    ...statements,
    ...dropped.map(({ sql }) => ({ sql })),
  ]);
}
