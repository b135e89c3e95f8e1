import { readFileSync } from 'node:fs';
import { expectDocumented, listOperations } from '../../document/documented.ts';

const operations = ['docs/openapi.json', 'docs/openapi.operator.json'].flatMap((file) =>
  listOperations(JSON.parse(readFileSync(file, 'utf8')) as object),
);

/** Sends a request to an exchange on loopback, and checks the response against the committed documents. */
export async function fetchDocumented(origin: string, path: string, init: RequestInit = {}): Promise<Response> {
  const { method = 'GET', body } = init;
  const response = await fetch(`${origin}${path}`, init);
  await expectDocumented({ method, path, body: typeof body === 'string' ? body : undefined }, response, operations);
  return response;
}
