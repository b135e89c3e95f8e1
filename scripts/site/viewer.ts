import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const packageFile = createRequire(import.meta.url).resolve('swagger-ui-dist/package.json');
const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };

/** A folder for each version, so that a browser may cache its files for ever. */
const FOLDER = `/docs/static/swagger-ui-${version}`;

const files = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'];

export function readViewerFiles(): (readonly [path: string, content: Uint8Array])[] {
  return files.map((name) => [`${FOLDER}/${name}`, readFileSync(join(dirname(packageFile), name))]);
}

/** The element in which the viewer shows the API, and its additions to the head. */
export function composeViewer(script: string): { readonly head: string; readonly body: string } {
  return {
    head: `
<link rel="stylesheet" href="${FOLDER}/swagger-ui.css">
<script defer src="${FOLDER}/swagger-ui-bundle.js"></script>
<script defer src="${script}"></script>`,
    body: `<h1>Reference</h1>
<p>The whole interface, from <a href="/api/v1/openapi.json">the OpenAPI document</a> that this exchange serves. “Try it
out” sends real requests to it.</p>
<noscript><p>The reference needs JavaScript; the document itself does not.</p></noscript>
<div id="viewer"></div>`,
  };
}
