import { exampleOfProblem } from '../../src/http/document/problem-examples.ts';
import { type ProblemCode, type ProblemDefinition, definitionOf, problems } from '../../src/http/problems.ts';
import { errorGuide } from './error-guide.ts';
import { highlight } from './highlight.ts';
import { escapeHtml } from './escape-html.ts';
import { writeError, writeErrors } from './markdown-pages.ts';
import type { Page } from './page.ts';
import { renderInline } from './render-markdown.ts';

const codes = Object.keys(problems) as ProblemCode[];

/** The page of every code of the table, at the address in a problem's `type`, and the page of the table itself. */
export function composeErrorPages(): Page[] {
  return [composeIndex(), ...codes.map(composeErrorPage)];
}

function statusOf({ status, statusInPath }: ProblemDefinition): string {
  return statusInPath === undefined ? String(status) : `${status}, in a path ${statusInPath}`;
}

function composeErrorPage(code: ProblemCode): Page {
  const definition = definitionOf(code);
  const { meaning, remedy } = errorGuide[code];
  const facts = [
    ['Status', statusOf(definition)],
    ['Retryable', definition.retryable ? 'Yes: the same request may succeed later' : 'No: change something first'],
    [
      'Kept for replay',
      definition.kept
        ? 'Yes: the same Idempotency-Key gets the same answer for 24 hours'
        : 'No: the same Idempotency-Key may be used again',
    ],
  ].map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`);
  return {
    path: `/errors/${code}`,
    reader: 'trader',
    title: definition.title,
    description: `The error ${code} of the Bureau API: what it means, and what to do.`,
    markdown: writeError(code),
    body: `<article>
<h1>${escapeHtml(definition.title)}</h1>
<p class="code"><code>${code}</code></p>
<dl>${facts.join('')}</dl>
<h2>What it means</h2>
<p>${renderInline(meaning)}</p>
<h2>What to do</h2>
<p>${renderInline(remedy)}</p>
<h2>An example</h2>
<pre><code>${highlight(JSON.stringify(exampleOfProblem(code, false), null, 2), 'json')}</code></pre>
</article>
<p class="next"><a href="/docs/guides/errors">How to handle errors</a> · <a href="/errors">All codes</a></p>`,
  };
}

function composeIndex(): Page {
  const rows = codes.map((code) => {
    const definition = definitionOf(code);
    const answers = [definition.retryable ? 'yes' : 'no', definition.kept ? 'yes' : 'no'];
    const name = `<a href="/errors/${code}"><code>${code}</code></a><p>${escapeHtml(definition.title)}</p>`;
    const facts = [statusOf(definition), ...answers].map((fact) => `<td>${fact}</td>`);
    return `<tr><td>${name}</td>${facts.join('')}</tr>`;
  });
  const head = ['Code', 'Status', 'Retryable', 'Kept for replay'];
  return {
    path: '/errors',
    reader: 'trader',
    title: 'Errors',
    description: 'Every error code of the Bureau API.',
    markdown: writeErrors(),
    body: `<article>
<h1>Errors</h1>
<p>Every code that the API answers with. Codes are stable within v1 and only ever added;
<a href="/docs/guides/errors">how to handle errors</a> says what to do with them.</p>
<div class="table" tabindex="0"><table><thead><tr>${head.map((name) => `<th scope="col">${name}</th>`).join('')}</tr></thead>
<tbody>${rows.join('\n')}</tbody></table></div>
</article>`,
  };
}
