import { readFileSync, writeFileSync } from 'node:fs';
import type { Document } from './openapi/document.ts';
import { drawDeskTypes } from './openapi/draw-desk-types.ts';
import { drawPythonTypes } from './openapi/draw-python-types.ts';

/**
 * Writes the types of the Python client and of the desk's pages. With `--check` it writes nothing and fails when some are
 * out of date.
 */
const readDocument = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Document;

const drawn = {
  'clients/bureau-python/src/bureau_client/schema.py': drawPythonTypes(readDocument('docs/openapi.json')),
  'console/pages/desk/schema.d.ts': drawDeskTypes(readDocument('docs/openapi.operator.json')),
};

for (const [file, types] of Object.entries(drawn)) {
  if (!process.argv.includes('--check')) writeFileSync(file, types);
  else if (readFileSync(file, 'utf8') !== types) throw new Error(`${file} is out of date: run npm run openapi`);
}
