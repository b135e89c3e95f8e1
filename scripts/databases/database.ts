import { setTimeout as sleep } from 'node:timers/promises';

/** A row as text: integers too, because a number of JSON has only 53 bits. */
export type Row = readonly (string | null)[];

/** A database that a script of the operator reads and writes, on the platform or on this machine. */
export interface Database {
  readonly binding: string;
  /**
   * Runs statements in one transaction, and returns the rows of each. They must return integers as text, and names of
   * columns that differ. Rejects when D1 refuses one, or does not answer.
   */
  ask(statements: readonly string[]): Promise<readonly Row[][]>;
  /** Runs statements that write, such as triggers, all of them or none. Rejects with what the database said. */
  execute(statements: readonly string[]): Promise<void>;
}

/** An account of Cloudflare, and a token of it that may read D1. */
export interface CloudflareAccount {
  /** `https://api.cloudflare.com/client/v4`, or what plays it. */
  readonly origin: string;
  readonly account: string;
  readonly token: string;
}

/** The answer of D1's REST API to a raw query. */
interface RawAnswer {
  readonly success: boolean;
  readonly errors?: readonly { readonly message: string }[];
  readonly result?: readonly { readonly results: { readonly rows: Row[] } }[];
}

/** A question is asked so often before a fault counts. It is asked again after 1, 2, 4 and 8 seconds. */
const TRIES = 5;
const PAUSE_MS = 1_000;
const ANSWER_MS = 60_000;

/**
 * Asks D1 over its REST API, which runs statements that are sent together as one transaction. What is asked only reads,
 * so it is asked again when the API is busy, counts too many calls, or does not answer.
 */
export async function askCloudflare(
  { origin, account, token }: CloudflareAccount,
  id: string,
  statements: readonly string[],
  pause_ms = PAUSE_MS,
): Promise<readonly Row[][]> {
  for (let tried = 1; ; tried += 1) {
    const answer = await fetch(`${origin}/accounts/${account}/d1/database/${id}/raw`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ sql: statements.join(';\n') }),
      signal: AbortSignal.timeout(ANSWER_MS),
    }).catch((error: unknown) => new Response(String(error), { status: 503 }));
    const text = await answer.text().catch(String);
    if (answer.ok) return readRows(text, statements.length);
    if (tried === TRIES || (answer.status !== 429 && answer.status < 500)) {
      throw new Error(`D1 answered ${answer.status} to a question: ${text.slice(0, 500)}`);
    }
    await sleep(pause_ms * 2 ** (tried - 1));
  }
}

function readRows(text: string, count: number): readonly Row[][] {
  const { success, errors = [], result = [] } = JSON.parse(text) as RawAnswer;
  if (!success || result.length !== count) {
    const why = errors.map(({ message }) => message).join('; ');
    throw new Error(`D1 refused a question: ${why || `${result.length} answers to ${count} statements`}`);
  }
  return result.map(({ results }) => results.rows);
}

/** A text as a literal of SQL. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
