import type { Bindings } from '../../platform/bindings.ts';
import { describeError, logFault } from '../../platform/log.ts';
import { type Outcome, refuse } from '../../http/refusal.ts';
import { withDeadline } from '../../platform/with-deadline.ts';
import type { CandleHub } from './candle-hub.ts';
import type { CandleSeries } from './candle-series.ts';
import type { CandleQuestion } from './candle-source.ts';

/** The name of the one hub. */
const HUB_NAME = 'candles';

/** The hub has its own deadline; this one is for a hub that does not answer at all. */
const DEADLINE_MS = 5_000;

/**
 * The candles asked for, and when they were received. Refuses as `CandleHub.candles` does, and with
 * `upstream_unavailable` when the hub does not answer within 5 s. Never rejects.
 */
export async function readCandles(
  { CANDLE_HUB, PRICE_HUB_LOCATION }: Pick<Bindings, 'CANDLE_HUB' | 'PRICE_HUB_LOCATION'>,
  question: CandleQuestion,
): Promise<Outcome<CandleSeries>> {
  try {
    // A stub fails after its object was reset, so every call takes a new one.
    const options = { locationHint: PRICE_HUB_LOCATION };
    const stub = CANDLE_HUB.getByName(HUB_NAME, options) as DurableObjectStub<CandleHub>;
    return await withDeadline<Outcome<CandleSeries>>(DEADLINE_MS, () => stub.candles(question));
  } catch (error) {
    logFault('candle_hub_unreachable', { error: describeError(error) });
    return refuse('upstream_unavailable', 'The source of candles cannot be reached. Try again in a few seconds.', {
      retryAfterSeconds: 5,
    });
  }
}
