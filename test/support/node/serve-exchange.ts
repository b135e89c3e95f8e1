import { type ExchangeOptions, startExchange } from './start-exchange.ts';

/** What a served exchange says to its starter: where it answers, and where its probe does. */
export interface ServedAddresses {
  readonly url: string;
  readonly probeUrl: string;
}

/**
 * Run as a process of its own by `startServedExchange`: an exchange with the options of its first argument, in JSON. It
 * says where it answers over the channel to its starter, and ends with that channel, so that it never outlives the
 * starter.
 */
const exchange = await startExchange(JSON.parse(process.argv[2] ?? '{}') as ExchangeOptions);

process.on('disconnect', () => void exchange.dispose().finally(() => process.exit()));
const addresses: ServedAddresses = { url: exchange.urls[0] ?? '', probeUrl: exchange.probe.url };
process.send?.(addresses);
