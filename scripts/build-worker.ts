import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Run as a file of its own, so that it needs neither a shell nor a PATH, and has the Node that runs this. */
const WRANGLER = 'node_modules/wrangler/bin/wrangler.js';

/** How a bundle differs from the one that is deployed. */
export interface BuildOptions {
  /** Another Worker's configuration than wrangler.toml. */
  readonly config?: string;
  /** Whether names stay as they are written, for a profile. */
  readonly keepsNames?: boolean;
}

/**
 * Bundles the Worker into `directory`, byte for byte as `wrangler deploy` would unless told otherwise: its module is
 * `index.js` there, its source map `index.js.map`. The environment is one of the configuration, '' the sandbox; it
 * decides bindings and variables, never the code. Gives what wrangler prints. Throws it when wrangler fails or warns: it
 * only warns where an environment lacks a binding that the code needs.
 */
export async function buildWorker(
  environment: '' | 'production',
  directory: string,
  { config = 'wrangler.toml', keepsNames = false }: BuildOptions = {},
): Promise<string> {
  const command = ['deploy', '--dry-run', '--config', config, '--env', environment, '--outdir', directory];
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [WRANGLER, ...command, ...(keepsNames ? ['--no-minify'] : [])],
    { encoding: 'utf8', env: { ...process.env, WRANGLER_SEND_METRICS: 'false' } },
  );
  const output = stdout + stderr;
  if (/warning/i.test(output)) throw new Error(output);
  return output;
}
