import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import { describeError } from '../log.ts';
import { findRequestFault } from './verify-request.ts';
import { type ContractAnswer, type OrderBook, lookUp, takeOrder } from './take-order.ts';

const MAX_BODY_BYTES = 4096;
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const PAYOUT_PATH = new RegExp(`^/v1/payouts/(${UUID})$`);

export interface ContractSettings extends OrderBook {
  /** Secrets by key id. There are two while a secret is rotated. */
  readonly secrets: ReadonlyMap<string, string>;
  /** What is on the chains, for `GET /v1/holdings`. */
  readonly readHoldings: () => Promise<unknown>;
  /** Called after an order was accepted. */
  readonly onOrder: () => void;
}

/** Serves the custodian's contract (docs/custody.md) over plain HTTP. A proxy in front of it must add TLS. */
export async function serveContract(settings: ContractSettings, port: number, host: string): Promise<Server> {
  const server = createServer((request, response) => {
    answer(settings, request).then(
      (answered) => say(response, answered),
      (error: unknown) => {
        // Bureau takes a 500 as unknown, which is right for every failure.
        settings.log('request_failed', { error: describeError(error) });
        say(response, { status: 500, body: { error: 'internal' } });
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

async function answer(settings: ContractSettings, request: IncomingMessage) {
  const { method = '', url: path = '', headers } = request;
  const body = await readBody(request);
  if (!body) return { status: 413, body: { error: 'too large' } };
  const fault = findRequestFault({ method, path, headers, body }, settings.secrets, Math.floor(settings.now() / 1000));
  if (fault !== undefined) {
    settings.log('request_refused', { fault });
    return { status: 401, body: { error: fault } };
  }
  if (method === 'GET' && path === '/v1/holdings') return { status: 200, body: await settings.readHoldings() };
  const withdrawalId = PAYOUT_PATH.exec(path)?.[1];
  if (withdrawalId === undefined) return { status: 404, body: { error: 'no such route' } };
  if (method === 'GET') return lookUp(settings, withdrawalId);
  if (method !== 'PUT') return { status: 405, body: { error: 'no such method' } };
  const signature = /^ed25519=([0-9a-f]{128})$/.exec(String(headers['x-bureau-payout-signature']))?.[1] ?? '';
  const answered: ContractAnswer = takeOrder(settings, withdrawalId, body.toString('utf8'), signature);
  if (answered.status === 200) settings.onOrder();
  return answered;
}

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size > MAX_BODY_BYTES ? undefined : Buffer.concat(chunks);
}

function say(response: ServerResponse, { status, body }: { status: number; body: unknown }): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(body));
}
