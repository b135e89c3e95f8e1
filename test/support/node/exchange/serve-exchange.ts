import { type ExchangeOptions, startExchange } from './start-exchange.ts';

/** What a served exchange sends to the process that started it: its addresses, and its probe's. */
export interface ServedAddresses {
  readonly url: string;
  readonly probeUrl: string;
  readonly neighbourUrl: string | undefined;
  readonly inspectorUrl: string | undefined;
}

/**
 * Runs as a process of its own, started by `startServedExchange`: an exchange with the options of its first argument,
 * in JSON. It sends its addresses to its starter over a channel, and ends with that channel, so it never outlives the
 * starter.
 */
const exchange = await startExchange(JSON.parse(process.argv[2] ?? '{}') as ExchangeOptions);

process.on('disconnect', () => void exchange.dispose().finally(() => process.exit()));
const { urls, probe, neighbourUrl, inspectorUrl } = exchange;
const addresses: ServedAddresses = { url: urls[0] ?? '', probeUrl: probe.url, neighbourUrl, inspectorUrl };
process.send?.(addresses);
