import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { findRequestFault } from '../../../../custodian/src/contract/verify-request.ts';
import { type PlayedServer, type Saying, say, sayWrongly, serveOnLoopback } from '../run/serve-on-loopback.ts';
import { CustodianBook, readPayout } from './custodian.ts';
import { CustodianProgrammes } from './custodian-programmes.ts';
import type {
  CustodianAnswer,
  CustodianDecision,
  CustodianPayout,
  CustodianProgramme,
  CustodianReport,
  CustodianRequests,
} from './custodian-state.ts';

export const custodianKey = { id: 'bureau-tests', secret: 'the-secret-that-the-tests-share-with-the-custodian' };

const secrets = new Map([[custodianKey.id, custodianKey.secret]]);

/** The variables of a Worker whose withdrawals the custodian at this address pays. */
export const custodyVariables = (url: string) => ({
  CUSTODY_PROVIDER: 'http',
  CUSTODY_URL: url,
  CUSTODY_KEY_ID: custodianKey.id,
  CUSTODY_SECRET: custodianKey.secret,
});

/**
 * Starts the reference custodian of docs/custody.md on loopback, with a book of its own. Tests set it through
 * `/control`, by way of `CustodianRemote`.
 */
export async function startCustodian(): Promise<PlayedServer> {
  let book = new CustodianBook();
  let programmes = new CustodianProgrammes();
  let rejections: string[] = [];
  let requests: Record<string, CustodianRequests> = {};
  const lookedUp = new Set<string>();
  let holdings: CustodianAnswer = 'never_seen';

  const control = async (request: IncomingMessage, response: ServerResponse) => {
    switch (request.method ?? '') {
      case 'DELETE':
        [book, programmes, rejections, requests] = [new CustodianBook(), new CustodianProgrammes(), [], {}];
        holdings = 'never_seen';
        break;
      case 'POST':
        programmes.add(JSON.parse(await text(request)) as CustodianProgramme);
        break;
      case 'PUT':
        holdings = JSON.parse(await text(request)) as CustodianAnswer;
        break;
      case 'PATCH': {
        const { withdrawalId, act } = JSON.parse(await text(request)) as CustodianDecision;
        book.decide(withdrawalId, act);
        break;
      }
    }
    const report: CustodianReport = { payouts: book.list(), rejections, requests };
    say(response, { status: 200, body: report });
  };

  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const { method = '', url: path = '', headers } = request;
    if (path === '/control') return control(request, response);
    if (path.startsWith('/moved?')) {
      response.end(new URL(path, 'http://custodian').searchParams.get('body'));
      return;
    }
    const body = await buffer(request);
    const signed = { method, path, headers, body };
    const fault = findRequestFault(signed, secrets, Math.floor(Date.now() / 1000));
    if (fault !== undefined) {
      rejections.push(fault);
      return say(response, { status: 401, body: { error: fault } });
    }
    if (path === '/v1/holdings' && method === 'GET') return answerHoldings(response, holdings);
    const withdrawalId = decodeURIComponent(/^\/v1\/payouts\/([^/?]+)$/.exec(path)?.[1] ?? '');
    if (withdrawalId === '' || (method !== 'PUT' && method !== 'GET')) {
      return say(response, { status: 404, body: { error: 'no such route' } });
    }
    const { submissions, lookups } = requests[withdrawalId] ?? { submissions: 0, lookups: 0 };
    requests[withdrawalId] =
      method === 'PUT' ? { submissions: submissions + 1, lookups } : { submissions, lookups: lookups + 1 };
    const programme = programmes.take(method, withdrawalId);
    // What acts late must not reach into the next test's book.
    const opened = book;
    await sleep(programme.delay_ms ?? 0);
    while (programme.afterLookup && !lookedUp.has(withdrawalId)) await sleep(5);
    if (method === 'GET') {
      opened.decide(withdrawalId, programme.act ?? 'nothing');
    } else {
      const payout = readPayout(withdrawalId, body.toString('utf8'));
      if (payout === undefined) return say(response, { status: 400, body: { error: 'not a payout' } });
      const earlier = opened.find(withdrawalId);
      if (earlier !== undefined && JSON.stringify(earlier.payout) !== JSON.stringify(payout)) {
        return say(response, { status: 400, body: { error: 'another payout has this id' } });
      }
      opened.submit(payout, programme.act ?? 'pay');
    }
    answer(response, programme.answer ?? 'state', sayState(method, opened.find(withdrawalId)));
    if (method === 'GET') lookedUp.add(withdrawalId);
  };

  return serveOnLoopback(serve);
}

/** Answers what is held: word for word what a test set, or with a fault. */
function answerHoldings(response: ServerResponse, kind: CustodianAnswer): void {
  answer(response, kind, { status: 200, body: { networks: [] } });
}

/** How a payout stands, in the words of the contract. */
function sayState(method: string, entry: CustodianPayout | undefined): Saying {
  if (entry === undefined) return { status: 404, body: { status: 'never_seen' } };
  const { status, txHash, reason } = entry;
  const body = { status, ...(txHash !== null && { txHash }), ...(reason !== null && { reason }) };
  return { status: method === 'PUT' && status === 'refused' ? 422 : 200, body };
}

function answer(response: ServerResponse, kind: CustodianAnswer, state: Saying): void {
  if (typeof kind === 'object') {
    response.writeHead(kind.status, { 'Content-Type': 'application/json' }).end(kind.body);
    return;
  }
  switch (kind) {
    case 'state':
      return say(response, state);
    case 'duplicate':
      return say(response, { ...state, status: 409 });
    case 'silent_duplicate':
      return say(response, { status: 409, body: { error: 'duplicate' } });
    case 'never_seen':
      return say(response, { status: 404, body: { status: 'never_seen' } });
    case 'error':
      return say(response, { status: 500, body: { error: 'internal' } });
    case 'stall':
      response.writeHead(state.status, { 'Content-Type': 'application/json' }).write('{"status":');
      return;
    case 'redirect':
      response.writeHead(302, { Location: `/moved?body=${encodeURIComponent(JSON.stringify(state.body))}` }).end();
      return;
    case 'hang':
    case 'reset':
    case 'html':
    case 'truncated':
    case 'huge':
      sayWrongly(response, kind, state);
  }
}
