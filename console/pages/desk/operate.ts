import { systemClock } from '../../../clients/bureau-client/src/clock.ts';
import { type Connection, call } from '../../../clients/bureau-client/src/call.ts';
import { BureauError } from '../../../clients/bureau-client/src/errors.ts';
import type { OperationOf, PathOf, Problem, ResultOf } from '../../../clients/bureau-client/src/operations.ts';
import { defaultLimits } from '../../../clients/bureau-client/src/retry.ts';
import { saveFile } from '../save-file.ts';
import type { Operations, Proposal } from './schema.d.ts';

type Name = keyof Operations;

type PlacesOf<Path> = Path extends `${string}{${infer Place}}${infer Rest}` ? Place | PlacesOf<Rest> : never;

/** What an operation takes: what its path names, its query and its body. */
export type Input<N extends Name> = (PlacesOf<N> extends never
  ? object
  : { readonly path: Record<PlacesOf<N>, string> }) &
  (Operations[N]['query'] extends undefined ? object : { readonly query?: Operations[N]['query'] }) &
  (Operations[N]['body'] extends undefined ? object : { readonly body: Operations[N]['body'] });

/** What an operation answers with, where it may also answer with a proposal: that has to be looked for. */
export type Answer<N extends Name> = Operations[N]['answer'];

/** The exchange, through the console's Worker. Access puts the sign-in beside it. */
const connection: Connection = {
  ...defaultLimits,
  origin: location.origin,
  apiKey: undefined,
  fetch: fetchSignedIn,
  clock: systemClock,
  random: () => Math.random(),
  createKey: () => crypto.randomUUID(),
};

/** Access answers with the way to its sign-in when the one of this page has ended. That is no answer of the exchange. */
async function fetchSignedIn(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  if (response.type !== 'opaqueredirect') return response;
  const problem = {
    title: 'Signed out',
    status: 401,
    code: 'signed_out',
    detail: 'Your sign-in has ended. Load this page anew to sign in.',
    requestId: 'none: it did not reach the exchange',
    retryable: false,
  };
  return Response.json(problem, { status: 401, headers: { 'Content-Type': 'application/problem+json' } });
}

/**
 * Calls an operation of the operator's API, named by its method and path. Rejects with a `BureauError` when it is
 * refused.
 */
export async function operate<N extends Name>(
  name: N,
  ...[input]: object extends Input<N> ? [input?: Input<N>] : [input: Input<N>]
): Promise<Answer<N>> {
  const [method = '', path = ''] = name.split(' ');
  return (await send(method, `/operator/v1${path}`, input)) as Answer<N>;
}

/** What a path of the public API answers to everybody. Rejects with a `BureauError` when it is refused. */
export const readPublic = async <P extends PathOf<'get'>>(path: P) =>
  (await send('get', path)) as ResultOf<OperationOf<'get', P>>;

async function send(method: string, path: string, input: object = {}): Promise<unknown> {
  const { outcome, ...details } = await call(connection, method, path, input);
  if (outcome.kind === 'refused') throw new BureauError(outcome.problem, details);
  return outcome.answer.body;
}

/**
 * Exports a whole list of the operator's API as CSV. Rejects with a `BureauError` when it is refused, and with a
 * `TypeError` when it breaks off.
 */
export async function exportCsv({ list, query }: Operations['post /exports']['body']): Promise<string> {
  const response = await fetchSignedIn('/operator/v1/exports', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ list, query }),
  });
  if (!response.ok) throw new BureauError((await response.json()) as Problem, { attempts: 1 });
  return response.text();
}

/** Hands an exported list to the browser as a file. */
export function saveCsv(list: string, csv: string): void {
  const day = new Date().toISOString().slice(0, 10);
  saveFile(`${list.replace('/operator/v1/', '').replaceAll('/', '-')}-${day}.csv`, csv, 'text/csv');
}

/** The proposal that a change became because it needs two people; `undefined` when it was made. */
export function findProposal(answer: unknown): Proposal | undefined {
  const { proposal } = answer as { readonly proposal?: Proposal };
  return proposal?.status === 'OPEN' ? proposal : undefined;
}
