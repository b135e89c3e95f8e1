import { unstable_readConfig } from 'wrangler';
import { z } from 'zod';
import { findConsoleFaults } from './find-console-faults.ts';
import { FLOORS_QUERY, findCapFaults } from './find-cap-faults.ts';
import { type DeployConfig, type DeployFaults, findDeployFaults } from './find-deploy-faults.ts';
import { TERMS_QUERY, findSpreadFaults } from './find-spread-faults.ts';

/** What the database is asked, in one command. */
export const LIMITS_QUERY = `${FLOORS_QUERY}; ${TERMS_QUERY}`;

/** The answer of `wrangler d1 execute --json`: that of each statement. */
const Rows = z.object({ results: z.array(z.unknown()) });
const Answer = z.tuple([Rows, Rows]);

/** What is examined: an environment of a configuration, and what is known of what lies outside of it. */
export interface Deployment {
  readonly environment: string;
  readonly configFile: string;
  readonly consoleFile: string;
  /** The names of the secrets that are set, `undefined` where they are not known. */
  readonly secrets: readonly string[] | undefined;
  /** What the database answered to `LIMITS_QUERY`, `undefined` where it was not asked. */
  readonly caps: string | undefined;
}

function examineLimits({ caps, environment }: Deployment, { vars, d1_databases }: DeployConfig): DeployFaults {
  if (caps !== undefined) {
    const [floors, terms] = Answer.parse(JSON.parse(caps));
    const { errors, warnings } = findCapFaults(floors.results);
    return { errors: [...errors, ...findSpreadFaults(vars, terms.results[0], d1_databases.length)], warnings };
  }
  const command = `npx wrangler d1 execute DB --remote --env ${environment} --json --command "${LIMITS_QUERY}"`;
  const told = `the caps were not checked, nor the spreads, which are in the database: add \`--caps caps.json\`, after \`${command} > caps.json\``;
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
    examineLimits(deployment, config),
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
