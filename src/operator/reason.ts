import { z } from '@hono/zod-openapi';
import { jsonBody } from '../http/request.ts';
import { Reason } from '../http/wire-types.ts';

/** A body that has nothing but the reason. */
export const ReasonBody = jsonBody(z.strictObject({ reason: Reason }));
