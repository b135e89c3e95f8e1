import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { serveOnLoopback } from '../run/serve-on-loopback.ts';

/** What is behind the played API: it runs statements in one transaction, and returns the rows of each as objects. */
export type RunStatements = (database: string, sql: readonly string[]) => Promise<Record<string, unknown>[][]>;

/** A server on loopback that plays the part of Cloudflare's API that is about D1. */
export interface PlayedD1Api {
  /** The variables with which wrangler and the scripts ask it. */
  readonly environment: Readonly<Record<string, string>>;
  /** The requests that it had, such as `POST raw`. */
  readonly asked: readonly string[];
  /** The status of its next answers, before it answers again as it should. */
  readonly refusals: number[];
  stop(): Promise<void>;
}

/** A request to the API that is not about one database. */
export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly type: string;
  readonly body: Buffer<ArrayBuffer>;
}

/** What answers other requests: `undefined` where there is no such thing. */
export type AnswerCall = (call: ApiCall) => Promise<unknown>;

const TOKEN = 'played-token';
/** One that may edit D1 and nothing else. */
const D1_TOKEN = 'played-token-of-d1';
const ACCOUNT = 'played-account';
const META = { duration: 1, served_by_region: 'WEUR' };

/**
 * Plays `raw`, `query` and `import` of D1's REST API. As D1 does, it returns integers as numbers of JSON, divides what is
 * sent in a question at each semicolon, also inside a trigger, and takes a file that is imported as it is. `others` answers
 * what is asked of the API beside.
 */
export async function playD1Api(run: RunStatements, others?: AnswerCall): Promise<PlayedD1Api> {
  const asked: string[] = [];
  const refusals: number[] = [];
  const files = new Map<string, string>();
  const answer = async (request: IncomingMessage): Promise<{ status: number; body: unknown; etag?: string }> => {
    const bytes = await buffer(request);
    const body = String(bytes);
    const path = request.url?.split('?')[0] ?? '';
    if (path === '/upload') {
      const etag = digest(body);
      files.set(etag, body);
      return { status: 200, body: null, etag };
    }
    const [found, database = '', action = ''] = /\/d1\/database\/([^/]+)\/?([a-z]*)$/.exec(path) ?? [];
    asked.push(`${request.method} ${action}`);
    const isAllowed =
      request.headers.authorization === `Bearer ${TOKEN}` ||
      (request.headers.authorization === `Bearer ${D1_TOKEN}` && path.includes('/d1/'));
    if (!isAllowed || (!others && !path.includes(`/accounts/${ACCOUNT}/`))) {
      return { status: 403, body: refuse('Authentication error', 10_000) };
    }
    if (others && found === undefined) {
      const { method = '', headers } = request;
      const result = await others({ method, path, type: headers['content-type'] ?? '', body: bytes });
      return result === undefined
        ? { status: 404, body: refuse('not found', 10_007) }
        : { status: 200, body: grant(result) };
    }
    const status = refusals.shift();
    if (status !== undefined) return { status, body: refuse('the API is busy') };
    if (action === '') return { status: 200, body: grant({ uuid: database, name: database }) };
    const told = JSON.parse(body) as { sql: string; action: string; etag: string };
    try {
      if (action === 'import') return { status: 200, body: grant(await importFile(database, told)) };
      const results = await run(
        database,
        told.sql.split(';').filter((sql) => sql.trim() !== ''),
      );
      return {
        status: 200,
        body: grant(results.map((rows) => ({ success: true, results: shape(action, rows), meta: META }))),
      };
    } catch (error) {
      return { status: 400, body: refuse(String(error)) };
    }
  };
  const importFile = async (database: string, told: { readonly action: string; readonly etag: string }) => {
    if (told.action === 'init') return { upload_url: `${url}/upload`, filename: 'statements.sql' };
    await run(database, [files.get(told.etag) ?? '']);
    const result = {
      num_queries: 1,
      final_bookmark: '',
      meta: { duration: 1, rows_read: 0, rows_written: 0, size_after: 0 },
    };
    return { success: true, status: 'complete', messages: [], result };
  };
  const { url, stop } = await serveOnLoopback(async (request, response) => {
    const { status, body, etag } = await answer(request);
    response.writeHead(status, {
      'Content-Type': 'application/json',
      ...(etag !== undefined && { ETag: `"${etag}"` }),
    });
    response.end(JSON.stringify(body));
  });
  return {
    environment: {
      CLOUDFLARE_API_BASE_URL: url,
      CLOUDFLARE_ACCOUNT_ID: ACCOUNT,
      CLOUDFLARE_API_TOKEN: TOKEN,
    },
    asked,
    refusals,
    stop,
  };
}

function digest(body: string): string {
  return createHash('md5').update(body).digest('hex');
}

function shape(action: string, rows: readonly Record<string, unknown>[]) {
  if (action !== 'raw') return rows;
  return { columns: Object.keys(rows[0] ?? {}), rows: rows.map((row) => Object.values(row)) };
}

function grant(result: unknown) {
  return { success: true, errors: [], messages: [], result };
}

function refuse(message: string, code = 7500) {
  return { success: false, errors: [{ code, message }], messages: [], result: null };
}
