import { escapeHtml } from './escape-html.ts';

/** The languages of the documents' code. What else is shown stays plain. */
type Language = 'json' | 'sh' | 'ts' | 'python';

const strings = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/;
const numbers = /(?<!\w)-?\d[\d_]*(?:\.\d+)?\b/;
const keywordsOf = (words: string) => new RegExp(`\\b(?:${words.replaceAll(' ', '|')})\\b`);

const TYPESCRIPT =
  'import from const let new await async for of if else return try catch throw function true false null undefined as type';
const PYTHON =
  'import from def return for in if elif else while try except as with raise class lambda not and or True False None';

/** What has a colour in each language. The first that fits at a place is taken. */
const rules: Readonly<Record<Language, readonly (readonly [name: string, pattern: RegExp])[]>> = {
  json: [
    ['name', /"(?:\\.|[^"\\\n])*"(?=\s*:)/],
    ['string', strings],
    ['number', numbers],
    ['word', keywordsOf('true false null')],
  ],
  sh: [
    ['comment', /(?<=^|\s)#.*/m],
    ['string', strings],
    ['name', /\$\{?\w+\}?/],
    ['word', /(?<=^|[|;(]\s?)(?:curl|echo|export|npm|npx|node|python3|openssl|for|do|done|if|then|fi|while)\b/m],
  ],
  ts: [
    ['comment', /\/\/.*|\/\*[^]*?\*\//],
    ['string', strings],
    ['word', keywordsOf(TYPESCRIPT)],
    ['number', numbers],
  ],
  python: [
    ['comment', /#.*/],
    ['string', /"""[^]*?"""|f?"(?:\\.|[^"\\\n])*"|f?'(?:\\.|[^'\\\n])*'/],
    ['word', keywordsOf(PYTHON)],
    ['number', numbers],
  ],
};

/** An address is broken after a part of it, where a line is too long for it. */
const write = (code: string) => escapeHtml(code).replaceAll(/(?<![:/])\/(?=[\w$])/g, '/<wbr>');

/** Code as HTML with colours. It is for reading: a place that no rule knows stays plain, and every character stays. */
export function highlight(code: string, language: string | undefined): string {
  const known = rules[language as Language] as (typeof rules)[Language] | undefined;
  if (!known) return write(code);
  const flags = 'gm';
  const all = new RegExp(known.map(([name, pattern]) => `(?<${name}>${pattern.source})`).join('|'), flags);
  let [html, end] = ['', 0];
  for (const match of code.matchAll(all)) {
    const [name] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? ['word'];
    html += `${write(code.slice(end, match.index))}<span class="c-${name}">${write(match[0])}</span>`;
    end = match.index + match[0].length;
  }
  return html + write(code.slice(end));
}
