import type { Bindings } from '../../platform/bindings.ts';
import { describeError, logFault } from '../../platform/log.ts';
import { type Outcome, type Refusal, refuse } from '../../http/answer.ts';
import { isRecent, withDeadline } from '../../platform/deadline.ts';
import { reach } from '../../platform/objects.ts';
import type { CandleHub } from './candle-hub.ts';
import { type CandleQuestion, type CandleSeries, isAboutPast } from './candle-source.ts';

export type CandleBindings = Pick<Bindings, 'CANDLE_HUB' | 'PRICE_HUB_LOCATION'>;

/** The hub has its own deadline; this one is for a hub that does not answer at all. */
const DEADLINE_MS = 5_000;

/** How long one refusal by the hub also refuses later requests. A longer time would gather the answered ones in bursts. */
const REFUSAL_MS = 200;

/** The last `service_unavailable` that this isolate heard from the hub. */
let refusal: { readonly heard_ms: number; readonly outcome: Refusal } | undefined;

/**
 * The hub's last refusal if it is recent, for requests with a start or an end. Such requests rarely share candles, so
 * another call of the hub would not help. Requests for the newest candles, which many callers share, still go to the
 * hub.
 */
function recallRefusal(question: CandleQuestion, now_ms: number): Refusal | undefined {
  return isAboutPast(question) && isRecent(REFUSAL_MS - 1, refusal?.heard_ms, now_ms) ? refusal?.outcome : undefined;
}

/**
 * The candles asked for, and when they were received. Refuses as `CandleHub.candles` does, and with
 * `upstream_unavailable` when the hub does not answer within 5 s. Never rejects.
 */
export async function readCandles(bindings: CandleBindings, question: CandleQuestion): Promise<Outcome<CandleSeries>> {
  const recalled = recallRefusal(question, Date.now());
  if (recalled) return recalled;
  try {
    const outcome = await withDeadline<Outcome<CandleSeries>>(DEADLINE_MS, () =>
      reachCandleHub(bindings).candles(question),
    );
    const isRefused = !outcome.ok && outcome.code === 'service_unavailable';
    refusal = isRefused ? { heard_ms: Date.now(), outcome } : undefined;
    return outcome;
  } catch (error) {
    logFault('candle_hub_unreachable', { error: describeError(error) });
    return refuse('upstream_unavailable', 'The source of candles cannot be reached. Try again in a few seconds.', {
      retryAfterSeconds: 5,
    });
  }
}

/** The one hub. Another location is another hub. */
export function reachCandleHub({ CANDLE_HUB, PRICE_HUB_LOCATION: location }: CandleBindings) {
  return reach(CANDLE_HUB, `candles ${location}`, location) as DurableObjectStub<CandleHub>;
}
