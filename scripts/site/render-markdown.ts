import { Marked, type Tokens } from 'marked';
import { problems } from '../../src/http/problems.ts';
import { escapeHtml } from './escape-html.ts';

/** The target of a document's link on the site. `undefined` when the site does not have it. */
export type ResolveLink = (href: string) => string | undefined;

/** A document as HTML, with its title and description for lists of documents. */
export interface RenderedDocument {
  readonly title: string;
  /** Its first paragraph, in plain text. */
  readonly summary: string;
  readonly html: string;
  /** The parts of the document by its headings, for the contents and the search. The first is the text before them. */
  readonly parts: readonly DocumentPart[];
}

/** The part of a document below one heading. */
export interface DocumentPart {
  /** The heading's anchor; empty for the part below the title. */
  readonly id: string;
  readonly depth: number;
  readonly title: string;
  readonly text: string;
}

/** The anchor of a heading, in GitHub's form. */
function slugOf(heading: string): string {
  const words = heading.toLowerCase().replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '');
  return words.trim().replaceAll(/\s/g, '-');
}

/** An error code between backticks becomes a link to its page, so that a document stays plain Markdown. */
function showCode(text: string): string {
  const code = `<code>${escapeHtml(text)}</code>`;
  return Object.hasOwn(problems, text) ? `<a href="/errors/${text}">${code}</a>` : code;
}

function createRenderer(resolveLink: ResolveLink): Marked {
  return new Marked({
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${slugOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens);
        const target = resolveLink(href);
        return target === undefined ? content : `<a href="${escapeHtml(target)}">${content}</a>`;
      },
      code({ text }) {
        return `<pre><code>${escapeHtml(text)}</code></pre>\n`;
      },
      codespan: ({ text }) => showCode(text),
      table(token) {
        return `<div class="table" tabindex="0">${tableOf(token, (cell) => this.parser.parseInline(cell.tokens))}</div>\n`;
      },
      html({ text }) {
        throw new Error(`a document holds HTML: ${text}`);
      },
    },
  });
}

function tableOf({ header, rows }: Tokens.Table, show: (cell: Tokens.TableCell) => string): string {
  // The top left cell of a table whose rows have names is empty, and no heading.
  const head = header.map((cell) => (cell.text === '' ? '<td></td>' : `<th scope="col">${show(cell)}</th>`)).join('');
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${show(cell)}</td>`).join('')}</tr>`);
  return `<table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>`;
}

const noLink: ResolveLink = (href) => {
  throw new Error(`no link is expected here: ${href}`);
};

/** Renders inline Markdown, for the texts of the error pages. */
export function renderInline(markdown: string): string {
  return createRenderer(noLink).parseInline(markdown, { async: false });
}

/** The text of a heading or a paragraph, without its markup. */
function textOf({ tokens = [] }: { readonly tokens?: Tokens.Generic[] }): string {
  return tokens.map((part) => ('text' in part ? String(part['text']) : '')).join('');
}

/** Renders a whole document. Throws on HTML in it, and unless it begins with a title and a paragraph. */
export function renderDocument(markdown: string, resolveLink: ResolveLink): RenderedDocument {
  const renderer = createRenderer(resolveLink);
  const [title, summary] = renderer.lexer(markdown).filter(({ type }) => type !== 'space');
  if (title?.type !== 'heading' || summary?.type !== 'paragraph') {
    throw new Error('a document begins with a title and a paragraph');
  }
  return {
    title: textOf(title),
    summary: textOf(summary).replaceAll('\n', ' '),
    html: renderer.parse(markdown, { async: false }),
    parts: listParts(renderer.lexer(markdown)),
  };
}

function listParts(tokens: readonly Tokens.Generic[]): DocumentPart[] {
  const parts: { id: string; depth: number; title: string; text: string }[] = [];
  for (const token of tokens) {
    if (token.type === 'heading') {
      const { depth, text } = token as unknown as Tokens.Heading;
      parts.push({ id: parts.length === 0 ? '' : slugOf(text), depth, title: textOf(token), text: '' });
    } else {
      const part = parts.at(-1);
      if (part) part.text += `${token.raw} `;
    }
  }
  return parts;
}
