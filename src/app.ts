import { methodNotAllowed } from 'hono/method-not-allowed';
import { documentRoutes } from './api/api-document.ts';
import { createArea, sendProblem } from './http/area.ts';
import { describeError, logFault } from './platform/log.ts';
import { logRequest } from './http/log-request.ts';
import { answerWithPage } from './http/not-found-page.ts';
import { answerPreflight, listPublicPaths, openToAnyOrigin } from './http/open-to-any-origin.ts';
import { refuse } from './http/refusal.ts';
import { assignRequestId } from './http/request-id.ts';
import { isDatabaseFault } from './ledger/database-fault.ts';
import { laneUnreachable } from './access/admit.ts';
import { keys } from './api/api-key-routes.ts';
import { exchange } from './api/exchange-routes.ts';
import { markets } from './api/market-routes.ts';
import { operator } from './operator/routes.ts';
import { trade } from './api/order-routes.ts';
import { statement } from './api/statement-routes.ts';
import { wallet } from './api/wallet-routes.ts';

/** The whole interface: each file of routes lists its endpoints, and this file lists those. */
export const app = createArea();

const areas = [wallet, trade, markets, exchange, keys, statement, operator, documentRoutes(() => app.openAPIRegistry)];

app.use(assignRequestId);
app.use(logRequest);
for (const path of new Set(areas.flatMap(listPublicPaths))) app.use(path, openToAnyOrigin);
for (const area of areas) app.route('/', area);

const refuseMethod = methodNotAllowed({
  app,
  onMethodNotAllowed: (c, methods) => {
    c.header('Allow', methods.join(', '));
    const preflight = answerPreflight(c, methods);
    if (preflight) return preflight;
    return sendProblem(c, refuse('method_not_allowed', `This path takes ${methods.join(', ')}.`));
  },
});

// Runs only when no route answered, so that it costs other requests nothing.
app.notFound(async (c) => {
  const page = answerWithPage(c);
  if (page) return page;
  c.res = sendProblem(c, refuse('not_found', 'There is nothing at this path.'));
  await refuseMethod(c, async () => undefined);
  return c.res;
});

app.onError((error, c) => {
  logFault('request_failed', { requestId: c.var.requestId, error: describeError(error) });
  if (isDatabaseFault(error)) return sendProblem(c, laneUnreachable);
  return sendProblem(c, refuse('internal_error', 'Something went wrong here. It was recorded under the request id.'));
});
