import { exampleOfProblem } from '../../src/http/document/problem-examples.ts';
import { type ProblemCode, type ProblemDefinition, definitionOf, problems } from '../../src/http/problems.ts';
import { errorGuide } from './error-guide.ts';
import { escapeHtml } from './escape-html.ts';
import { writeError, writeErrors } from './markdown-pages.ts';
import type { Page } from './page.ts';
import { showExample } from './reference-page.ts';
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
    body: `<div class="beside"><article>
<h1>${escapeHtml(definition.title)}</h1>
<p class="code"><code>${code}</code></p>
<dl>${facts.join('')}</dl>
<h2>What it means</h2>
<p>${renderInline(meaning)}</p>
<h2>What to do</h2>
<p>${renderInline(remedy)}</p>
<p class="further"><a href="/docs/guides/errors">How to handle errors</a> · <a href="/errors">All codes</a></p>
</article>
<div class="examples">${showExample(`Answer <span>${definition.status}</span>`, JSON.stringify(exampleOfProblem(code, false), null, 2), 'json')}</div></div>`,
  };
}

/** What a caller does about an error. */
const groups = {
  later: ['Send it again later', 'The same request, with the same Idempotency-Key, may succeed.'],
  key: ['Look at the key or the account', 'The request may be right; this key or this account may not make it.'],
  request: ['Change the request', 'The same request is refused again.'],
} as const;

function groupOf({ retryable, status }: ProblemDefinition): keyof typeof groups {
  if (retryable) return 'later';
  return status === 401 || status === 403 ? 'key' : 'request';
}

function composeIndex(): Page {
  const sections = Object.entries(groups).map(([group, [title, advice]]) => {
    const rows = codes
      .filter((code) => groupOf(definitionOf(code)) === group)
      .map(
        (code) => `<li><a href="/errors/${code}"><code>${code}</code></a> <b>${statusOf(definitionOf(code))}</b>
<span>${renderInline(errorGuide[code].meaning)}</span></li>`,
      );
    return `<section><h2 id="${group}">${title}</h2><p>${advice}</p><ul class="codes">${rows.join('\n')}</ul></section>`;
  });
  return {
    path: '/errors',
    reader: 'trader',
    title: 'Errors',
    description: 'Every error code of the Bureau API.',
    markdown: writeErrors(),
    headings: Object.entries(groups).map(([id, [title]]) => ({ id, title })),
    body: `<article>
<h1>Errors</h1>
<p>Every code that the API answers with, by what you do about it. Codes are stable within v1 and only ever added;
<a href="/docs/guides/errors">how to handle errors</a> has the whole story.</p>
${sections.join('\n')}
</article>`,
  };
}
