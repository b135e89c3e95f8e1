import type { V4WorkerOptionsShape } from 'miniflare';
import { unstable_getMiniflareWorkerOptions, unstable_readConfig } from 'wrangler';

/** A Worker as its configuration describes it. It can be sent to another process as JSON. */
export interface ConfiguredWorker {
  readonly name: string;
  readonly settings: V4WorkerOptionsShape;
  readonly variables: NonNullable<V4WorkerOptionsShape['bindings']>;
}

/** Reads the configuration of a Worker with wrangler, as a deployment does. Loading wrangler takes most of a second. */
export function readConfiguredWorker(file: string): ConfiguredWorker {
  const config = unstable_readConfig({ config: file });
  return {
    name: config.name ?? 'worker',
    settings: unstable_getMiniflareWorkerOptions(config).workerOptions,
    variables: config.vars,
  };
}
