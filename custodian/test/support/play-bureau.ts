import { createHash, createHmac } from 'node:crypto';
import { type Server, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Network } from '../../../src/money/networks.ts';
import { findListing } from '../../src/networks.ts';
import type { PoolEntry } from '../../src/signer/wallet.ts';
import { orderOf } from './signing.ts';

export interface ReportedDeposit {
  readonly network: string;
  readonly address: string;
  readonly asset: string;
  readonly amount: string;
  readonly txHash: string;
  readonly outputIndex: number;
  readonly confirmations: number;
  readonly failed: boolean;
}

export const KEY_ID = 'bureau-tests';
export const SECRET = 'the-secret-that-the-tests-share-with-the-custodian';
export const DEPOSIT_TOKEN = 'the-token-with-which-these-tests-report-deposits';

/** Plays Bureau towards the custodian: it receives reports of deposits, and sends signed requests. */
export class PlayedBureau {
  readonly url: string;
  readonly reports: ReportedDeposit[] = [];
  /** The payouts that the custodian asked Bureau to look up. */
  readonly looks: string[] = [];
  /** While true, every connection is closed without an answer. */
  isDeaf = false;
  /** While true, no request gets an answer. */
  isSilent = false;
  /** An address that belongs to no account of Bureau, so that its deposits are quarantined. */
  unowned: string | undefined;
  /** The pool of Solana addresses, in the order of their indexes; a page has three. */
  readonly pool: Pick<PoolEntry, 'index' | 'address'>[] = [];
  /** The entries of each upload. */
  readonly uploads: PoolEntry[][] = [];
  /** How many addresses are assigned, once this resolves. */
  assigned: Promise<number> = Promise.resolve(0);
  readonly #server: Server;
  readonly #status = new Map<string, string>();

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<PlayedBureau> {
    let bureau: PlayedBureau | undefined;
    const server = createServer((request, response) => {
      if (bureau?.isDeaf) return void request.socket.destroy();
      if (bureau?.isSilent) return;
      void text(request).then((body) => {
        if (request.url?.endsWith('/address-range')) {
          return void bureau?.assigned.then((count) => response.end(JSON.stringify({ count })));
        }
        const asked = /solana-addresses(?:\?from=(\d+))?$/.exec(request.url ?? '');
        if (asked) {
          if (request.method === 'POST') bureau?.fill((JSON.parse(body) as { addresses: PoolEntry[] }).addresses);
          const page = bureau?.pool.filter(({ index }) => index >= Number(asked[1] ?? 0)).slice(0, 3);
          return void response.end(JSON.stringify({ addresses: page, solanaPool: { highestIndex: 0 } }));
        }
        const look = /withdrawals\/([^/]+)\/look$/.exec(request.url ?? '')?.[1];
        if (look !== undefined) {
          bureau?.looks.push(look);
          return void response.writeHead(404).end();
        }
        const isRight = request.headers.authorization === `Bearer ${DEPOSIT_TOKEN}`;
        const report = JSON.parse(body) as ReportedDeposit;
        const status = isRight ? bureau?.take(report) : undefined;
        const answer = { deposit: { status, reason: null } };
        response.writeHead(status ? 200 : 401, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    bureau = new PlayedBureau(server);
    return bureau;
  }

  /** Takes an upload to the pool as Bureau does: what it has already is no error. */
  fill(entries: readonly PoolEntry[]): void {
    this.uploads.push([...entries]);
    for (const { index, address } of entries) {
      if (!this.pool.some((held) => held.index === index)) this.pool.push({ index, address });
    }
    this.pool.sort((one, other) => one.index - other.index);
  }

  /**
   * Takes a report as Bureau does: a deposit that is completed or failed never changes, and one in quarantine only when
   * it fails.
   */
  take(report: ReportedDeposit): string {
    this.reports.push(report);
    const name = `${report.network}:${report.txHash}:${report.outputIndex}`;
    const standing = this.#status.get(name) ?? 'PENDING';
    const needed = findListing(report.network as Network, report.asset)?.confirmations ?? Infinity;
    const credited = report.confirmations >= needed ? 'COMPLETED' : 'PENDING';
    const isQuarantined = report.outputIndex >= 2 ** 31 || report.address === this.unowned;
    const next = report.failed ? 'FAILED' : isQuarantined ? 'QUARANTINED' : credited;
    if (standing === 'PENDING' || (standing === 'QUARANTINED' && report.failed)) this.#status.set(name, next);
    return this.#status.get(name) ?? 'PENDING';
  }

  statusOf(network: string, txHash: string, outputIndex = 0): string | undefined {
    return this.#status.get(`${network}:${txHash}:${outputIndex}`);
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}

/** An answer of a custodian. */
export interface CustodianReply {
  readonly status: number;
  readonly body: { readonly status?: string; readonly txHash?: string; readonly reason?: string };
}

/** Sends a request to a custodian as Bureau does: signed by HMAC, and an order by Ed25519 as well. */
export async function askCustodian(
  port: number,
  method: 'GET' | 'PUT',
  path: string,
  payout?: object,
  headers: Record<string, string> = {},
): Promise<CustodianReply> {
  const order = payout && orderOf(payout);
  const body = order?.body ?? '';
  const timestamp = Math.floor(Date.now() / 1000);
  const hash = createHash('sha256').update(body).digest('hex');
  const signature = createHmac('sha256', SECRET).update(`${timestamp}.${method}.${path}.${hash}`).digest('hex');
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    ...(method === 'PUT' && { body }),
    headers: {
      'X-Bureau-Key-Id': KEY_ID,
      'X-Bureau-Timestamp': String(timestamp),
      'X-Bureau-Signature': `v1=${signature}`,
      ...(order && { 'X-Bureau-Payout-Signature': `ed25519=${order.signature}` }),
      ...headers,
    },
  });
  return { status: response.status, body: (await response.json()) as CustodianReply['body'] };
}
