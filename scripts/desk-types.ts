import { readFileSync, writeFileSync } from 'node:fs';
import { type OperatorDocument, drawDeskTypes } from './openapi/draw-desk-types.ts';

/** Writes the types of the desk's pages. With `--check` it writes nothing and fails when they are out of date. */
const FILE = 'console/pages/desk/schema.d.ts';

const drawn = drawDeskTypes(JSON.parse(readFileSync('docs/openapi.operator.json', 'utf8')) as OperatorDocument);
if (!process.argv.includes('--check')) writeFileSync(FILE, drawn);
else if (readFileSync(FILE, 'utf8') !== drawn) throw new Error(`${FILE} is out of date: run npm run openapi`);
