import { z } from '@hono/zod-openapi';
import { insertAudit } from '../db/audit.ts';
import { commitOrRefuse } from '../db/explain.ts';
import { firstLedger, listLedgers } from '../db/database.ts';
import { refuseField } from '../http/answer.ts';
import { type Area, type WrittenAnswer, send } from '../http/area.ts';
import { writeCsvLine } from '../http/csv.ts';
import { MAX_LIMIT } from '../http/list.ts';
import { jsonBody } from '../http/request.ts';
import { streamPieces } from '../http/stream-pieces.ts';
import { actorOf } from './authenticate-operator.ts';
import { executeBy } from './inner-request.ts';
import { createOperatorArea } from './operations.ts';

/** A Worker may ask the database so often for one request, and a page asks each ledger at most so often. */
const MAX_QUERIES = 900;
const QUERIES_OF_PAGE = 3;

const MAX_PATH_LENGTH = 200;

const ExportList = z
  .strictObject({
    list: z.string().max(MAX_PATH_LENGTH).openapi({
      description: 'The path of a list of this interface, filled in',
      example: '/operator/v1/audit',
    }),
    query: z
      .record(z.string(), z.string())
      .default({})
      .openapi({ description: 'Its filters, but no limit and no cursor', example: { action: 'credit_account' } }),
  })
  .openapi('ExportList');

/** One page as the route of a list answers it. */
type Page = Readonly<Record<string, unknown>>;

/** A list, as its route describes it: the member of the answer that has the rows, and the columns of a row. */
interface List {
  readonly rows: string;
  readonly columns: readonly string[];
  readonly isPaged: boolean;
}

/** Makes the operator's route that exports any list of an area. */
export function exportRoutes(lists: Area): Area {
  const routes = createOperatorArea('Audit');
  const execute = executeBy(lists);

  routes.add({
    operationId: 'exportList',
    method: 'post',
    path: '/operator/v1/exports',
    duty: 'export_lists',
    summary: 'A whole list as CSV, for admins; each export is in the audit',
    description: `Any list of this interface, with its filters, in its order. The columns are the members of a row; one that is an object or an array is JSON, amounts are plain decimals, and a text that could be a formula has an apostrophe before it. It is sent while it is read, and breaks off where a list is longer than some ${MAX_QUERIES / QUERIES_OF_PAGE} pages of ${MAX_LIMIT} rows, divided by the number of ledgers: take one that broke off for none, and narrow it by its filters.`,
    request: { body: jsonBody(ExportList) },
    answer: 'The list',
    content: {
      'text/csv': {
        schema: z.string().openapi({
          description: 'RFC 4180 with a header',
          example: 'id,label\r\n01a1fcca-895a-7000-b43c-11f474a4f8d5,demo\r\n',
        }),
      },
    },
    refusals: ['not_found'],
    handle: async (c) => {
      const { list: path, query } = c.req.valid('json');
      const list = findList(lists, path);
      if (!list) return refuseField('/list', 'unknown_value', 'is the path of no list');
      if ('cursor' in query || 'limit' in query) return refuseField('/query', 'not_valid', 'names a page');
      const read = (cursor?: string) => {
        const page = { ...query, ...(list.isPaged && { limit: String(MAX_LIMIT) }), ...(cursor && { cursor }) };
        const request = { method: 'GET', path: `${path}?${new URLSearchParams(page).toString()}`, body: '' };
        return execute(c, request, { caller: { roles: c.var.roles, email: c.var.email } });
      };
      const first = await read();
      if (!first.ok) {
        return send(c, {
          status: first.status,
          headers: Object.fromEntries(first.headers),
          body: await first.text(),
        });
      }
      const database = firstLedger(c.env);
      const refused = await commitOrRefuse(database, [insertAudit(database, actorOf(c), 'export_list', path, query)]);
      if (refused) return refused;
      const most = Math.floor(MAX_QUERIES / QUERIES_OF_PAGE / listLedgers(c.env).length);
      const pieces = writeCsv(list, await first.json(), read, most);
      const stream = streamPieces(pieces, { fault: 'export_broken_off', requestId: c.get('requestId') });
      return c.body(stream, 200, { 'Content-Type': 'text/csv' }) as Response as WrittenAnswer;
    },
  });

  return routes;
}

/** The rows of all pages from the first on. Throws when a page is refused, or when there are more than `most`. */
async function* writeCsv(
  { rows, columns }: List,
  first: Page,
  read: (cursor: string) => Promise<Response>,
  most: number,
): AsyncGenerator<string, void, undefined> {
  yield writeCsvLine(columns);
  let page = first;
  for (let pages = 1; ; pages += 1) {
    const lines = (page[rows] as readonly Page[]).map((row) => writeCsvLine(columns.map((name) => row[name])));
    if (lines.length > 0) yield lines.join('');
    const cursor = page['nextCursor'];
    if (typeof cursor !== 'string') return;
    if (pages === most) throw new Error(`a list of more than ${most} pages`);
    const next = await read(cursor);
    if (!next.ok) throw new Error(`a page was refused with ${next.status}`);
    page = await next.json();
  }
}

/** The list that a path names: a route that is read, and whose answer is rows and where the next page begins. Pure. */
function findList(area: Area, path: string): List | undefined {
  for (const definition of area.openAPIRegistry.definitions) {
    if (definition.type !== 'route' || definition.route.method !== 'get') continue;
    const pattern = new RegExp(`^${definition.route.path.replaceAll(/\{\w+\}/g, '[\\w-]+')}$`);
    if (!pattern.test(path)) continue;
    const answer = definition.route.responses[200];
    const content = answer && 'content' in answer ? answer.content?.['application/json'] : undefined;
    const { shape = {} } = content && 'schema' in content ? definitionOf(content.schema) : {};
    const members = Object.entries(shape);
    const [only, ...others] = members.filter(([name]) => name !== 'nextCursor');
    const row = only && definitionOf(only[1]).element;
    if (others.length > 0 || !only || !row) continue;
    const isPaged = members.some(([name]) => name === 'nextCursor');
    return { rows: only[0], columns: listColumns(row), isPaged };
  }
  return undefined;
}

/** What a schema is of: an object of a shape, an array of an element, or a union of options. */
interface Definition {
  readonly shape?: Readonly<Record<string, object>>;
  readonly element?: object;
  readonly options?: readonly object[];
}

/** Not by the classes of zod, which are not in the bundle. */
function definitionOf(schema: object): Definition {
  return (schema as { readonly def?: Definition }).def ?? {};
}

/** The members of a row; of several kinds of rows those of any. */
function listColumns(row: object): readonly string[] {
  const { shape, options = [] } = definitionOf(row);
  return shape ? Object.keys(shape) : [...new Set(options.flatMap(listColumns))];
}
