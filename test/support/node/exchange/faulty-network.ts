import { setTimeout as rest } from 'node:timers/promises';
import { createRandom } from '../../../../src/markets/sandbox-random.ts';
import { forward } from '../run/forward.ts';
import { type PlayedServer, serveOnLoopback } from '../run/serve-on-loopback.ts';

/** How many of sixteen orders go wrong in each way: so each way comes in every run that is long enough. */
const faults = {
  /** The order never arrives. */
  lostRequest: 2,
  /** 503, and the order never arrives. */
  unavailable: 1,
  /** The client has long given up when the order arrives. */
  late: 1,
  /** The order was executed, and nobody hears of it. */
  lostAnswer: 3,
  /** 502, after the order was executed. */
  badGateway: 1,
} as const;

const ROUND = 16;

type Fault = keyof typeof faults;

const LATE_MS = 300;

export interface FaultyNetworkOptions {
  /** The exchange that requests are sent on to. It may be another one later, or none for a while. */
  readonly target: () => string;
  readonly seed: number;
  /** Hears of each order, before it is sent on, and when it was executed or not. */
  readonly onOrder?: (moment: 'sent' | 'executed') => void;
}

export interface FaultyNetwork extends PlayedServer {
  /** How many orders came, and how often each thing went wrong. */
  readonly seen: Readonly<Record<Fault | 'orders', number>>;
  /** Whether orders go wrong. What is only read never does. */
  areFaults: boolean;
}

/** A network between a dealer and a venue: it loses orders and answers, brings orders late, and answers 5xx for the venue. */
export async function startFaultyNetwork({
  target,
  seed,
  onOrder = () => undefined,
}: FaultyNetworkOptions): Promise<FaultyNetwork> {
  const random = createRandom(seed);
  const seen = { orders: 0, lostRequest: 0, unavailable: 0, late: 0, lostAnswer: 0, badGateway: 0 };
  const state = { areFaults: true };

  const wrong = (Object.keys(faults) as Fault[]).flatMap((fault) => Array<Fault>(faults[fault]).fill(fault));
  /** What becomes of the next orders of this round. */
  let left: (Fault | undefined)[] = [];
  const drawFault = (): Fault | undefined => {
    if (left.length === 0) left = Array.from({ length: ROUND }, (_, place) => wrong[place]);
    return left.splice(Math.floor(random() * left.length), 1)[0];
  };

  const { url, stop } = await serveOnLoopback(async (request, response) => {
    const isOrder = request.method === 'POST';
    const fault = isOrder && state.areFaults ? drawFault() : undefined;
    if (isOrder) {
      seen.orders += 1;
      onOrder('sent');
    }
    if (fault) seen[fault] += 1;
    if (fault === 'lostRequest') return void response.destroy();
    if (fault === 'unavailable') return void response.writeHead(503).end('{}');
    if (fault === 'late') {
      const arriving = rest(LATE_MS).then(() => forward(target(), request));
      response.destroy();
      return void (await arriving);
    }
    const answer = await forward(target(), request);
    if (isOrder) onOrder('executed');
    if (fault === 'lostAnswer') return void response.destroy();
    if (fault === 'badGateway') return void response.writeHead(502).end('<html>');
    return void response.writeHead(answer.status, [...answer.headers].flat()).end(answer.body);
  });
  return Object.assign(state, { seen, url, stop });
}
