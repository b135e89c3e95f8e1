import { exampleOfProblem } from '../../src/http/document/problem-examples.ts';
import { type ProblemCode, type ProblemDefinition, problems } from '../../src/http/problems.ts';
import { errorGuide } from './error-guide.ts';
import { escapeHtml } from './escape-html.ts';
import { ONLY_OPERATORS, writeError, writeErrors } from './markdown-pages.ts';
import { ERRORS } from './navigation.ts';
import type { Page } from './page.ts';
import { showPrinted } from './example.ts';
import { renderInline } from './render-markdown.ts';

const codes = Object.keys(problems) as ProblemCode[];

/** The page of every code of the table, at the address in a problem's `type`, and the page of the table itself. */
export function composeErrorPages(): Page[] {
  return [composeIndex(), ...codes.map(composeErrorPage)];
}

function showStatuses({ status, statusInPath }: ProblemDefinition): string {
  return statusInPath === undefined ? String(status) : `${status}, ${statusInPath}`;
}

function composeErrorPage(code: ProblemCode): Page {
  const definition = problems[code];
  const { meaning, remedy, isOperators } = errorGuide[code];
  const { status, statusInPath, retryable, kept } = definition;
  const facts = [
    ...(statusInPath === undefined ? [] : [['Status', `${statusInPath} where the path names it`]]),
    ['Retryable', retryable ? 'Yes: the same request may succeed later' : 'No: change something first'],
    ['Idempotency-Key', kept ? 'The same one gets this answer for 24 hours' : 'The same one may be used again'],
  ].map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`);
  return {
    path: `/errors/${code}`,
    reader: 'trader',
    title: definition.title,
    description: `The error ${code} of the Bureau API: what it means, and what to do.`,
    markdown: writeError(code),
    body: `<article>
<p class="crumb"><a href="${ERRORS.path}">${ERRORS.title}</a></p>
<h1>${escapeHtml(definition.title)}</h1>
<p class="code">${status} <code>${code}</code></p>
<dl>${facts.join('')}</dl>
<h2>What it means</h2>
<p>${renderInline(isOperators ? `${meaning} ${ONLY_OPERATORS}` : meaning)}</p>
<h2>What to do</h2>
<p>${renderInline(remedy)}</p>
</article>
<div class="examples">${showPrinted(`Answer <span>${definition.status}</span>`, JSON.stringify(exampleOfProblem(code, false), null, 2), 'json')}</div>
<p class="further">${code === 'rate_limited' ? '<a href="/docs/guides/rate-limits">Rate limits</a> · ' : ''}<a href="/docs/guides/errors">How to handle errors</a></p>`,
  };
}

/** What a caller does about an error. */
const groups = {
  later: ['Send it again later', 'The same request, with the same Idempotency-Key, may succeed.'],
  key: ['Look at the key or the account', 'The request may be right; this key or this account may not make it.'],
  request: ['Change the request', 'The same request is refused again.'],
  operator: ['For operators', 'Only the operator’s API, below `/operator/v1`, answers with these.'],
} as const;

function groupOf(code: ProblemCode): keyof typeof groups {
  const { retryable, status } = problems[code];
  if (errorGuide[code].isOperators) return 'operator';
  if (retryable) return 'later';
  return status === 401 || status === 403 ? 'key' : 'request';
}

function composeIndex(): Page {
  const sections = Object.entries(groups).map(([group, [title, advice]]) => {
    const rows = codes
      .filter((code) => groupOf(code) === group)
      .toSorted((one, other) => problems[one].status - problems[other].status)
      .map(
        (code) => `<li><b>${showStatuses(problems[code])}</b> <a href="/errors/${code}"><code>${code}</code></a>
<small>${renderInline(errorGuide[code].meaning)}</small></li>`,
      );
    return `<section><h2 id="${group}">${title}</h2><p>${renderInline(advice)}</p><ul class="codes">${rows.join('\n')}</ul></section>`;
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
<p class="filter" hidden><label>Narrow the list <input type="search" placeholder="A code, a status or a word" autocomplete="off" spellcheck="false"></label>
<span role="status"></span></p>
${sections.join('\n')}
</article>`,
  };
}
