import { Miniflare, type V4WorkerOptionsShape, convertV4MiniflareOptions } from 'miniflare';
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler';
import { serveBundle } from './start-exchange.ts';

type Variables = Readonly<Record<string, string>>;

/** Production's variables in wrangler.toml. Some are placeholders that the operator must fill in. */
export function readProductionVariables(): Variables {
  return unstable_readConfig({ config: 'wrangler.toml', env: 'production' }).vars as Variables;
}

/**
 * Starts the bundled Worker once with each of these variables, all in one runtime. Returns the error of each that did
 * not start, by name. The runtime starts all or none, so it throws when all would start.
 */
export async function findRefusedStarts(
  bundle: string,
  starts: Readonly<Record<string, Variables>>,
): Promise<Record<string, string>> {
  const config = unstable_readConfig({ config: 'wrangler.toml' });
  const { compatibilityDate, compatibilityFlags, d1Databases }: V4WorkerOptionsShape =
    unstable_getMiniflareWorkerOptions(config).workerOptions;
  const runtime = new Miniflare(
    convertV4MiniflareOptions({
      workers: Object.entries(starts).map(([name, bindings]) => ({
        ...serveBundle(bundle),
        ...(compatibilityDate !== undefined && { compatibilityDate }),
        ...(compatibilityFlags !== undefined && { compatibilityFlags }),
        ...(d1Databases !== undefined && { d1Databases }),
        name,
        bindings,
      })),
    }),
  );
  const failure = await runtime.ready.then(
    () => undefined,
    (error: unknown) => String(error),
  );
  // Rejects with the same error when the runtime did not start.
  await runtime.dispose().catch(() => undefined);
  if (failure === undefined) throw new Error('the Worker started with all of them');
  // The runtime's log, as JSON.
  const refused = failure.matchAll(/service core:user:(\S+): Uncaught Error: (.*?)(?:\\n|")/g);
  return Object.fromEntries([...refused].map(([, name = '', said = '']) => [name, said]));
}
