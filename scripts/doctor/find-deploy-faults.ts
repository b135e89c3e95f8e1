import { findConfigFaults } from '../start/find-config-faults.ts';
import { type ReachConfig, findPlatformFaults, findRouteFaults } from './find-reach-faults.ts';
import { DepositKeys } from '../../src/addresses/deposit-keys.ts';
import { holdsSandboxKey } from '../../src/addresses/sandbox-wallet.ts';

const neededSecrets = [
  'API_KEY_SECRETS',
  'CURSOR_SECRET',
  'TOTP_SECRETS',
  'OPERATOR_TOKEN',
  'DEPOSIT_TOKEN',
  'AUDITOR_TOKEN',
  'CUSTODY_SECRET',
] as const;

/** Stands in for a secret, of which only the name is known before a deploy. */
function standIn(name: string): string {
  const value = `stands-in-for-the-secret-value-of-${name}`;
  return name.endsWith('_SECRETS') ? JSON.stringify({ 1: value }) : value;
}

export interface DeployConfig extends ReachConfig {
  readonly vars: Readonly<Record<string, unknown>>;
  readonly d1_databases: readonly {
    readonly binding: string;
    readonly database_name?: string | undefined;
    readonly database_id?: string | undefined;
  }[];
}

/** What is wrong: what the Worker does not start with, and what it starts with but nobody should want. */
export interface DeployFaults {
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** No id, or one that `npm run ledgers -- add` wrote. */
export const NO_DATABASE = /^(0{8}-(0{4}-){3}\d{12})?$/;

/**
 * Finds what is wrong with a deployment before it is made, each as a sentence part such as `CUSTODY_URL is not https in
 * production`. `environment` is its name in wrangler.toml, which the commands that mend a fault have to name. `secrets` are
 * the names that are set, `undefined` where they are not known. The Worker's own rules judge the variables.
 */
export function findDeployFaults(
  config: DeployConfig,
  environment: string,
  secrets: readonly string[] | undefined,
): DeployFaults {
  const standIns = Object.fromEntries(neededSecrets.map((name) => [name, standIn(name)]));
  const variables = Object.fromEntries(Object.entries(config.vars).map(([name, value]) => [name, String(value)]));
  const databases = config.d1_databases.filter(({ database_id: id = '' }) => NO_DATABASE.test(id));
  const missing = secrets ? neededSecrets.filter((name) => !secrets.includes(name)) : [];
  const written = neededSecrets.filter((name) => variables[name] !== undefined);
  return {
    errors: [
      ...findRouteFaults(config, environment),
      ...findPlatformFaults(config, environment),
      ...databases.map(
        ({ binding, database_name: name = 'NAME' }) =>
          `${binding} has no database_id: put the one that \`npx wrangler d1 create ${name}\` prints into [[env.${environment}.d1_databases]]`,
      ),
      ...missing.map((name) => `${name} is not set: \`npx wrangler secret put ${name} --env ${environment}\``),
      ...written.map((name) => `${name} is a variable, which everybody with the repository can read: make it a secret`),
      ...findConfigFaults({ ...standIns, ...variables }),
      ...findDepositKeyFaults(variables['DEPOSIT_KEYS'] ?? '{}'),
    ],
    warnings: [
      ...(variables['ACCESS_ISSUER'] ? [] : ['ACCESS_ISSUER is empty: nobody can sign in, and the audit names tokens']),
      ...(variables['SECURITY_CONTACT']
        ? []
        : ['SECURITY_CONTACT is empty: whoever finds a weakness does not know whom to tell']),
      ...(secrets ? [] : ['the secrets were not checked: pipe `wrangler secret list` into this command']),
      ...(variables['CUSTODY_SIGNER_KEY']
        ? []
        : [
            'CUSTODY_SIGNER_KEY is empty: no Solana address is taken, so no account can be opened; and whoever takes over the custodian can have a paid withdrawal refused and returned',
          ]),
      ...(variables['DEPOSITS_AGREED_FROM'] === '{}'
        ? ['DEPOSITS_AGREED_FROM is empty: one watcher alone is believed about deposits of any amount']
        : []),
      ...(secrets && !secrets.includes('CUSTODY_SIGNING_KEY')
        ? ['CUSTODY_SIGNING_KEY is not set: payouts carry no signature of their own, which custodian/ needs']
        : []),
    ],
  };
}

function findDepositKeyFaults(text: string): string[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return [];
  }
  const keys = DepositKeys.safeParse(json);
  if (!keys.success)
    return ['DEPOSIT_KEYS is not filled in: `npm run make:addresses` prints it, on an offline machine'];
  return holdsSandboxKey(keys.data) ? ['DEPOSIT_KEYS holds a key of the public test mnemonic'] : [];
}
