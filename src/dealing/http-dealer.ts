import { type SignedService, sendSigned } from '../custody/send-signed.ts';
import { parseJson } from '../http/request.ts';
import { withDeadline } from '../platform/deadline.ts';
import { logFault, tryOrLog } from '../platform/log.ts';
import { DealAnswer, VenueReport } from './contract.ts';
import type { DealState, Dealer } from './dealer.ts';

/** The dealer answers within 5 s. */
const DEALER_DEADLINE_MS = 7_000;
const MAX_DEAL_BYTES = 16 * 1024;
const MAX_REPORT_BYTES = 1024 * 1024;

/** The statuses of HTTP with which a state counts; with any other the same body is an error page. */
const statusOf: Readonly<Record<DealAnswer['status'], number>> = {
  dealt: 200,
  refused: 422,
  busy: 409,
  working: 200,
  unknown: 200,
  held: 200,
  never_seen: 404,
};

/** The dealer over signed HTTP, as docs/dealing.md describes it. */
export function createHttpDealer(settings: SignedService): Dealer {
  return {
    submit: async (deal) => {
      const answer = await ask(settings, 'PUT', `/v1/deals/${deal.id}`, JSON.stringify(deal), MAX_DEAL_BYTES);
      return answer ? readDealAnswer(answer.status, answer.body) : silence;
    },
    report: async (venue) => {
      const answer = await ask(settings, 'GET', `/v1/venues/${venue}`, '', MAX_REPORT_BYTES);
      const report = answer?.status === 200 ? VenueReport.safeParse(parseJson(answer.body)) : undefined;
      if (report?.success !== true) logFault('venue_silent', { venue, status: answer?.status ?? 'none' });
      return report?.data;
    },
  };
}

const silence: DealState = { kind: 'unresolved', reason: 'no answer' };

/**
 * Reads the dealer's answer about a deal. Only a body of the contract with its own status says anything; all else leaves
 * the deal unresolved, *never seen* as well, since it may still be under way. Pure.
 */
export function readDealAnswer(status: number, text: string): DealState {
  const { data: answer } = DealAnswer.safeParse(parseJson(text));
  if (!answer || statusOf[answer.status] !== status) return { kind: 'unresolved', reason: `status ${status}` };
  if (answer.status === 'dealt') {
    const { amount, cost, fee, reference } = answer;
    return { kind: 'dealt', amount, cost, fee, reference };
  }
  if (answer.status === 'refused') return { kind: 'refused', reason: answer.reason };
  if (answer.status === 'busy') return { kind: 'refused', reason: `busy: ${answer.reason}` };
  return { kind: 'unresolved', reason: answer.status === 'held' ? `held: ${answer.reason}` : answer.status };
}

async function ask(
  service: SignedService,
  method: 'GET' | 'PUT',
  path: string,
  body: string,
  maxBytes: number,
): Promise<{ readonly status: number; readonly body: string } | undefined> {
  return tryOrLog('dealer_silent', { method }, undefined, () =>
    withDeadline(DEALER_DEADLINE_MS, (signal) => sendSigned({ method, path, body }, service, { signal, maxBytes })),
  );
}
