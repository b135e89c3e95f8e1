import type { AddressInfo } from 'node:net';
import { serveSigned } from '../../custodian/src/contract/serve-signed.ts';
import { type Log, describeError } from '../../custodian/src/log.ts';
import { Loop } from '../../custodian/src/loop.ts';
import { EventCounts, serveMetrics } from '../../custodian/src/metrics.ts';
import type { Config } from './config.ts';
import { Dealer } from './dealer.ts';
import { writeMetrics } from './metrics.ts';
import { Store } from './store.ts';
import { openVenue } from './venues/open-venue.ts';

const LOOK_INTERVAL_MS = 500;

/** How often balances are seen, also when Bureau does not ask for a report: they witness what a lost row has sent. */
const REPORT_INTERVAL_MS = 60_000;

const DEAL_PATH = /^\/v1\/deals\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const VENUE_PATH = /^\/v1\/venues\/([a-z0-9-]{1,32})$/;

/** A dealer that runs. */
export interface Service {
  readonly port: number;
  /** The port of the metrics; `undefined` when they are not served. */
  readonly metricsPort: number | undefined;
  /** Stops the service after its running work is finished. */
  stop(): Promise<void>;
}

/** Serves the contract, docs/dealing.md, and looks up the deals that have not ended. */
export async function startService(config: Config, print: Log, now: () => number): Promise<Service> {
  const counts = new EventCounts();
  const log = counts.wrap(print);
  const store = new Store(config.database);
  const venues = config.venues.map((settings) => openVenue(settings, now));
  const dealer = new Dealer({ store, venues, log, now });
  const { secrets, port, host } = config;
  const server = await serveSigned({ secrets, port, host, log, now }, async ({ method, path, body }) => {
    const id = DEAL_PATH.exec(path)?.[1];
    const name = VENUE_PATH.exec(path)?.[1];
    if (id === undefined && name === undefined) return { status: 404, body: { error: 'no such route' } };
    if (method === 'GET') return id === undefined ? dealer.report(name ?? '') : dealer.lookUp(id);
    if (method === 'PUT' && id !== undefined) return dealer.submit(id, body.toString('utf8'));
    return { status: 405, body: { error: 'no such method' } };
  });
  const looking = new Loop(
    () => dealer.resolveOpen(),
    LOOK_INTERVAL_MS,
    (error) => log('look_failed', { error: describeError(error) }),
  );
  const reporting = new Loop(
    async () => {
      for (const { name } of venues) await dealer.report(name);
    },
    REPORT_INTERVAL_MS,
    (error) => log('report_failed', { error: describeError(error) }),
  );
  const parts = { store, dealer, venues: venues.map(({ name }) => name), counts, now };
  const metrics =
    config.metricsPort === undefined ? undefined : await serveMetrics(() => writeMetrics(parts), config.metricsPort);
  const served = (server.address() as AddressInfo).port;
  log('dealer_started', {
    port: served,
    venues: parts.venues.join(','),
    open: store.listOpen().length,
  });
  return {
    port: served,
    metricsPort: (metrics?.address() as AddressInfo | undefined)?.port,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      metrics?.close();
      metrics?.closeAllConnections();
      await Promise.all([looking.stop(), reporting.stop()]);
      await dealer.finish();
      store.close();
    },
  };
}
