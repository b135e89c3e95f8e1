import { unstable_readConfig } from 'wrangler';
import { findConsoleFaults } from './find-console-faults.ts';
import { FLOORS_QUERY, findCapFaults } from './find-cap-faults.ts';
import { type DeployFaults, findDeployFaults } from './find-deploy-faults.ts';

/** What is examined: an environment of a configuration, and what is known of what lies outside of it. */
export interface Deployment {
  readonly environment: string;
  readonly configFile: string;
  readonly consoleFile: string;
  /** The names of the secrets that are set, `undefined` where they are not known. */
  readonly secrets: readonly string[] | undefined;
  /** What the database answered to `FLOORS_QUERY`, `undefined` where it was not asked. */
  readonly caps: string | undefined;
}

function examineCaps({ caps, environment }: Deployment): DeployFaults {
  if (caps !== undefined) return findCapFaults(caps);
  const command = `npx wrangler d1 execute DB --remote --env ${environment} --json --command "${FLOORS_QUERY}"`;
  const told = `the caps were not checked, which are in the database: add \`--caps caps.json\`, after \`${command} > caps.json\``;
  return { errors: [], warnings: [told] };
}

/**
 * Examines a deployment before it is made. Returns what is to be said of it, line by line, and whether it can be made.
 * Throws when the configuration cannot be read, or when the caps are no answer of the database.
 */
export function examineDeployment(deployment: Deployment): { readonly lines: string[]; readonly isReady: boolean } {
  const { configFile, consoleFile, environment, secrets } = deployment;
  const read = (file: string) => unstable_readConfig({ config: file, env: environment }, { hideWarnings: true });
  const config = read(configFile);
  const found = [
    findDeployFaults(config, environment, secrets),
    findConsoleFaults(read(consoleFile), config, config.name ?? ''),
    examineCaps(deployment),
  ];
  const errors = found.flatMap((one) => one.errors);
  const isReady = errors.length === 0;
  return {
    lines: [
      ...found.flatMap((one) => one.warnings).map((warning) => `warning: ${warning}.`),
      ...errors.map((error) => `error: ${error}.`),
      isReady ? `${environment} can be deployed.` : `${environment} cannot be deployed yet.`,
    ],
    isReady,
  };
}
