import { expect } from 'vitest';
import type { KeyLane } from '../../src/lane/key-lane.ts';
import type { Order } from '../../src/orders/order.ts';
import type { Asset } from '../../src/money/assets.ts';
import { tokenSettings } from '../../src/access/authenticate.ts';
import { drawDocuments } from '../../src/api/api-document.ts';
import { app } from '../../src/app.ts';
import { CreateApiKey, prepareApiKey } from '../../src/keys/api-key.ts';
import type { Actor } from '../../src/db/audit.ts';
import { ledgerOf } from '../../src/db/database.ts';
import { ledgerNumberOf, newRecordId } from '../../src/db/record-id.ts';
import { valueIn } from '../../src/markets/value-in-usdt.ts';
import { openAccountOnce } from '../../src/accounts/open-account-once.ts';
import { CreateCredit, creditAccount } from '../../src/deposits/credit.ts';
import { Client, type KeyOptions, RAISED, must } from './client.ts';
import { expectDocumented, listOperations } from './document/documented.ts';
import { env, worker } from './runtime/test-env.ts';

/** The Worker's address in tests. No server listens there. */
export const ORIGIN = 'https://bureau.test';

/** Every operation of both documents, as the code generates them. */
const operations = Object.values(drawDocuments(app.openAPIRegistry)).flatMap(listOperations);

/** Sends a request to the Worker and checks the response against the documents. */
export async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const { method = 'GET', body } = init;
  const response = await worker.fetch(new Request(`${ORIGIN}${path}`, init));
  await expectDocumented({ method, path, body: typeof body === 'string' ? body : undefined }, response, operations);
  return response;
}

/** A response's JSON, in the type that the test expects. */
export async function json<T>(response: Response): Promise<T> {
  return (await response.json()) as T;
}

export interface ProblemBody {
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly errors?: readonly { readonly pointer: string }[];
  readonly orderId?: string;
  readonly withdrawalId?: string;
  readonly networks?: readonly string[];
  readonly limit?: string;
  readonly used?: string;
  readonly remaining?: string;
}

/** Sends a request to the operator's routes with a token. */
export function asToken(token: string, method: string, path: string, body?: unknown, headers: object = {}) {
  return send(`/operator/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

export function asOperator(method: string, path: string, body?: unknown): Promise<Response> {
  return asToken(env.OPERATOR_TOKEN, method, path, body);
}

/** Sends a request as the operator, and returns the JSON of the answer. Throws when it is refused. */
export function operate<T>(method: string, path: string, body?: unknown): Promise<T> {
  return must<T>(asOperator(method, path, body));
}

/** The status of an answer, with the code of a problem: `200`, `409 invalid_state`. */
export async function codeOf(answer: Response | Promise<Response>): Promise<string> {
  const response = await answer;
  return response.ok ? String(response.status) : `${response.status} ${(await json<ProblemBody>(response)).code}`;
}

/** Expects an answer of this code, as `codeOf` writes it. Returns its body. */
export async function expectCode(answer: Response | Promise<Response>, code: string): Promise<ProblemBody> {
  const response = await answer;
  expect(await codeOf(response.clone())).toBe(code);
  return json<ProblemBody>(response);
}

/** Who opens the accounts of the tests. */
const operator = (): Actor => ({ role: 'operator', now_ms: Date.now() });

/** Opens an account and credits it, as the operator's routes do, but without their requests. */
export async function openAccount(funds: Partial<Record<Asset, string>> = {}): Promise<string> {
  const opened = await openAccountOnce(env, { label: 'test' }, null, operator(), Math.random(), 0);
  if (!opened.ok) throw new Error(opened.code);
  const { id } = opened.value;
  for (const [asset, amount] of Object.entries(funds)) {
    const wanted = CreateCredit.parse({ asset, amount, reference: `fund ${asset}` });
    const credited = await creditAccount(env, id, wanted, valueIn(env), operator());
    if (!credited.ok) throw new Error(credited.code);
  }
  return id;
}

/** Makes a key of an account, by default with all scopes and high limits. */
export async function createKey(accountId: string, options: KeyOptions = {}): Promise<Trader> {
  const wanted = CreateApiKey.parse({
    label: 'test',
    scopes: ['read', 'trade', 'withdraw'],
    rateLimits: RAISED,
    ...options,
  });
  const [database, actor] = [ledgerOf(env, accountId), operator()];
  const id = newRecordId(actor.now_ms, ledgerNumberOf(accountId));
  const { token, statements } = await prepareApiKey(database, id, accountId, wanted, tokenSettings, actor);
  await database.batch(statements);
  return new Trader(accountId, id, token);
}

export async function openTrader(
  funds: Partial<Record<Asset, string>> = {},
  options: KeyOptions = {},
): Promise<Trader> {
  return createKey(await openAccount(funds), options);
}

/** A purchase of bitcoin for 10 USDT. */
export const ORDER = { coin: 'BTC', side: 'BUY', mode: 'USDT_AMOUNT', value: '10' } as const;

export interface OrderAnswer {
  readonly order: Order;
}

/** A list of the interface, page by page until there is no cursor. `between` is done after each page. */
export async function readPages<Row>(
  trader: Trader,
  path: string,
  query: Readonly<Record<string, string>>,
  between = async (_page: readonly Row[]) => {},
): Promise<Row[]> {
  const rows: Row[] = [];
  const name = path.split('/').at(-1) ?? '';
  for (let cursor: string | null = '', pages = 0; cursor !== null && pages < 1_000; pages += 1) {
    const search = new URLSearchParams({ ...query, cursor });
    const page = await must<Record<string, unknown>>(trader.get(`${path}?${search.toString()}`));
    rows.push(...(page[name] as Row[]));
    cursor = page['nextCursor'] as string | null;
    await between(page[name] as Row[]);
  }
  return rows;
}

/** The holder of one API key of the exchange in this runtime. */
export class Trader extends Client {
  constructor(accountId: string, keyId: string, token: string) {
    super(accountId, keyId, token, send);
  }

  /** The newest of the account's transactions. */
  async feed(): Promise<Record<string, string>[]> {
    type Feed = { transactions: Record<string, string>[] };
    return (await this.read<Feed>('/api/v1/wallet/transactions')).transactions;
  }

  /** The key's lane. A stub no longer works once its object was aborted, so every use takes a new one. */
  get lane(): DurableObjectStub<KeyLane> {
    return env.KEY_LANE.getByName(this.keyId);
  }
}
