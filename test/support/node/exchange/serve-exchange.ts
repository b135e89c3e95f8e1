import { type ExchangeOptions, startExchange } from './start-exchange.ts';

/** What a served exchange says to its starter: where it answers, and where its probe does. */
export interface ServedAddresses {
  readonly url: string;
  readonly probeUrl: string;
  readonly neighbourUrl: string | undefined;
  readonly inspectorUrl: string | undefined;
}

/**
 * Run as a process of its own by `startServedExchange`: an exchange with the options of its first argument, in JSON. It
 * says where it answers over the channel to its starter, and ends with that channel, so that it never outlives the
 * starter.
 */
const exchange = await startExchange(JSON.parse(process.argv[2] ?? '{}') as ExchangeOptions);

process.on('disconnect', () => void exchange.dispose().finally(() => process.exit()));
const { urls, probe, neighbourUrl, inspectorUrl } = exchange;
const addresses: ServedAddresses = { url: urls[0] ?? '', probeUrl: probe.url, neighbourUrl, inspectorUrl };
process.send?.(addresses);
