import { Validator } from '@cfworker/json-schema';
import { expect } from 'vitest';
import { drawStreamDocument } from '../../../src/api/stream-document.ts';
import type { Schemas } from '../../../scripts/openapi/flatten-schema.ts';
import { closeSchema } from '../document/closed-schema.ts';

export const streamDocument = drawStreamDocument();

const schemas = streamDocument.components.schemas as Schemas;

interface Channel {
  readonly address: string;
  readonly messages: Readonly<Record<string, unknown>>;
}

const validators = new Map(
  Object.keys(streamDocument.components.messages).map((name) => {
    const closed = closeSchema({ $ref: `#/components/schemas/${name}` }, schemas);
    return [name, new Validator(closed, '2020-12', false)] as const;
  }),
);

/** Throws unless a message is one that the document has in the channel of this address, without any other member. */
export function expectMessage(address: string, message: unknown): void {
  const channel = Object.values<Channel>(streamDocument.channels).find((one) => one.address === address);
  const names = Object.keys(channel?.messages ?? {});
  const fits = names.filter((name) => validators.get(name)?.validate(message).valid);
  const why = names.map((name) => [name, validators.get(name)?.validate(message).errors.at(-1)]);
  expect(fits, `${JSON.stringify(message)} ${JSON.stringify(why)}`).toHaveLength(1);
}
