import { describe, expect, it, vi } from 'vitest';
import { config } from '../../src/env.ts';
import { ORIGIN, codeOf, json, openTrader, send } from '../support/exchange.ts';
import { worker } from '../support/runtime/test-env.ts';
import { fetchPage, fetchSite } from '../support/site.ts';

interface Call {
  readonly path: string;
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

function readWords(line: string, variables: Readonly<Record<string, string>>): string[] {
  const words = [...line.replaceAll('\\\n', '').matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)];
  const fillIn = (text: string) => text.replaceAll(/\$([A-Z]+)/g, (_, name: string) => variables[name] ?? '');
  return words.map(([, double, single, bare]) => single ?? fillIn(double ?? bare ?? ''));
}

/** What a line of curl asks for. Throws at an option that it does not know. */
function readCurl(line: string, variables: Readonly<Record<string, string>>): Call {
  const [program, ...words] = readWords(line, variables);
  if (program !== 'curl') throw new Error(`not curl: ${line}`);
  const headers: Record<string, string> = {};
  let [path, method, body]: [string, string?, string?] = [''];
  for (let place = 0; place < words.length; place += 1) {
    const word = words[place] ?? '';
    const next = () => words[(place += 1)] ?? '';
    if (word === '-s') continue;
    if (word === '-H') {
      const [name = '', value = ''] = next().split(/: (.*)/s);
      headers[name] = value;
    } else if (word === '-d') body = next();
    else if (word === '-X') method = next();
    else if (word.startsWith(ORIGIN)) path = word.slice(ORIGIN.length);
    else throw new Error(`curl ${word}`);
  }
  return { path, method: method ?? (body === undefined ? 'GET' : 'POST'), headers, body };
}

/** Sends what a line of curl asks for. */
function sendCurl(line: string, variables: Readonly<Record<string, string>>): Promise<Response> {
  const { path, body, ...init } = readCurl(line, variables);
  return send(path, { ...init, ...(body !== undefined && { body }) });
}

describe('llms.txt', () => {
  it('leads to a first order in six calls, its own among them, each as it is written', async () => {
    const trader = await openTrader({ USDT: '100' });
    const response = await fetchSite('/llms.txt');
    expect(response.headers.get('Content-Type')).toBe('text/plain; charset=utf-8');
    const [, shown = ''] = /```sh\n([^]*?)```/.exec(await response.text()) ?? [];
    const lines = shown.trimEnd().split('\n');
    expect(1 + lines.length).toBeLessThanOrEqual(6);
    const answers: Record<string, unknown>[] = [];
    for (const line of lines) {
      const answer = await sendCurl(line, { URL: ORIGIN, KEY: trader.token });
      expect([line, answer.ok]).toEqual([line, true]);
      answers.push(await json<Record<string, unknown>>(answer));
    }
    expect(answers.map((answer) => Object.keys(answer)[0])).toEqual([
      'apiKey',
      'symbols',
      'preview',
      'order',
      'orders',
    ]);
    const [order, found] = [answers[3]?.['order'], answers[4]?.['orders']];
    expect(order).toMatchObject({ usdtAmount: '10', status: 'COMPLETED', clientOrderId: 'first-order' });
    expect(found).toEqual([order]);
    expect((await trader.balances())['USDT']).toBe('90');
  });

  it('leads to pages that exist, and to every page of the documents', async () => {
    const open = [...(await readLinks('/llms.txt'))];
    const seen = new Set<string>();
    for (let path = open.pop(); path !== undefined; path = open.pop()) {
      if (seen.has(path)) continue;
      seen.add(path);
      if (path.startsWith('/api/')) expect([path, (await send(path)).status]).toEqual([path, 200]);
      else open.push(...(await readLinks(path)));
    }
    const html = [...seen].filter((path) => path.endsWith('.md')).map((path) => path.slice(0, -'.md'.length));
    for (const path of html) expect([path, (await fetchSite(path)).status]).toEqual([path, 200]);
    expect(html).toEqual(expect.arrayContaining(['/docs/guides/first-order', '/errors/rate_limited', '/docs/words']));
    const written = Object.keys(import.meta.glob('../../docs/**/*.md'));
    expect(html.filter((path) => path.startsWith('/docs/')).length).toBeGreaterThanOrEqual(written.length);
  });

  /** The links of a page of Markdown, or of a text, that stay on the site. */
  async function readLinks(path: string): Promise<string[]> {
    const response = await fetchSite(path);
    expect([path, response.status]).toEqual([path, 200]);
    const type = path.endsWith('.md') ? 'text/markdown; charset=utf-8' : 'text/plain; charset=utf-8';
    expect([path, response.headers.get('Content-Type')]).toEqual([path, type]);
    const text = (await response.text()).replaceAll(/^```[^]*?^```$/gm, '');
    const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link.split('#')[0] ?? '');
    expect([path, links.filter((link) => !/^(\/|https:|$)/.test(link))]).toEqual([path, []]);
    return links.filter((link) => link.startsWith('/') && !link.startsWith('/docs/static/'));
  }
});

/** Sends a request that is shown as a line of curl, or as the head of HTTP that opens a WebSocket. */
function sendShown(request: string, variables: Readonly<Record<string, string>>): Promise<Response> {
  if (request.startsWith('curl')) return sendCurl(request, variables);
  const [first = '', ...lines] = request.replaceAll('$KEY', variables['KEY'] ?? '').split('\n');
  const [, path = ''] = /^GET (\S+) HTTP\/1.1$/.exec(first) ?? [];
  return worker.fetch(`${ORIGIN}${path}`, { headers: lines.map((line) => line.split(': ')) });
}

describe('the reference', () => {
  it('shows a request of each operation that is sent as it stands, for pages and programs alike', async () => {
    const trader = await openTrader({ USDT: '1000' }, { scopes: ['read', 'trade', 'withdraw', 'webhooks'] });
    const variables = { URL: ORIGIN, KEY: trader.token, ID: '01a1fcca-895a-7000-b43c-11f474a4f8d5' };
    const [html, text] = [
      (await fetchPage('/docs/reference')).html,
      await (await fetchSite('/docs/reference.md')).text(),
    ];
    const shown = html
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'");
    const blocks = [...text.matchAll(/^### (.+)$[^]*?^```sh\n([^]*?)\n```$/gm)];
    expect(blocks).toHaveLength(html.split('class="operation"').length - 1);
    for (const [, operation = '', request = ''] of blocks) {
      expect(shown).toContain(request);
      const answer = await sendShown(request, variables);
      answer.webSocket?.accept();
      answer.webSocket?.close();
      // Nothing has that id.
      const expected = operation.includes('{id}') ? /^404 not_found$/ : /^(200|201|101)$/;
      expect([operation, answer.webSocket ? '101' : await codeOf(answer)]).toEqual([
        operation,
        expect.stringMatching(expected),
      ]);
    }
  });
});

describe('what programs look for at fixed places', () => {
  it('is the Markdown of each page, which the page names', async () => {
    for (const path of ['/docs', '/docs/guides/errors', '/docs/reference', '/errors', '/errors/rate_limited']) {
      expect((await fetchPage(path)).alternates).toEqual([`${path}.md`]);
    }
    const [page, markdown] = [await fetchSite('/docs/guides/tax.md'), await fetchSite('/docs/reference.md')];
    expect(await page.text()).toMatch(/^# Tax programs\n/);
    const reference = await markdown.text();
    for (const part of [
      '### POST /api/v1/orders\n',
      '`clientOrderId` (string, optional)',
      '`order.spreadBps` (number',
      '`client_order_id_reused` (422)',
    ]) {
      expect(reference).toContain(part);
    }
  });

  it('is a feed of the released versions', async () => {
    expect((await fetchPage('/docs/changelog')).alternates).toContain('/docs/changelog.atom');
    const response = await fetchSite('/docs/changelog.atom');
    expect(response.headers.get('Content-Type')).toBe('application/atom+xml; charset=utf-8');
    const feed = await response.text();
    const titles = [
      ...feed.matchAll(
        /<entry>\n<id>(urn:uuid:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})<\/id>\n<title>(\S+)<\/title>\n<updated>(\S+)</g,
      ),
    ];
    expect(titles.map(([, , title, updated]) => [title, updated])).toContainEqual(['0.2.0', '2026-11-22T00:00:00Z']);
    expect(feed.split('<entry>')).toHaveLength(titles.length + 1);
  });

  it('is robots.txt, which lets nobody index answers', async () => {
    expect(await (await fetchSite('/robots.txt')).text()).toMatch(
      /^User-agent: \*\nDisallow: \/api\/\nDisallow: \/operator\/\n/,
    );
  });

  it('is the catalog of the API (RFC 9727), and each of its links is answered', async () => {
    const open = (method: string) => worker.fetch(`${ORIGIN}/.well-known/api-catalog`, { method });
    const response = await open('GET');
    expect(response.headers.get('Content-Type')).toMatch(
      /^application\/linkset\+json; profile="https:\/\/www.rfc-editor.org\/info\/rfc9727"$/,
    );
    expect((await open('HEAD')).headers.get('Link')).toBe('</.well-known/api-catalog>; rel="api-catalog"');
    const { linkset } = await json<{ linkset: Record<string, { href: string; type: string }[]>[] }>(response);
    const [catalog, api] = linkset;
    expect(catalog).toEqual({ anchor: `${ORIGIN}/.well-known/api-catalog`, item: [{ href: `${ORIGIN}/api/v1` }] });
    const links = Object.values(api ?? {})
      .flat()
      .filter((link) => typeof link === 'object');
    expect(links).toHaveLength(4);
    for (const { href, type } of links) {
      const path = href.slice(ORIGIN.length);
      const answer = path.startsWith('/api/') ? await send(path) : await fetchSite(path);
      expect([href, answer.status, answer.headers.get('Content-Type')?.split(';')[0]]).toEqual([href, 200, type]);
    }
  });

  it('is security.txt (RFC 9116) only where the operator has named a contact', async () => {
    const open = () => worker.fetch(`${ORIGIN}/.well-known/security.txt`);
    expect((await open()).status).toBe(404);
    vi.spyOn(config, 'SECURITY_CONTACT', 'get').mockReturnValue('mailto:security@bureau.dev');
    const response = await open();
    expect([response.status, response.headers.get('Content-Type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const fields = new Map(
      (await response.text())
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/: (.*)/s) as [string, string]),
    );
    expect(fields.get('Contact')).toBe('mailto:security@bureau.dev');
    expect(fields.get('Canonical')).toBe(`${ORIGIN}/.well-known/security.txt`);
    const days = (Date.parse(fields.get('Expires') ?? '') - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(80);
    expect(days).toBeLessThan(365);
  });
});
