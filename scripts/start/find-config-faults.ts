import { registerHooks } from 'node:module';

const PREFIX = 'configuration refused: ';

/**
 * Returns what the Worker itself finds wrong with some of its variables, each as a sentence part such as `CURSOR_SECRET
 * is not JSON`. It asks the Worker's own rules, with the variables in place of what the platform gives it; what it says of
 * variables that were not given is left out.
 */
export async function findConfigFaults(variables: Readonly<Record<string, string>>): Promise<string[]> {
  const platform = `export const env = ${JSON.stringify(variables)};`;
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'cloudflare:workers'
        ? { url: `data:text/javascript,${encodeURIComponent(platform)}`, format: 'module', shortCircuit: true }
        : next(specifier, context),
  });
  try {
    await import(new URL('../../src/env.ts', import.meta.url).href);
    return [];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!message.startsWith(PREFIX)) throw error;
    const faults = message.slice(PREFIX.length).split('; ');
    return faults.filter((fault) => Object.hasOwn(variables, fault.split(/[ .]/)[0] ?? ''));
  }
}
