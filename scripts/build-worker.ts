import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Run as a file of its own, so that it needs neither a shell nor a PATH, and has the Node that runs this. */
const WRANGLER = 'node_modules/wrangler/bin/wrangler.js';

/**
 * Bundles the Worker into `directory`, byte for byte as `wrangler deploy` would: its module is `index.js` there. The
 * environment is one of `config`, '' the sandbox; it decides bindings and variables, never the code. Gives what
 * wrangler prints. Throws it when wrangler fails or warns: it only warns where an environment lacks a binding that
 * the code needs.
 */
export async function buildWorker(
  environment: '' | 'production',
  directory: string,
  config = 'wrangler.toml',
): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [WRANGLER, 'deploy', '--dry-run', '--config', config, '--env', environment, '--outdir', directory],
    { encoding: 'utf8', env: { ...process.env, WRANGLER_SEND_METRICS: 'false' } },
  );
  const output = stdout + stderr;
  if (/warning/i.test(output)) throw new Error(output);
  return output;
}
