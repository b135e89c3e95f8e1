import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { WRANGLER, quietly } from './start/wrangler.ts';

/** Where a bundle differs from the deployed one. */
export interface BuildOptions {
  /** The configuration to use in place of wrangler.toml. */
  readonly config?: string;
  /** Whether functions keep their names, for a profile. */
  readonly keepsNames?: boolean;
}

/**
 * Bundles the Worker into `directory` exactly as `wrangler deploy` would: `index.js` and its source map `index.js.map`.
 * The environment is one of the configuration's, or '' for the sandbox, whose entry adds the scenarios. Returns what
 * wrangler prints. Throws that text when wrangler fails or warns, since a missing binding is only a warning there.
 */
export async function buildWorker(
  environment: '' | 'production',
  directory: string,
  { config = 'wrangler.toml', keepsNames = false }: BuildOptions = {},
): Promise<string> {
  const command = ['deploy', '--dry-run', '--config', config, '--env', environment, '--outdir', directory];
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [...WRANGLER, ...command, ...(keepsNames ? ['--no-minify'] : [])],
    { encoding: 'utf8', env: { ...process.env, ...quietly } },
  );
  const output = stdout + stderr;
  if (/warning/i.test(output)) throw new Error(output);
  return output;
}
