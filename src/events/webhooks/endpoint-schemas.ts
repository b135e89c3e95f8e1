import { z } from '@hono/zod-openapi';
import { Id, Timestamp } from '../../http/wire-types.ts';
import { eventTypes } from '../event.ts';
import { operatorEventTypes } from '../operator-event.ts';
import { MAX_URL_LENGTH } from './check-url.ts';

const MAX_DESCRIPTION_LENGTH = 200;

const Url = z.string().max(MAX_URL_LENGTH).openapi({
  description: 'Where events are sent: https, to a public name, on port 443 or 8443',
  example: 'https://hooks.your-company.com/bureau',
});

const Description = z.string().max(MAX_DESCRIPTION_LENGTH).openapi({ example: 'bookkeeping' });

/** The schemas of endpoints to which events of these types may be sent. `prefix` begins their names in a document. */
function describeEndpoints(types: readonly string[], prefix: string) {
  const Types = z
    .array(z.enum(types))
    .max(types.length)
    .openapi({ description: 'The types that are sent; empty: all', example: ['deposit.completed'] });
  return {
    /** A webhook endpoint as its owner sees it. Its secret is shown once, when it is made or rotated. */
    WebhookEndpoint: z
      .object({
        id: Id,
        url: Url,
        description: Description,
        types: Types,
        status: z.enum(['enabled', 'disabled']),
        reason: z.enum(['gone', 'failing', 'key_revoked']).nullable().openapi({
          description:
            'Why the exchange switched it off: it answered 410, failed for five days, or the API key that set it up was revoked; else null',
          example: null,
        }),
        createdAt: Timestamp,
        previousSecretUntil: Timestamp.nullable().openapi({
          description: 'Until when the secret before the last rotation signs as well; null if none was rotated',
          example: null,
        }),
      })
      .openapi(`${prefix}WebhookEndpoint`),
    /** The body with which an endpoint is made. */
    CreateEndpoint: z
      .strictObject({ url: Url, types: Types.optional(), description: Description.optional() })
      .openapi(`Create${prefix}WebhookEndpoint`),
    ChangeEndpoint: z
      .strictObject({
        url: Url.optional(),
        types: Types.optional(),
        description: Description.optional(),
        status: z.enum(['enabled', 'disabled']).optional().openapi({ example: 'enabled' }),
      })
      .openapi(`Change${prefix}WebhookEndpoint`),
  };
}

export type EndpointSchemas = ReturnType<typeof describeEndpoints>;

export const accountEndpointSchemas: EndpointSchemas = describeEndpoints(eventTypes, '');

export const operatorEndpointSchemas: EndpointSchemas = describeEndpoints(operatorEventTypes, 'Operator');

/** An endpoint on the wire. */
export type WebhookEndpoint = z.output<EndpointSchemas['WebhookEndpoint']>;

export type CreateEndpoint = z.output<EndpointSchemas['CreateEndpoint']>;

export type ChangeEndpoint = z.output<EndpointSchemas['ChangeEndpoint']>;

export const EndpointSecret = z.string().openapi({
  description: 'Signs every delivery. Shown this once',
  example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD4Y0LmCQ7Yds=',
});

/** The body by which events are sent again. */
export const ReplayEvents = z
  .strictObject({
    after: z.number().int().min(0).optional().openapi({
      description: 'Events with a higher number are sent again; all that are kept unless told',
      example: 12,
    }),
  })
  .openapi('ReplayEvents');
