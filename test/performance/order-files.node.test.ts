import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vite';
import { openExchange } from '../support/node/exchange/open-exchange.ts';
import { expect, it } from 'vitest';
import { buildWorker } from '../../scripts/build-worker.ts';
import { BUY } from '../support/client.ts';
import { openFolder } from '../support/node/open-folder.ts';

/** The most files of `src` whose code an order may execute: what a stranger has to read to know what an order does. */
const MOST_FILES = 32;

/** The last file that an order reaches: it is executed by an order for which the gate's prices are due again. */
const LAST_REACHED = 'src/markets/read-hub.ts';

/** A node of the syntax tree, as far as it is read here. */
interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly body?: Node;
}

/** Every function of a module. */
function listFunctions(node: unknown, found: Node[] = []): Node[] {
  if (Array.isArray(node)) for (const one of node) listFunctions(one, found);
  else if (typeof node === 'object' && node !== null) {
    const { type, body } = node as Node;
    if (/^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(type) && body)
      found.push(node as Node);
    for (const part of Object.values(node)) listFunctions(part, found);
  }
  return found;
}

/** Has each function of `src` in a bundle note its file when it is called. */
function noteCalls(bundle: string): string {
  const files = [...bundle.matchAll(/^\s*\/\/ (src\/\S+|node_modules\/\S+|\S+:\S*)$/gm)];
  const texts: [number, string][] = [];
  for (const { body } of listFunctions(parseAst(bundle))) {
    const file = files.findLast(({ index }) => index < (body?.start ?? 0))?.[1] ?? '';
    if (!body || !file.startsWith('src/')) continue;
    const call = `noteCall('${file}')`;
    if (body.type === 'BlockStatement') texts.push([body.start + 1, `${call};`]);
    else texts.push([body.start, `(${call},(`], [body.end, '))']);
  }
  // From the end, so that the places before stay true; a later one of the same place stands behind an earlier one.
  const ordered = texts.map(([place, text], at) => ({ place, text, at }));
  let noted = bundle;
  for (const { place, text } of ordered.toSorted((one, other) => other.place - one.place || other.at - one.at))
    noted = noted.slice(0, place) + text + noted.slice(place);
  return noted;
}

/** Notes only what an order and its calls of the lane and of the gate cause, not what is done by the clock meanwhile. */
const NOTE = `
import { AsyncLocalStorage } from 'node:async_hooks';
const watchedWork = new AsyncLocalStorage();
const calledFiles = new Set();
const noteCall = (file) => void (watchedWork.getStore() && calledFiles.add(file));
const setTimeoutOfPlatform = globalThis.setTimeout;
globalThis.setTimeout = (work, ...rest) => setTimeoutOfPlatform((...values) => watchedWork.run(false, () => work(...values)), ...rest);
export { calledFiles, watchedWork };
`;

const ENTRY = `
import worker, { calledFiles, KeyLane as Lane, LedgerGate as Gate, watchedWork } from './index.js';
export * from './index.js';
export class KeyLane extends Lane {
  execute(call) { return watchedWork.run(true, () => super.execute(call)); }
}
export class LedgerGate extends Gate {
  placeOrder(call) { return watchedWork.run(true, () => super.placeOrder(call)); }
}
export default {
  ...worker,
  fetch(request, bindings, context) {
    const { pathname } = new URL(request.url);
    if (pathname === '/called') return Response.json([...calledFiles]);
    return watchedWork.run(pathname === '/api/v1/orders', () => worker.fetch(request, bindings, context));
  },
};`;

const directory = openFolder('files');
await buildWorker('production', directory, { keepsNames: true });
const bundle = join(directory, 'index.js');
writeFileSync(bundle, NOTE + noteCalls(readFileSync(bundle, 'utf8')));
writeFileSync(join(directory, 'entry.js'), ENTRY);
const { origin, operator } = await openExchange({ bundle: directory, entry: 'entry.js' });

it(`an order executes code of at most ${MOST_FILES} files`, async () => {
  const client = await operator.openClient({ USDT: '100000' });
  let called: string[] = [];
  while (!called.includes(LAST_REACHED)) {
    await client.order({ ...BUY, value: '10' });
    called = (await (await fetch(`${origin}/called`)).json()) as string[];
  }
  expect(called.length, called.toSorted().join('\n')).toBeLessThanOrEqual(MOST_FILES);
});
