import type { DescribedOperation, Field } from './describe-api.ts';
import { escapeHtml } from './escape-html.ts';
import { highlight } from './highlight.ts';
import { renderInline } from './render-markdown.ts';

/** An operation's anchor is its name. A page that was bookmarked in the viewer of before is found by `reference.js`. */
export function anchorOf(operation: Pick<DescribedOperation, 'id'>): string {
  return operation.id;
}

function showFields(heading: string, fields: readonly Field[]): string {
  if (fields.length === 0) return '';
  const rows = fields.map(({ name, type, isRequired, description }) => {
    const about = description === '' ? '' : `<p>${renderInline(description)}</p>`;
    return `<li><code>${escapeHtml(name)}</code> <span>${escapeHtml(type)}${isRequired ? '' : ', optional'}</span>${about}</li>`;
  });
  return `<h4>${heading}</h4><ul class="fields">${rows.join('')}</ul>`;
}

function showExample(value: unknown): string {
  if (value === undefined) return '';
  return `<pre tabindex="0"><code>${highlight(JSON.stringify(value, null, 2), 'json')}</code></pre>`;
}

const places = { path: 'In the path', query: 'In the query', header: 'Headers' } as const;

function showKey({ scopes }: DescribedOperation): string {
  if (scopes === undefined) return 'no key';
  return scopes.length === 0 ? 'any key' : `key: ${scopes.join(', ')}`;
}

function showOperation(operation: DescribedOperation): string {
  const { id, method, path, summary, description, parameters, refusals, status } = operation;
  const sent = Object.entries(places).map(([place, heading]) =>
    showFields(
      heading,
      parameters.filter((parameter) => parameter.in === place),
    ),
  );
  const byStatus = Map.groupBy(refusals, (refusal) => refusal.status);
  const refused = [...byStatus].map(([code, each]) => {
    const links = each.map((refusal) => `<a href="/errors/${refusal.code}"><code>${refusal.code}</code></a>`);
    return `<li><span>${code}</span> ${links.join(' ')}</li>`;
  });
  const [read, written] = [
    JSON.stringify(parameters.map(({ name, in: place }) => [name, place])),
    operation.bodyExample,
  ];
  const tryIt = `data-method="${method}" data-path="${escapeHtml(path)}" data-parameters="${escapeHtml(read)}"${
    written === undefined ? '' : ` data-body="${escapeHtml(JSON.stringify(written, null, 2))}"`
  }${operation.scopes === undefined ? '' : ' data-keyed'}`;
  return `<details class="operation"><summary><h3><span class="method ${method.toLowerCase()}">${method}</span> <code>${escapeHtml(path)}</code></h3>
<span>${escapeHtml(summary)}</span> <span class="needs">${showKey(operation)}</span></summary>
<div class="sides" id="${id}"><p>${renderInline(description)}</p>
<div class="side" tabindex="0" role="group" aria-label="What is sent">${sent.join('')}${showFields('Body', operation.body)}${showExample(operation.bodyExample)}</div>
<div class="side" tabindex="0" role="group" aria-label="What comes back">${showFields(`Answer ${status}`, operation.answer)}${showExample(operation.answerExample)}
<h4>Refusals</h4><ul class="refusals">${refused.join('')}</ul></div>
<details class="try" ${tryIt}><summary>Send it</summary></details></div></details>`;
}

/** The reference: each operation by its tag. All of it is there at once, and reads without scripts. */
export function composeReference(operations: readonly DescribedOperation[]): string {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const parts = tags.map((tag) => {
    const own = operations.filter((operation) => operation.tag === tag);
    return `<h2 id="${tag.toLowerCase()}">${escapeHtml(tag)}</h2>\n${own.map(showOperation).join('\n')}`;
  });
  return `<h1>Reference</h1>
<p>The whole interface, from <a href="/api/v1/openapi.json">the OpenAPI document</a> that this exchange serves. Open an
operation to read it, and to send it to this exchange.</p>
<form id="key"></form>
<div class="reference">${parts.join('\n')}</div>`;
}
