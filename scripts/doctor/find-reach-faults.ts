import { PLACEHOLDER_HOST } from '../../src/config.ts';

/** As much of a configuration of wrangler as decides whether a Worker can be reached and deployed. */
export interface ReachConfig {
  readonly routes?: readonly (string | { readonly pattern: string })[] | undefined;
  readonly account_id?: string | undefined;
  readonly limits?: { readonly cpu_ms?: number | undefined } | undefined;
  readonly durable_objects?: { readonly bindings: readonly { readonly class_name: string }[] } | undefined;
  readonly migrations?:
    | readonly { readonly tag: string; readonly new_sqlite_classes?: readonly string[] | undefined }[]
    | undefined;
}

/** The hosts that lead to a Worker, without paths. */
export function listHosts({ routes = [] }: ReachConfig): string[] {
  return routes.map((route) => (typeof route === 'string' ? route : route.pattern).split('/')[0] ?? '');
}

/** Why nobody could reach a Worker of `environment`, each as a part of a sentence. */
export function findRouteFaults(config: ReachConfig, environment: string): string[] {
  const hosts = listHosts(config);
  if (hosts.length === 0)
    return [
      `no route leads to the Worker: add \`routes = [{ pattern = "YOUR HOST", custom_domain = true }]\` to [env.${environment}]`,
    ];
  return hosts
    .filter((host) => PLACEHOLDER_HOST.test(host))
    .map((host) => `the route ${host} is a placeholder: fill in your own`);
}

/** What the platform would refuse at the deployment, or take to another account. */
export function findPlatformFaults(config: ReachConfig, environment: string): string[] {
  const { migrations = [], durable_objects: { bindings } = { bindings: [] } } = config;
  const made = migrations.flatMap(({ new_sqlite_classes: classes = [] }) => classes);
  const missing = bindings.map((one) => one.class_name).filter((name) => !made.includes(name));
  const isInOrder = migrations.every(({ tag }, at) => tag === `v${at + 1}`);
  return [
    ...(config.account_id
      ? []
      : ['account_id is not named: `npx wrangler whoami` prints it, and a login may have several']),
    ...(config.limits?.cpu_ms
      ? []
      : [`[env.${environment}.limits] has no cpu_ms, which only the paid plan takes and the exchange needs`]),
    ...(isInOrder
      ? []
      : [
          `the tags of [[env.${environment}.migrations]] are not v1, v2 and so on in order: the platform skips what comes before the last one that it knows`,
        ]),
    ...missing.map((name) => `no migration makes the class ${name}`),
  ];
}
