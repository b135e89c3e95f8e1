import { isIP } from 'node:net';
import { PLACEHOLDER_HOST } from '../../src/config.ts';
import { listHosts } from './find-reach-faults.ts';
import { type DeployConfig, type DeployFaults, NO_DATABASE } from './find-deploy-faults.ts';

/** As much of the console's configuration as is checked. */
export interface ConsoleConfig extends DeployConfig {
  readonly services?:
    | readonly { readonly binding: string; readonly service: string; readonly entrypoint?: string | undefined }[]
    | undefined;
  readonly send_email?: readonly { readonly name: string }[] | undefined;
  readonly triggers?: { readonly crons?: readonly string[] | undefined } | undefined;
}

function read(from: DeployConfig, name: string): string {
  const value = from.vars[name];
  return typeof value === 'string' ? value : '';
}

/** Why a text is no origin that people could open, or `undefined`. */
function findOriginFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url?.origin !== text) return 'is no origin, such as https://console.exchange.example';
  if (url.protocol !== 'https:') return 'is not https';
  if (PLACEHOLDER_HOST.test(url.hostname)) return 'names a host that is a placeholder: fill in your own';
  return isIP(url.hostname.replaceAll(/[[\]]/g, '')) === 0
    ? undefined
    : 'is an IP address, where browsers refuse passkeys';
}

/**
 * Finds what is wrong with the console's configuration beside that of its exchange, whose Worker has this name. One whose
 * origin is empty is taken as left out, which is only warned of.
 */
export function findConsoleFaults(config: ConsoleConfig, exchange: DeployConfig, exchangeName: string): DeployFaults {
  const origin = read(config, 'CONSOLE_ORIGIN');
  if (origin === '') {
    return { errors: [], warnings: ['the console is not filled in (console/wrangler.toml): holders have no pages'] };
  }
  const identity = config.d1_databases.find(({ binding }) => binding === 'IDENTITY')?.database_id ?? '';
  const sender = read(config, 'MAIL_FROM').split('@');
  const [originFault, apiFault] = [origin, read(config, 'API_ORIGIN')].map(findOriginFault);
  const isBound = (binding: string, entrypoint?: string) =>
    config.services?.some(
      (one) => one.binding === binding && one.service === exchangeName && one.entrypoint === entrypoint,
    ) === true;
  const found: readonly (readonly [isWrong: boolean, what: string])[] = [
    [originFault !== undefined, `CONSOLE_ORIGIN ${originFault}`],
    [
      origin !== read(exchange, 'CONSOLE_ORIGIN'),
      'CONSOLE_ORIGIN is not that of the exchange, which would refuse what the desk changes',
    ],
    [
      origin !== '' && !listHosts(config).includes(URL.parse(origin)?.host ?? ''),
      'no route leads to the host of CONSOLE_ORIGIN: nobody could open it',
    ],
    [apiFault !== undefined, `API_ORIGIN ${apiFault}`],
    [
      sender.length !== 2 || sender.includes('') || PLACEHOLDER_HOST.test(sender[1] ?? ''),
      'MAIL_FROM is no address of yours',
    ],
    [NO_DATABASE.test(identity), 'IDENTITY has no database_id: create it with `wrangler d1 create`'],
    [
      exchange.d1_databases.some(({ database_id: id }) => id === identity && identity !== ''),
      'IDENTITY is a database of the exchange',
    ],
    [!isBound('EXCHANGE'), `EXCHANGE is not bound to ${exchangeName}`],
    [
      !isBound('HOLDERS', 'HolderEntrypoint'),
      `HOLDERS is not bound to the entrypoint HolderEntrypoint of ${exchangeName}`,
    ],
    [config.send_email?.some(({ name }) => name === 'EMAIL') !== true, 'EMAIL is not bound: no link could be mailed'],
    [(config.triggers?.crons ?? []).length === 0, 'no schedule: holders are never told what has happened'],
  ];
  return {
    errors: found.flatMap(([isWrong, what]) => (isWrong ? [`console: ${what}`] : [])),
    warnings: read(exchange, 'ACCESS_ISSUER') === '' ? ['console: without ACCESS_ISSUER nobody opens the desk'] : [],
  };
}
