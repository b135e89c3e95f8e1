import type { MiddlewareHandler } from 'hono';
import { every } from 'hono/combine';
import { config } from '../env.ts';
import { sendProblem, takeJson } from '../http/area.ts';
import type { AppEnvironment } from '../http/context.ts';
import { digest, equalDigests } from '../http/digest.ts';
import { refuse } from '../http/refusal.ts';
import { readBearer } from '../keys/authenticate.ts';

const { refusal: invalidToken } = refuse(
  'invalid_operator_token',
  'Send the operator token: Authorization: Bearer <token>.',
);

/** Ends a request without the operator's token, compared in constant time. */
export const authenticateOperator: MiddlewareHandler<AppEnvironment> = async (c, next) => {
  const token = readBearer(c.req.header('Authorization')) ?? '';
  const isOperator = equalDigests(await digest(token), await digest(config.OPERATOR_TOKEN));
  if (!isOperator) return sendProblem(c, invalidToken);
  c.header('Cache-Control', 'no-store');
  return next();
};

/** The same for a request with a JSON body. */
export const authenticateOperatorJson: MiddlewareHandler<AppEnvironment> = every(authenticateOperator, takeJson);
