import { readFileSync, writeFileSync } from 'node:fs';
import { type TypedDocument, drawPythonTypes } from './openapi/draw-python-types.ts';

/** Writes the types of the Python client. With `--check` it writes nothing and fails when they are out of date. */
const FILE = 'clients/bureau-python/src/bureau_client/schema.py';

const drawn = drawPythonTypes(JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as TypedDocument);
if (!process.argv.includes('--check')) writeFileSync(FILE, drawn);
else if (readFileSync(FILE, 'utf8') !== drawn) throw new Error(`${FILE} is out of date: run npm run openapi`);
