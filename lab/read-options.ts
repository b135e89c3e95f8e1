import { parseArgs } from 'node:util';

/** The options of a command, each of the kind of its default. */
export function readOptions<Defaults extends Readonly<Record<string, number | string | false>>>(defaults: Defaults) {
  const known = Object.entries(defaults);
  const kinds = known.map(([name, value]) => [name, { type: value === false ? 'boolean' : 'string' }] as const);
  const { values } = parseArgs({ options: Object.fromEntries(kinds) });
  const read = known.map(([name, value]) => {
    const told = values[name] ?? value;
    return [name, typeof value === 'number' ? Number(told) : told];
  });
  return Object.fromEntries(read) as {
    readonly [Name in keyof Defaults]: Defaults[Name] extends false ? boolean : Defaults[Name];
  };
}
