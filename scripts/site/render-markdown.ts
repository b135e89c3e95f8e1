import { Marked, type Tokens } from 'marked';
import { problems } from '../../src/http/problems.ts';
import { escapeHtml } from './escape-html.ts';
import { showBlock, showPrinted } from './example.ts';

/** The target of a document's link on the site. `undefined` when the site does not have it. */
export type ResolveLink = (href: string) => string | undefined;

export interface RenderedDocument {
  readonly title: string;
  /** Its first paragraph, in plain text. */
  readonly summary: string;
  readonly html: string;
  /** The parts of the document by its headings, for the contents and the search. The first is the text before them. */
  readonly parts: readonly DocumentPart[];
}

export interface DocumentPart {
  /** The heading's anchor; empty for the part below the title. */
  readonly id: string;
  readonly depth: number;
  readonly title: string;
  readonly text: string;
}

/** The anchors of a document's headings, in GitHub's form: a heading that comes again gets a number. */
function createSlugs(): (heading: string) => string {
  const counts = new Map<string, number>();
  return (heading) => {
    const words = heading.toLowerCase().replaceAll(/[^\p{Letter}\p{Number}\s_-]/gu, '');
    const slug = words.trim().replaceAll(/\s/g, '-');
    const earlier = counts.get(slug) ?? 0;
    counts.set(slug, earlier + 1);
    return earlier === 0 ? slug : `${slug}-${earlier}`;
  };
}

/** A name that a line may break at its hyphens or blanks, but must not. A longer one would not fit a telephone. */
const NAME_OF_PARTS = /^(?=.*[- ])[\w/. -]{1,26}$/;

/** An apostrophe that was typed straight, as it is printed. */
export const printApostrophes = (text: string) =>
  text.replaceAll(/(?<=[\p{L}\d])'(?=\p{L})|^'(?=s\b)|(?<=s)'(?=\s)/gu, '’');

/** An error code between backticks becomes a link to its page, so that a document stays plain Markdown. */
function showCode(text: string): string {
  const mark = NAME_OF_PARTS.test(text) ? ' class="name-of-parts"' : '';
  const code = `<code${mark}>${escapeHtml(text)}</code>`;
  return Object.hasOwn(problems, text) ? `<a href="/errors/${text}">${code}</a>` : code;
}

/** How a block of code is shown, by the words of its fence: in which colours, and below what it is if it was printed. */
const fences: Readonly<Record<string, { readonly colours?: string; readonly printed?: string }>> = {
  // Indented, without a fence.
  '': {},
  sh: { colours: 'sh' },
  ts: { colours: 'ts' },
  python: { colours: 'python' },
  json: { colours: 'json' },
  toml: { colours: 'toml' },
  console: { colours: 'sh' },
  'console sh': { colours: 'sh' },
  'console ts': { colours: 'sh' },
  'console python': { colours: 'sh' },
  'console output': { printed: 'Output' },
  'json answer': { colours: 'json', printed: 'Answer' },
};

/** The languages in which a guide shows a request, in their order. */
const languages = { sh: 'curl', ts: 'TypeScript', python: 'Python' } as const;

type Language = keyof typeof languages;

const languageOf = ({ lang = '' }: Tokens.Code) => lang.replace('console ', '') as Language;

/** What may follow each other: a request in each language, or what each language needs beforehand. */
const sequences = [Object.keys(languages), Object.keys(languages).map((language) => `console ${language}`)].map(String);

const LANGUAGES = 'languages';

/** Blocks that follow each other and show the same in each language. */
interface LanguagesToken {
  readonly type: typeof LANGUAGES;
  readonly raw: string;
  readonly blocks: readonly Tokens.Code[];
}

const isCode = (token: Tokens.Generic | undefined): token is Tokens.Code => token?.type === 'code';

/** Puts blocks of code with nothing between them together. Throws where these are not one of each language. */
function groupLanguages(tokens: readonly Tokens.Generic[]): Tokens.Generic[] {
  const grouped: Tokens.Generic[] = [];
  for (const token of tokens.filter(({ type }) => type !== 'space')) {
    const before = grouped.at(-1);
    if (!isCode(token) || !(before && (isCode(before) || before.type === LANGUAGES))) grouped.push(token);
    else {
      const blocks = [...(isCode(before) ? [before] : (before as unknown as LanguagesToken).blocks), token];
      grouped.splice(-1, 1, { type: LANGUAGES, raw: blocks.map(({ raw }) => raw).join('\n'), blocks });
    }
  }
  for (const { type, blocks } of grouped as unknown as LanguagesToken[]) {
    const shown = type === LANGUAGES ? blocks.map(({ lang }) => lang).join() : undefined;
    if (shown !== undefined && !sequences.includes(shown)) {
      throw new Error(`blocks that follow each other are ${sequences.join(' or ')}, not ${shown}`);
    }
  }
  return grouped;
}

/** Throws on a fence that is none of the table. */
function showFence({ text, lang = '' }: Tokens.Code): string {
  const fence = fences[lang];
  if (!fence) throw new Error(`a block of code is one of ${Object.keys(fences).join(', ')}, not ${lang}`);
  const { colours, printed } = fence;
  return `${printed === undefined ? showBlock(text, colours) : showPrinted(printed, text, colours)}\n`;
}

/** Each language below its name, one after the other: `site.js` makes tabs of them. */
function showLanguages(blocks: readonly Tokens.Code[]): string {
  const parts = blocks.map(
    (block) =>
      `<section data-language="${languageOf(block)}"><p>${languages[languageOf(block)]}</p>${showFence(block)}</section>`,
  );
  return `<div class="languages">${parts.join('')}</div>\n`;
}

function createRenderer(resolveLink: ResolveLink): Marked {
  const slugOf = createSlugs();
  return new Marked({
    extensions: [{ name: LANGUAGES, renderer: (token) => showLanguages((token as unknown as LanguagesToken).blocks) }],
    renderer: {
      heading({ tokens, depth, text }) {
        return `<h${depth} id="${slugOf(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens);
        const target = resolveLink(href);
        return target === undefined ? content : `<a href="${escapeHtml(target)}">${content}</a>`;
      },
      image({ href, text }) {
        const source = resolveLink(href);
        if (source === undefined) throw new Error(`the site does not have the picture ${href}`);
        return `<img src="${escapeHtml(source)}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      code: showFence,
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

/** A text of no page: what it links to is an address of the site. */
const keepAddress: ResolveLink = (href) => {
  if (!href.startsWith('/')) throw new Error(`no address of the site: ${href}`);
  return href;
};

export function renderInline(markdown: string): string {
  return createRenderer(keepAddress).parseInline(markdown, { async: false });
}

function textOf({ tokens = [] }: { readonly tokens?: Tokens.Generic[] }): string {
  return printApostrophes(tokens.map((part) => ('text' in part ? String(part['text']) : '')).join(''));
}

/** Renders a part of a document, which need not begin with a title. */
export function renderPart(markdown: string, resolveLink: ResolveLink): string {
  return createRenderer(resolveLink).parse(markdown, { async: false });
}

/** Renders a whole document. Throws on HTML in it, and unless it begins with a title and a paragraph. */
export function renderDocument(markdown: string, resolveLink: ResolveLink): RenderedDocument {
  const renderer = createRenderer(resolveLink);
  const tokens = groupLanguages(renderer.lexer(markdown));
  void renderer.walkTokens(tokens, (token) => {
    if (token.type === 'text') token.text = printApostrophes(token.text);
  });
  const [title, summary] = tokens;
  if (title?.type !== 'heading' || summary?.type !== 'paragraph') {
    throw new Error('a document begins with a title and a paragraph');
  }
  return {
    title: textOf(title),
    summary: textOf(summary).replaceAll('\n', ' '),
    html: renderer.parser(tokens),
    parts: listParts(tokens),
  };
}

function listParts(tokens: readonly Tokens.Generic[]): DocumentPart[] {
  const parts: { id: string; depth: number; title: string; text: string }[] = [];
  const slugOf = createSlugs();
  for (const token of tokens) {
    if (token.type === 'heading') {
      const { depth, text } = token as unknown as Tokens.Heading;
      const slug = slugOf(text);
      parts.push({ id: parts.length === 0 ? '' : slug, depth, title: textOf(token), text: '' });
    } else {
      const part = parts.at(-1);
      if (part) part.text += `${token.raw} `;
    }
  }
  return parts;
}
