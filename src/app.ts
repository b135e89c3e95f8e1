import { methodNotAllowed } from 'hono/method-not-allowed';
import { documentRoutes } from './api/api-document.ts';
import { createArea, sendProblem } from './http/area.ts';
import { describeError, logFault } from './platform/log.ts';
import { logRequest } from './http/log-request.ts';
import { answerPreflight, openToAnyOrigin } from './http/open-to-any-origin.ts';
import { refuse } from './http/refusal.ts';
import { assignRequestId } from './http/request-id.ts';
import { isDatabaseFault } from './ledger/database-fault.ts';
import { laneUnreachable } from './access/admit.ts';
import { keys } from './api/api-key-routes.ts';
import { exchange } from './api/exchange-routes.ts';
import { markets } from './api/market-routes.ts';
import { operator } from './operator/routes.ts';
import { trade } from './api/order-routes.ts';
import { wallet } from './api/wallet-routes.ts';

/** The whole interface: an area's `routes.ts` lists its endpoints, and this page the areas. */
export const app = createArea();

/** What a page may read of a public answer beside its body. */
const exposedHeaders = [
  'X-Request-Id',
  'X-Idempotency-Replay',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'ETag',
  ...['Limit', 'Remaining', 'Reset'].map((name) => `X-RateLimit-${name}`),
];

/** What a page of any origin may read: the routes that need no key. */
const publicPaths = ['markets/*', 'assets', 'exchange-info', 'time', 'status', 'openapi.json'];

app.use(assignRequestId);
app.use(logRequest);
for (const path of publicPaths) app.use(`/api/v1/${path}`, openToAnyOrigin(exposedHeaders));

app.route('/', wallet);
app.route('/', trade);
app.route('/', markets);
app.route('/', exchange);
app.route('/', keys);
app.route('/', operator);
app.route(
  '/',
  documentRoutes(() => app.openAPIRegistry),
);

const refuseMethod = methodNotAllowed({
  app,
  onMethodNotAllowed: (c, methods) => {
    c.header('Allow', methods.join(', '));
    const preflight = answerPreflight(c, methods);
    if (preflight) return preflight;
    return sendProblem(c, refuse('method_not_allowed', `This path takes ${methods.join(', ')}.`));
  },
});

// Asked only where no route answered, so that no other request pays for it.
app.notFound(async (c) => {
  c.res = sendProblem(c, refuse('not_found', 'There is nothing at this path.'));
  await refuseMethod(c, async () => undefined);
  return c.res;
});

app.onError((error, c) => {
  logFault('request_failed', { requestId: c.var.requestId, error: describeError(error) });
  if (isDatabaseFault(error)) return sendProblem(c, laneUnreachable);
  return sendProblem(c, refuse('internal_error', 'Something went wrong here. It was recorded under the request id.'));
});
