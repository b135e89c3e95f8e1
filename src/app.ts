import type { NotFoundHandler } from 'hono';
import { methodNotAllowed } from 'hono/method-not-allowed';
import { type DocumentTag, documentRoutes } from './api/api-document.ts';
import {
  type Area,
  createArea,
  sendProblem,
  type AppEnvironment,
  logRequest,
  assignRequestId,
  refuseHttp,
} from './http/area.ts';
import { describeError, logFault } from './platform/log.ts';
import { answerWithPage } from './http/not-found-page.ts';
import { answerPreflight, listPublicPaths, openToAnyOrigin } from './http/open-to-any-origin.ts';
import { refuse } from './http/answer.ts';
import { isDatabaseFault } from './db/commit.ts';
import { laneUnreachable } from './access/admit.ts';
import { keys } from './api/api-key-routes.ts';
import { events } from './api/event-routes.ts';
import { exchange } from './api/exchange-routes.ts';
import { markets } from './api/market-routes.ts';
import { operator } from './operator/routes.ts';
import { trade } from './api/order-routes.ts';
import { statement } from './api/statement-routes.ts';
import { accountStream, marketStream } from './api/stream-routes.ts';
import { wallet } from './api/wallet-routes.ts';
import { webhooks } from './api/webhook-routes.ts';
import { wellKnown } from './api/well-known.ts';

/** Routes that a deployment has beside the common ones, and the tag under which the operator's document has them. */
export interface FurtherRoutes {
  readonly area: Area;
  readonly tag: DocumentTag;
}

/** The whole interface: each file of routes lists its endpoints, and this function lists those. */
export function createApp(further: readonly FurtherRoutes[] = []): Area {
  const app = createArea();
  const documents = documentRoutes(
    () => app.openAPIRegistry,
    further.map(({ tag }) => tag),
  );
  const areas = [
    wallet,
    trade,
    markets,
    exchange,
    keys,
    statement,
    events,
    marketStream,
    accountStream,
    webhooks,
    operator,
    wellKnown,
    ...further.map(({ area }) => area),
    ...documents,
  ];
  app.use(assignRequestId);
  app.use(logRequest);
  app.use(refuseHttp);
  for (const path of listPublicPaths(areas)) app.use(path, openToAnyOrigin);
  for (const area of areas) app.route('/', area);
  app.notFound(answerNothingHere(app));
  app.onError((error, c) => {
    logFault('request_failed', { requestId: c.get('requestId'), error: describeError(error) });
    if (isDatabaseFault(error)) return sendProblem(c, laneUnreachable);
    return sendProblem(c, refuse('internal_error', 'Something went wrong here. It was recorded under the request id.'));
  });
  return app;
}

/** What answers when no route did, so that it costs other requests nothing. */
function answerNothingHere(app: Area): NotFoundHandler<AppEnvironment> {
  const refuseMethod = methodNotAllowed({
    app,
    onMethodNotAllowed: (c, methods) => {
      c.header('Allow', methods.join(', '));
      const preflight = answerPreflight(c, methods);
      if (preflight) return preflight;
      return sendProblem(c, refuse('method_not_allowed', `This path takes ${methods.join(', ')}.`));
    },
  });
  return async (c) => {
    const page = await answerWithPage(c);
    if (page) return page;
    c.res = sendProblem(c, refuse('not_found', 'There is nothing at this path.'));
    await refuseMethod(c, async () => undefined);
    return c.res;
  };
}

/** The interface of production. */
export const app = createApp();
