import type { Chapter, DescribedOperation, Field } from './describe-api.ts';
import { listDocuments } from './document-pages.ts';
import { escapeHtml } from './escape-html.ts';
import { showExample, showFigure, showPrinted } from './example.ts';
import { writeExample, writeRequest } from './example-request.ts';
import { renderInline } from './render-markdown.ts';

const anchorOf = ({ name }: Chapter) => name.toLowerCase();

const headings = { path: 'In the path', query: 'In the query', header: 'Headers' } as const;

const showMethod = (method: string) => `<span class="method ${method.toLowerCase()}">${method}</span>`;

const acronyms: Readonly<Record<string, string>> = { 'open api': 'OpenAPI', 'async api': 'AsyncAPI', api: 'API' };

/** The name of an operation in words: `placeOrder` is "Place order". */
export function nameOperation(id: string): string {
  const words = id.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const named = words.replace(/\b(?:open |async )?api\b/, (name) => acronyms[name] ?? name);
  return `${named.charAt(0).toUpperCase()}${named.slice(1)}`;
}

/** What is sent says what must be there; what comes back says what may be missing. */
function listFields(fields: readonly Field[], isSent: boolean): string {
  const rows = fields.map(({ name, type, isRequired, description }) => {
    const about = description === '' ? '' : `<p>${renderInline(description)}</p>`;
    const must = isSent && isRequired ? ' <b>required</b>' : '';
    const may = isSent || isRequired ? '' : ', optional';
    return `<li><code>${escapeHtml(name)}</code> <small>${escapeHtml(type)}${may}</small>${must}${about}</li>`;
  });
  return `<ul class="fields">${rows.join('')}</ul>`;
}

function showSent(heading: string, fields: readonly Field[]): string {
  return fields.length === 0 ? '' : `<h4>${heading}</h4>${listFields(fields, true)}`;
}

function foldAnswer({ status, outcome, answer }: DescribedOperation, isOpen: boolean): string {
  if (answer.length === 0) return '';
  const title = `Answer ${status}: ${answer.length} ${answer.length === 1 ? 'field' : 'fields'}`;
  return `<details class="fold"${isOpen ? ' open' : ''}><summary>${title} <small>${escapeHtml(outcome)}</small></summary>${listFields(answer, false)}</details>`;
}

type Refusals = DescribedOperation['refusals'];

/** The refusals that every operation may answer with. They are shown once. */
function listCommonRefusals(chapters: readonly Chapter[]): Refusals {
  const [first, ...others] = chapters.flatMap(({ operations }) => operations);
  return (first?.refusals ?? []).filter(({ code }) =>
    others.every(({ refusals }) => refusals.some((refusal) => refusal.code === code)),
  );
}

function showErrors(caption: string, refusals: Refusals, rest = ''): string {
  const statuses = [...new Set(refusals.map(({ status }) => status))];
  const rows = statuses.map((status) => {
    const codes = refusals.filter((refusal) => refusal.status === status).map(({ code }) => code);
    const links = codes.map((code) => `<a href="/errors/${code}"><code>${code}</code></a>`);
    return `<dt>${status}</dt><dd>${links.join(' ')}</dd>`;
  });
  return showFigure(caption, `<dl class="refusals">${rows.join('')}${rest}</dl>`);
}

const joinWords = (words: readonly string[]) => words.join(', ').replace(/, ([^,]*)$/, ' and $1');

function showExamples(operation: DescribedOperation): string {
  const { method, path, parameters, scopes, status, outcome, answerExample, bodyExample } = operation;
  const request = showExample(`Request <small>${showKey(operation)}</small>`, writeRequest(operation), 'sh');
  const caption = `Answer <span>${status}</span>`;
  if (answerExample === undefined) return `${request}${showFigure(caption, `<p>${escapeHtml(outcome)}.</p>`)}`;
  const sent = JSON.stringify(parameters.map(({ name, in: place }) => [name, place]));
  const body = bodyExample === undefined ? '' : ` data-body="${escapeHtml(JSON.stringify(bodyExample, null, 2))}"`;
  const tryIt = `data-method="${method}" data-path="${escapeHtml(path)}" data-parameters="${escapeHtml(sent)}"${body}${
    scopes === undefined ? '' : ' data-keyed'
  }`;
  const ids = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
  const asked = [...(scopes === undefined ? [] : ['key']), ...ids, ...(bodyExample === undefined ? [] : ['body'])];
  const first = asked.length === 0 ? '' : ` <small>asks for your ${joinWords(asked)} first</small>`;
  return `${request}<details class="try" hidden ${tryIt}><summary><b>Send it</b>${first}</summary></details>
${showPrinted(caption, writeExample(answerExample), 'json')}`;
}

/** About how many letters fit a line of a column, in words and in code. */
const LETTERS = 62;
const CODE_LETTERS = 56;

const countLines = (text: string) => Math.ceil(text.length / LETTERS);

const countAll = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0);

/** About how many lines a list of fields takes. */
const countFieldLines = (fields: readonly Field[]) =>
  countAll(fields.map(({ name, type, description }) => 0.7 + countLines(`${name}  ${type}`) + countLines(description)));

/** About how many lines errors take: some two codes stand on one. */
const countErrorLines = (refusals: Refusals) => 3.5 + Math.ceil(refusals.length * 0.75);

/** About how many lines what is said of an operation takes, and what is shown beside it. A line of code is a lower one. */
function countColumns(operation: DescribedOperation): readonly [said: number, shown: number] {
  const { summary, description, parameters, body, answer, answerExample } = operation;
  const lists = new Set([...parameters.map((parameter) => parameter.in), ...body.map(() => 'body')]);
  const said = (answer.length === 0 ? 4 : 7) + countLines(`${summary}. ${description}`);
  const code = `${writeRequest(operation)}\n${answerExample === undefined ? '' : writeExample(answerExample)}`;
  const codeLines = countAll(code.split('\n').map((line) => Math.ceil(line.length / CODE_LETTERS) || 1));
  return [said + 2.4 * lists.size + countFieldLines([...parameters, ...body]), 7 + 0.77 * codeLines];
}

/** How much longer than what is shown, which follows the reader, what is said may be before it gives something up, in lines. */
const LONGER = 3;

function showKey({ scopes }: DescribedOperation): string {
  if (scopes === undefined) return 'No key';
  return scopes.length === 0 ? 'Any key' : `Key with scope <code>${scopes.join(', ')}</code>`;
}

const COMMON_ERRORS = '<dt>Any</dt><dd><a href="#errors">Those of every operation</a></dd>';

/** The errors stand in the shorter column, and the fields of the answer are open where they fill it. */
function showOperation(operation: DescribedOperation, common: Refusals): string {
  const { id, method, path, summary, description, parameters, body, answer } = operation;
  const sent = Object.entries(headings).map(([place, heading]) =>
    showSent(
      heading,
      parameters.filter((parameter) => parameter.in === place),
    ),
  );
  const refusals = operation.refusals.filter(({ code }) => !common.some((refusal) => refusal.code === code));
  const errors = showErrors('Errors', refusals, COMMON_ERRORS);
  const [said, shown] = countColumns(operation);
  const isLonger = said - shown > LONGER;
  const ahead = said - shown + (isLonger ? -1 : 1) * countErrorLines(refusals);
  const isOpen = ahead + countFieldLines(answer) < LONGER;
  return `<section class="operation" id="${id}">
<div><h3>${nameOperation(id)}</h3>
<p class="endpoint">${showMethod(method)} <code>${escapeHtml(path)}</code></p>
<p>${escapeHtml(summary)}. ${renderInline(description)}</p></div>
<div class="examples">${showExamples(operation)}${isLonger ? errors : ''}</div>
<div>${sent.join('')}${showSent('Body', body)}${foldAnswer(operation, isOpen)}${isLonger ? '' : errors}</div></section>`;
}

function showChapter(chapter: Chapter, common: Refusals): string {
  const { name, description, operations } = chapter;
  const links = operations.map(
    ({ id, method, path, summary }) =>
      `<li><a href="#${id}">${showMethod(method)} <code>${escapeHtml(path)}</code> <small>${escapeHtml(summary)}</small></a></li>`,
  );
  return `<section class="chapter" id="${anchorOf(chapter)}"><h2>${escapeHtml(name)}</h2>
<p>${renderInline(description)}.</p>
<ul class="endpoints">${links.join('')}</ul></section>
${operations.map((operation) => showOperation(operation, common)).join('\n')}`;
}

/** The operations by their chapters, which stand in the place of the site's menu. */
export function composeReferenceMenu(chapters: readonly Chapter[]): string {
  const parts = chapters.map((chapter) => {
    const links = chapter.operations.map(
      ({ id, method }) => `<li><a href="#${id}">${nameOperation(id)} <small>${method}</small></a></li>`,
    );
    return `<p><a href="#${anchorOf(chapter)}">${escapeHtml(chapter.name)}</a></p><ul>${links.join('')}</ul>`;
  });
  return `<p class="crumb"><a href="/docs">Overview</a></p><strong>Operations</strong><div class="operations">${parts.join('')}</div>`;
}

const facts = [
  ['Address', '<code>/api/v1</code> of this exchange'],
  ['Key', '<code>Authorization: Bearer …</code>'],
  ['Bodies', 'JSON; unknown members are refused'],
  ['Amounts', 'Decimal strings, never numbers'],
  ['Times', 'ISO 8601, in UTC'],
  ['Request id', '<code>X-Request-Id</code>: yours, or one of ours'],
] as const;

/** The reference: each operation, with its examples beside it. All of it is there at once, and reads without scripts. */
export function composeReference(chapters: readonly Chapter[]): string {
  const parts = chapters.map((chapter) => ({
    path: `#${anchorOf(chapter)}`,
    title: chapter.name,
    summary: `${chapter.description}.`,
  }));
  const common = listCommonRefusals(chapters);
  const names = `URL=http://127.0.0.1:8787
KEY=bk_test_…

curl "$URL/api/v1/account/api-key" \\
  -H "Authorization: Bearer $KEY"`;
  return `<div class="reference"><section class="overview"><div><h1>Reference</h1>
<p class="lead">Every operation, with a request that you can send from here.</p>
<p>All of it is also in <a href="/api/v1/openapi.json">the OpenAPI document</a> of this exchange. How to <a href="/docs/guides/errors">handle errors</a>, <a href="/docs/guides/idempotent-retries">try again safely</a> and
<a href="/docs/guides/rate-limits">stay within the rate limits</a> are guides of their own.</p>
<dl>${facts.map(([term, fact]) => `<dt>${term}</dt><dd>${fact}</dd>`).join('')}</dl></div>
<div class="examples">${showExample('A first request', names, 'sh')}
<div id="errors">${showErrors('Errors of every operation', common)}</div></div></section>
${listDocuments('Operations', parts)}
${chapters.map((chapter) => showChapter(chapter, common)).join('\n')}</div>`;
}
