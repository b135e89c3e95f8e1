import { createRoute, z } from '@hono/zod-openapi';
import { createArea, jsonContent, problemResponses, sendProblem } from '../http/area.ts';
import { admitRead } from '../access/admit-read.ts';
import { anyKeyRefusals } from '../access/admit.ts';
import { keyRevoked } from '../keys/admission.ts';
import { authenticate } from '../access/authenticate.ts';
import { OwnApiKey, showOwnApiKey } from '../keys/own-api-key.ts';
import { readKeyRecord } from '../keys/record.ts';

/** The route by which a key reads its own record. */
export const keys = createArea();

keys.openapi(
  createRoute({
    operationId: 'getApiKey',
    method: 'get',
    path: '/api/v1/account/api-key',
    tags: ['Account'],
    summary: 'The API key of this request',
    description:
      'The scopes, IP addresses, expiry and rate limits of the key. It needs no scope. The token is never shown, since only a hash of it is stored.',
    security: [{ apiKey: [] }],
    middleware: authenticate(null),
    responses: {
      200: { description: 'The key, without its token', content: jsonContent(z.object({ apiKey: OwnApiKey })) },
      ...problemResponses('invalid_request', ...anyKeyRefusals),
    },
  }),
  async (c) => {
    const { keyId } = c.get('key');
    const admitted = await admitRead(c, null, () => readKeyRecord(c.env, keyId));
    if (!admitted.ok) return sendProblem(c, admitted);
    const record = admitted.value.value;
    // The lane knows the key but the database does not: it was restored to a time before the key was made.
    if (!record) return sendProblem(c, keyRevoked);
    return c.json({ apiKey: showOwnApiKey(record) }, 200);
  },
);
