import type { DescribedOperation } from './describe-api.ts';

const PLAIN = String.raw`(?:"[^"\n]*"|[\w.-]+)`;
const MEMBER = String.raw`"[^"\n]*": ${PLAIN}`;
const plainLists = new RegExp(String.raw`\[\n\s+(${PLAIN}(?:,\n\s+${PLAIN})*)\n\s+\]`, 'g');
const smallMembers = new RegExp(String.raw`(?<=: )\{\n\s+(${MEMBER}(?:,\n\s+${MEMBER})?)\n\s+\}`, 'g');

/** An example of a body, with a list of plain values on one line, and a member that has one or two of them. */
export function writeExample(value: unknown): string {
  return JSON.stringify(value, null, 2)
    .replaceAll(plainLists, (_, values: string) => `[${values.replaceAll(/\s+/g, ' ')}]`)
    .replaceAll(smallMembers, (_, members: string) => `{ ${members.replaceAll(/\s+/g, ' ')} }`);
}

/** The address with the examples of what it must have. */
function writeAddress({ path, parameters }: DescribedOperation): string {
  const required = parameters.filter(({ isRequired }) => isRequired);
  const query = required
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, example }) => `${name}=${example}`);
  // An id would not fit the line, and one of an example names nothing.
  const filled = required.reduce(
    (left, { name, example }) => left.replace(`{${name}}`, name === 'id' ? '$ID' : example),
    path,
  );
  return query.length === 0 ? filled : `${filled}?${query.join('&')}`;
}

/** How a request is sent to the exchange at `$URL` with `$KEY`: what it must have, and what makes it safe to repeat. */
export function writeRequest(operation: DescribedOperation): string {
  const { id, method, scopes, parameters, bodyExample, status } = operation;
  const address = writeAddress(operation);
  if (status === '101') {
    const key = scopes === undefined ? [] : ['Authorization: Bearer $KEY'];
    return [`${method} ${address} HTTP/1.1`, 'Connection: Upgrade', 'Upgrade: websocket', ...key].join('\n');
  }
  const isIdempotent = parameters.some(({ name }) => name === 'Idempotency-Key');
  const isImplied = method === (bodyExample === undefined ? 'GET' : 'POST');
  const parts = [
    `curl "$URL${address}"`,
    !isImplied && `-X ${method}`,
    scopes !== undefined && '-H "Authorization: Bearer $KEY"',
    // Another key for each operation, or whoever sends two of them is refused.
    isIdempotent && `-H 'Idempotency-Key: ${id}-1'`,
    bodyExample !== undefined && `-H 'Content-Type: application/json'`,
    bodyExample !== undefined && `-d '${writeExample(bodyExample).replaceAll('\n', '\n  ')}'`,
  ];
  return parts.filter((part) => part !== false).join(' \\\n  ');
}
