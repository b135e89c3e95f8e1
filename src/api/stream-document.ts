import { OpenAPIHono } from '@hono/zod-openapi';
import { type ExampleSchema, composeExample } from '../http/document/compose-example.ts';
import { AccountCommand, MarketCommand, PING, accountMessages, closings, marketMessages } from '../streams/messages.ts';
import { clientFrame } from './api-document-frames.ts';

const text = `
The two WebSockets of the exchange. Each message is one JSON text.

**Ping.** \`${PING}\`, exactly so, is answered with a pong and counts as no message. Pings of the protocol are answered too.

**Limits.** A socket takes 60 messages a minute; each subscription counts as a read of its key.

**Closing.** ${Object.values(closings)
  .map(([code, reason]) => `${code}: ${reason}`)
  .join('; ')}. Connect again and resume, after 4401 with another key.
`.trim();

const operationsOf = {
  market: { address: '/api/v1/stream', takes: { MarketCommand }, sends: marketMessages, isPublic: true },
  account: { address: '/api/v1/account/stream', takes: { AccountCommand }, sends: accountMessages, isPublic: false },
} as const;

const point = (...path: string[]) => ({ $ref: `#/${path.join('/')}` });

const entries = (names: readonly string[], write: (name: string) => object) =>
  Object.fromEntries(names.map((name) => [name, write(name)]));

/** The AsyncAPI 3.0 document of the streams, made of the schemas that check their messages. */
export function drawStreamDocument() {
  const { openAPIRegistry, getOpenAPI31Document } = new OpenAPIHono();
  const channels = Object.entries(operationsOf);
  const messages = Object.assign({}, ...channels.map(([, { takes, sends }]) => ({ ...takes, ...sends }))) as Record<
    string,
    Parameters<typeof openAPIRegistry.register>[1]
  >;
  for (const [name, schema] of Object.entries(messages)) openAPIRegistry.register(name, schema);
  const { components } = getOpenAPI31Document(
    { openapi: '3.1.0', info: clientFrame.info },
    { sortComponents: 'alphabetically' },
  );
  const schemas = (components?.schemas ?? {}) as Readonly<Record<string, ExampleSchema>>;
  return {
    asyncapi: '3.0.0',
    info: { title: 'Bureau, streams', version: clientFrame.info.version, description: text },
    channels: Object.fromEntries(
      channels.map(([channel, { address, takes, sends, isPublic }]) => [
        channel,
        {
          address,
          description: isPublic ? 'Tickers and status. Needs no key.' : 'The events of the account of an API key.',
          messages: entries(Object.keys({ ...takes, ...sends }), (name) => point('components', 'messages', name)),
        },
      ]),
    ),
    operations: Object.fromEntries(
      channels.flatMap(([channel, { takes, sends, isPublic }]) => {
        const describe = (action: 'receive' | 'send', names: readonly string[]) => ({
          action,
          channel: point('channels', channel),
          ...(!isPublic && { security: [point('components', 'securitySchemes', 'apiKey')] }),
          messages: names.map((name) => point('channels', channel, 'messages', name)),
        });
        return [
          [`${channel}Takes`, describe('receive', Object.keys(takes))],
          [`${channel}Sends`, describe('send', Object.keys(sends))],
        ];
      }),
    ),
    components: {
      messages: entries(Object.keys(messages), (name) => {
        const payload = point('components', 'schemas', name);
        return {
          name,
          contentType: 'application/json',
          payload,
          examples: [{ payload: composeExample(payload, schemas) }],
        };
      }),
      schemas,
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } },
    },
  };
}
