import { ORIGIN } from './exchange.ts';
import { env } from './runtime/test-env.ts';

/** A page as a browser would find it. */
export interface FetchedPage {
  readonly response: Response;
  readonly html: string;
  readonly links: readonly string[];
  /** What it loads: scripts, styles, images, frames. */
  readonly loads: readonly string[];
  /** The same for programs: as Markdown, or as a feed. */
  readonly alternates: readonly string[];
  readonly anchors: ReadonlySet<string>;
}

export function fetchSite(path: string, init: RequestInit = {}): Promise<Response> {
  return env.SITE.fetch(new Request(new URL(path, ORIGIN), { redirect: 'manual', ...init }));
}

export const fetchPage = async (path: string): Promise<FetchedPage> => readPage(await fetchSite(path));

export async function readPage(response: Response): Promise<FetchedPage> {
  const html = await response.text();
  const links: string[] = [];
  const loads: string[] = [];
  const alternates: string[] = [];
  const anchors = new Set<string>();
  const collect = (selector: string, attribute: string, into: { push(value: string): unknown }) =>
    [selector, { element: (element: Element) => void into.push(element.getAttribute(attribute) ?? '') }] as const;
  const rewriter = [
    collect('a', 'href', links),
    collect('link:not([rel=alternate])', 'href', loads),
    collect('link[rel=alternate]', 'href', alternates),
    collect('[src]', 'src', loads),
    collect('[id]', 'id', { push: (id) => anchors.add(id) }),
  ].reduce((chain, [selector, handler]) => chain.on(selector, handler), new HTMLRewriter());
  await rewriter.transform(new Response(html)).text();
  return { response, html, links, loads, alternates, anchors };
}
