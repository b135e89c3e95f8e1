import { type ProblemCode, definitionOf } from '../../src/http/problems.ts';
import type { Chapter, DescribedOperation, Field } from './describe-api.ts';
import { escapeHtml } from './escape-html.ts';
import { writeExample, writeRequest } from './example-request.ts';
import { highlight } from './highlight.ts';
import { renderInline } from './render-markdown.ts';

const anchorOf = ({ name }: Chapter) => name.toLowerCase();

const places = { path: 'In the path', query: 'In the query', header: 'Headers' } as const;

const showMethod = (method: string) => `<span class="method ${method.toLowerCase()}">${method}</span>`;

/** What is sent says what must be there; what comes back says what may be missing. */
function listFields(fields: readonly Field[], isSent: boolean): string {
  const rows = fields.map(({ name, type, isRequired, description }) => {
    const about = description === '' ? '' : `<p>${renderInline(description)}</p>`;
    const must = isSent && isRequired ? ' <b>required</b>' : '';
    const may = isSent || isRequired ? '' : ', optional';
    return `<li><code>${escapeHtml(name)}</code> <span>${escapeHtml(type)}${may}</span>${must}${about}</li>`;
  });
  return `<ul class="fields">${rows.join('')}</ul>`;
}

function showSent(heading: string, fields: readonly Field[]): string {
  return fields.length === 0 ? '' : `<h4>${heading}</h4>${listFields(fields, true)}`;
}

const fold = (title: string, hint: string, content: string) =>
  `<details class="fold"><summary>${title} <span>${hint}</span></summary>${content}</details>`;

function foldAnswer({ status, outcome, answer }: DescribedOperation): string {
  if (answer.length === 0) return '';
  return fold(`Answer ${status}: ${answer.length} fields`, escapeHtml(outcome), listFields(answer, false));
}

function foldErrors({ refusals }: DescribedOperation): string {
  const statuses = [...new Set(refusals.map(({ status }) => status))];
  const rows = refusals.map(
    ({ code, status }) =>
      `<li><span>${status}</span> <a href="/errors/${code}"><code>${code}</code></a> <span>${escapeHtml(
        definitionOf(code as ProblemCode).title,
      )}</span></li>`,
  );
  return fold('Errors', statuses.join(', '), `<ul class="refusals">${rows.join('')}</ul>`);
}

const showFigure = (caption: string, content: string) =>
  `<figure class="example"><figcaption>${caption}</figcaption>${content}</figure>`;

export function showExample(caption: string, code: string, language: string): string {
  return showFigure(caption, `<pre><code>${highlight(code, language)}</code></pre>`);
}

function showExamples(operation: DescribedOperation): string {
  const { method, path, parameters, scopes, status, outcome, answerExample, bodyExample } = operation;
  const request = showExample('Request', writeRequest(operation), 'sh');
  const caption = `Answer <span>${status}</span>`;
  if (answerExample === undefined) return `${request}${showFigure(caption, `<p>${escapeHtml(outcome)}.</p>`)}`;
  const sent = JSON.stringify(parameters.map(({ name, in: place }) => [name, place]));
  const body = bodyExample === undefined ? '' : ` data-body="${escapeHtml(JSON.stringify(bodyExample, null, 2))}"`;
  const tryIt = `data-method="${method}" data-path="${escapeHtml(path)}" data-parameters="${escapeHtml(sent)}"${body}${
    scopes === undefined ? '' : ' data-keyed'
  }`;
  return `${request}<details class="try" hidden ${tryIt}><summary>Send it</summary></details>
${showExample(caption, writeExample(answerExample), 'json')}`;
}

function showKey({ scopes }: DescribedOperation): string {
  if (scopes === undefined) return 'No key';
  return scopes.length === 0 ? 'Any key' : `Key with scope <code>${scopes.join(', ')}</code>`;
}

function showOperation(operation: DescribedOperation): string {
  const { id, method, path, summary, description, parameters, body } = operation;
  const sent = Object.entries(places).map(([place, heading]) =>
    showSent(
      heading,
      parameters.filter((parameter) => parameter.in === place),
    ),
  );
  return `<section class="operation" id="${id}">
<div><h3>${escapeHtml(summary)}</h3>
<p class="endpoint">${showMethod(method)} <code>${escapeHtml(path)}</code> <span>${showKey(operation)}</span></p>
<p>${renderInline(description)}</p>
${sent.join('')}${showSent('Body', body)}${foldAnswer(operation)}${foldErrors(operation)}</div>
<div class="examples">${showExamples(operation)}</div></section>`;
}

function showChapter(chapter: Chapter): string {
  const { name, description, operations } = chapter;
  const links = operations.map(
    ({ id, method, path }) => `<li><a href="#${id}">${showMethod(method)} <code>${escapeHtml(path)}</code></a></li>`,
  );
  return `<section class="chapter" id="${anchorOf(chapter)}"><div><h2>${escapeHtml(name)}</h2>
<p>${renderInline(description)}.</p></div>
<ul class="endpoints">${links.join('')}</ul></section>
${operations.map(showOperation).join('\n')}`;
}

const acronyms: Readonly<Record<string, string>> = { 'open api': 'OpenAPI', 'async api': 'AsyncAPI', api: 'API' };

/** The name of an operation in words: `placeOrder` is "Place order". */
function nameOperation(id: string): string {
  const words = id.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const named = words.replace(/\b(?:open |async )?api\b/, (name) => acronyms[name] ?? name);
  return `${named.charAt(0).toUpperCase()}${named.slice(1)}`;
}

/** The operations by their chapters, which stand in the place of the site's menu. */
export function composeReferenceMenu(chapters: readonly Chapter[]): string {
  const parts = chapters.map((chapter) => {
    const links = chapter.operations.map(({ id }) => `<li><a href="#${id}">${nameOperation(id)}</a></li>`);
    return `<p><a href="#${anchorOf(chapter)}">${escapeHtml(chapter.name)}</a></p><ul>${links.join('')}</ul>`;
  });
  return `<nav class="menu operations" aria-label="Operations"><ul><li><a href="/docs">All guides</a></li></ul>${parts.join('')}</nav>`;
}

/** The reference: each operation, with its examples beside it. All of it is there at once, and reads without scripts. */
export function composeReference(chapters: readonly Chapter[]): string {
  const links = chapters.map((chapter) => `<a href="#${anchorOf(chapter)}">${escapeHtml(chapter.name)}</a>`);
  const names = 'URL=http://127.0.0.1:8787\nKEY=bk_test_…   # where an operation needs one';
  return `<div class="reference"><section class="chapter"><div><h1>Reference</h1>
<p>Every operation, from <a href="/api/v1/openapi.json">the OpenAPI document</a> that this exchange serves. What is sent and
what comes back is JSON; amounts are strings, times are in UTC. Each request may have the header <code>X-Request-Id</code>.</p>
<p>How to <a href="/docs/guides/errors">handle errors</a>, <a href="/docs/guides/idempotent-retries">try again safely</a> and
<a href="/docs/guides/rate-limits">stay within the rate limits</a> are guides of their own.</p>
<p class="chapters">${links.join('')}</p></div>
<div class="examples">${showExample('For every request', names, 'sh')}</div></section>
${chapters.map(showChapter).join('\n')}</div>`;
}
