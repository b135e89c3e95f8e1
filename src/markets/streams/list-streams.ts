import type { PriceVenue } from '../../money/venue-symbols.ts';
import { binanceStream } from './binance.ts';
import { bybitStream } from './bybit.ts';
import { coinbaseStream } from './coinbase.ts';
import { gateStream } from './gate.ts';
import { krakenStream } from './kraken.ts';
import { kucoinStream } from './kucoin.ts';
import { okxStream } from './okx.ts';
import type { StreamSource } from './stream-source.ts';

/** How each venue pushes its books. */
export const streamSources: Readonly<Record<PriceVenue, StreamSource>> = {
  binance: binanceStream,
  okx: okxStream,
  coinbase: coinbaseStream,
  kucoin: kucoinStream,
  kraken: krakenStream,
  gate: gateStream,
  bybit: bybitStream,
};
