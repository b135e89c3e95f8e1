import { forward } from '../run/forward.ts';
import { type PlayedServer, serveOnLoopback } from '../run/serve-on-loopback.ts';
import { createRandom } from '../../../../src/markets/sandbox-random.ts';

/** A network that loses answers. */
export interface DroppingProxyOptions {
  /** The exchange that requests are sent on to, such as `http://127.0.0.1:8787`. */
  readonly target: string;
  /** The share of answers that are lost, from 0 to 1. */
  readonly probability: number;
  /** Decides which answers are lost: the same seed loses the same ones of the same number of requests. */
  readonly seed: number;
}

export interface DroppingProxy extends PlayedServer {
  /** How many requests were sent on, and how many of their answers were lost. */
  count(): { readonly requests: number; readonly dropped: number };
}

/**
 * Starts a proxy on loopback that forwards every request and waits for the whole answer. Then, with a seeded
 * probability, it breaks the client's connection instead of passing the answer on. The request has had its effect by
 * then. A client cannot tell this loss from one before the effect.
 */
export async function startDroppingProxy(options: DroppingProxyOptions): Promise<DroppingProxy> {
  const random = createRandom(options.seed);
  let requests = 0;
  let dropped = 0;

  const { url, stop } = await serveOnLoopback(async (request, response) => {
    const isLost = random() < options.probability;
    const answer = await forward(options.target, request);
    requests += 1;
    if (isLost) {
      dropped += 1;
      request.socket.destroy();
      return;
    }
    response.writeHead(answer.status, [...answer.headers].flat()).end(answer.body);
  });
  return { url, count: () => ({ requests, dropped }), stop };
}
