import { z } from '@hono/zod-openapi';
import { jsonBody } from '../http/request.ts';

const MAX_REASON_LENGTH = 500;

/** Why somebody decided something, for the audit. */
export const Reason = z
  .string()
  .min(1)
  .max(MAX_REASON_LENGTH)
  .openapi({ description: 'For the audit', example: 'confirmed by phone' });

/** A body that has nothing but the reason. */
export const ReasonBody = jsonBody(z.strictObject({ reason: Reason }));
