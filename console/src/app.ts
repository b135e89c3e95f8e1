import { Hono } from 'hono';
import { refuse } from '../../src/http/answer.ts';
import { describeError, logFault } from '../../src/platform/log.ts';
import type { ConsoleEnvironment } from './http/context.ts';
import { guardOrigin } from './http/guard-origin.ts';
import { notFound, sendRefusal } from './http/refusals.ts';
import { accountRoutes } from './routes/account-routes.ts';
import { apiProxy } from './routes/api-proxy.ts';
import { deskRoutes, operatorProxy } from './routes/desk-routes.ts';
import { signInRoutes } from './routes/sign-in-routes.ts';

const broken = refuse('internal_error', 'Something went wrong here. It was recorded under the request id.');

/** The console's Worker: everything but its pages. */
export const app = new Hono<ConsoleEnvironment>();

app.use((c, next) => {
  c.set('requestId', crypto.randomUUID());
  c.header('X-Request-Id', c.var.requestId);
  c.header('Cache-Control', 'no-store');
  c.header('X-Content-Type-Options', 'nosniff');
  return next();
});
app.use(guardOrigin);
app.route('/session', signInRoutes);
app.route('/account', accountRoutes);
app.route('/api', apiProxy);
app.route('/operator', operatorProxy);
app.route('/desk', deskRoutes);
app.notFound((c) => sendRefusal(c, notFound));
app.onError((error, c) => {
  logFault('console_failed', { requestId: c.var.requestId, error: describeError(error) });
  return sendRefusal(c, broken);
});
