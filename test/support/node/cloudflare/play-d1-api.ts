import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
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

const TOKEN = 'played-token';
const ACCOUNT = 'played-account';

/**
 * Plays `raw`, `query` and `import` of D1's REST API. As D1 does, it returns integers as numbers of JSON, divides what is
 * sent in a question at each semicolon, also inside a trigger, and takes a file that is imported as it is.
 */
export async function playD1Api(run: RunStatements): Promise<PlayedD1Api> {
  const asked: string[] = [];
  const refusals: number[] = [];
  const files = new Map<string, string>();
  const answer = async (request: IncomingMessage): Promise<{ status: number; body: unknown; etag?: string }> => {
    const body = await text(request);
    const path = request.url?.split('?')[0] ?? '';
    if (request.method === 'PUT') {
      const etag = digest(body);
      files.set(etag, body);
      return { status: 200, body: null, etag };
    }
    const [, database = '', action = ''] = /\/d1\/database\/([^/]+)\/?([a-z]*)$/.exec(path) ?? [];
    asked.push(`${request.method} ${action}`);
    if (request.headers.authorization !== `Bearer ${TOKEN}` || !path.includes(`/accounts/${ACCOUNT}/`)) {
      return { status: 403, body: refuse('Authentication error') };
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
      return { status: 200, body: grant(results.map((rows) => ({ success: true, results: shape(action, rows) }))) };
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

function refuse(message: string) {
  return { success: false, errors: [{ code: 7500, message }], messages: [], result: null };
}
