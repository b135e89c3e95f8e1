import { createExecutionContext } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import publicDocument from '../../docs/openapi.json?raw';
import rateLimitGuide from '../../docs/guides/rate-limits.md?raw';
import { app } from '../../src/app.ts';
import { type ProblemCode, type ProblemDefinition, problems } from '../../src/http/problems.ts';
import { defaultLimits } from '../../src/keys/rights.ts';
import { ORDER, ORIGIN, json, openTrader, send } from '../support/exchange.ts';
import { env, worker } from '../support/runtime/test-env.ts';
import { type FetchedPage, fetchPage, fetchSite, readPage } from '../support/site.ts';

const table: Readonly<Record<string, ProblemDefinition>> = problems;
const codes = Object.keys(problems) as ProblemCode[];

/** Every page that can be reached from the first one. */
async function visitSite(): Promise<Map<string, FetchedPage>> {
  const pages = new Map<string, FetchedPage>();
  const open = ['/docs'];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (pages.has(path)) continue;
    const page = await fetchPage(path);
    pages.set(path, page);
    open.push(...page.links.filter(isOwn).map(pathOf));
  }
  return pages;
}

const isOwn = (link: string) => /^\/(docs|errors)\b/.test(link);
const pathOf = (link: string) => link.split('#')[0] ?? '';

describe('the documentation', () => {
  it('has no broken link, and no page without a link to it', async () => {
    const pages = await visitSite();
    for (const [path, { response, links }] of pages) {
      expect([path, response.status]).toEqual([path, 200]);
      for (const link of links.filter((each) => !isOwn(each) && !each.startsWith('#'))) {
        const leads = link.startsWith('https://') || (link.startsWith('/api/') && (await send(link)).ok);
        expect([path, link, leads]).toEqual([path, link, true]);
      }
      for (const link of links.filter((each) => each.includes('#') && !each.startsWith('https://'))) {
        const target = pages.get(pathOf(link) || path);
        expect([path, link, target?.anchors.has(link.split('#')[1] ?? '')]).toEqual([path, link, true]);
      }
    }
    const written = Object.keys(import.meta.glob('../../docs/**/*.md')).map((file) => file.slice('../..'.length, -3));
    const starts = ['/docs', '/docs/operate', '/docs/contribute', '/docs/reference', '/docs/changelog', '/errors'];
    const expected = [...starts, ...written, ...codes.map((code) => `/errors/${code}`)];
    expect([...pages.keys()].toSorted()).toEqual(expected.toSorted());
  });

  it('loads nothing from other servers, and nothing that does not exist', async () => {
    const pages = [...(await visitSite()).values()];
    const loads = new Set(pages.flatMap((page) => page.loads));
    expect(loads.size).toBeGreaterThan(4);
    for (const load of loads) {
      expect(load).toMatch(/^\/docs\/static\//);
      const response = await fetchSite(load);
      expect([load, response.status]).toEqual([load, 200]);
      // A file with a version or a digest in its name never changes.
      expect(response.headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
      if (load.endsWith('.css')) expect(await response.text()).not.toMatch(/@import|url\(["']?(?!["']?data:)/);
    }
  });

  it('allows every page only its own origin, whatever a page contains (CSP)', async () => {
    for (const path of ['/docs', '/docs/guides/first-order', '/errors/rate_limited']) {
      const { headers } = await fetchSite(path);
      const policy = headers.get('Content-Security-Policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self';");
      expect(policy).toContain("connect-src 'self';");
      expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff');
      expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
      expect(headers.get('Cache-Control')).toBe('public, max-age=0, must-revalidate');
    }
  });

  it('starts at the bare address, and has one address for each page', async () => {
    const locationOf = async (path: string) => (await fetchSite(path)).headers.get('Location');
    expect(await locationOf('/')).toBe('/docs');
    expect(await locationOf('/docs/')).toBe('/docs');
    expect(await locationOf('/errors/rate_limited.html')).toBe('/errors/rate_limited');
  });

  it('shows each reader a menu without the pages for others', async () => {
    const menuOf = async (path: string) => {
      const [, menu = ''] = /<nav class="menu"[^>]*>(.*?)<\/nav>/s.exec((await fetchPage(path)).html) ?? [];
      return [...menu.matchAll(/href="([^"]+)"/g)].map(([, link]) => link);
    };
    const trader = await menuOf('/docs/guides/rate-limits');
    expect(trader).toEqual(expect.arrayContaining(['/docs/guides/first-order', '/docs/reference', '/errors']));
    const others = ['/docs/operations', '/docs/faults', '/docs/performance', '/docs/design/ledger'];
    expect(others.filter((path) => trader.includes(path))).toEqual([]);
    expect(await menuOf('/docs/operations')).toEqual(expect.arrayContaining(['/docs/faults', '/docs/performance']));
    expect(await menuOf('/docs/design/ledger')).not.toContain('/docs/operations');
  });

  it('begins with an order whose figures agree', async () => {
    const { html } = await fetchPage('/docs');
    const [, shown = ''] =
      /<figcaption>Answer <span>201<\/span><\/figcaption><pre><code>(.*?)<\/code>/s.exec(html) ?? [];
    const { order } = JSON.parse(shown.replaceAll(/<[^>]+>/g, '').replaceAll('&quot;', '"')) as {
      order: Record<string, unknown>;
    };
    const { executedPrice, midPrice, spreadBps, coinAmount, usdtAmount, id, keyId } = order;
    expect(spreadBps).toBe(Math.round((Number(executedPrice) / Number(midPrice) - 1) * 1_000_000) / 100);
    expect(Number(usdtAmount)).toBeCloseTo(Number(coinAmount) * Number(executedPrice), 6);
    expect(id).not.toBe(keyId);
  });

  it('states the limits of the exchange', () => {
    for (const [bucket, { perMinute, perDay }] of Object.entries(defaultLimits)) {
      const row = rateLimitGuide.split('\n').find((line) => line.startsWith(`| \`${bucket}\` |`));
      expect(row).toMatch(new RegExp(`\\| ${perMinute} \\| ${perDay.toLocaleString('en-US')} \\|$`));
    }
  });
});

describe('the page of an error code', () => {
  it.each(codes)('exists, with the facts of the one table: %s', async (code) => {
    const { response, html } = await fetchPage(`/errors/${code}`);
    const { status, title, retryable, kept } = table[code] ?? {};
    expect(response.status).toBe(200);
    expect(html).toContain(`<h1>${title}</h1>`);
    expect(html).toContain(`<p class="code">${status} <code>${code}</code></p>`);
    expect(html).toContain(`<dt>Retryable</dt><dd>${retryable ? 'Yes' : 'No'}`);
    expect(html).toContain(
      `<dt>Idempotency-Key</dt><dd>The same one ${kept ? 'gets this answer' : 'may be used again'}`,
    );
    expect(html.replaceAll(/<[^>]+>/g, '')).toContain(`&quot;code&quot;: &quot;${code}&quot;`);
  });

  it('is listed apart when only the API of the operator answers with it', async () => {
    const [, ...sections] = (await fetchPage('/errors')).html.split('<section>');
    const codesOf = (section = '') =>
      [...section.matchAll(/<li><b>[^<]*<\/b> <a href="\/errors\/(\w+)"/g)].map(([, code = '']) => code);
    const forOperators = codesOf(sections.at(-1));
    expect(new Set(sections.flatMap(codesOf))).toEqual(new Set(codes));
    const answered = codes.filter((code) => publicDocument.includes(`"${code}": {`));
    // A path without the method is in no operation.
    const others = codes.filter((code) => !answered.includes(code) && code !== 'method_not_allowed');
    expect(new Set(others)).toEqual(new Set(forOperators));
  });

  it('is the address in the type of a real problem', async () => {
    const trader = await openTrader();
    for (const response of [await send('/api/v1/orders'), await trader.order(ORDER), await send('/nothing')]) {
      const { type, code } = await json<{ type: string; code: string }>(response);
      expect(new URL(type).origin).toBe(ORIGIN);
      const { response: page, html } = await fetchPage(type);
      expect([page.status, html.includes(`<code>${code}</code>`)]).toEqual([200, true]);
    }
  });

  it('is a page for a browser even at an unknown address, and a problem for a program', async () => {
    const open = (path: string, method = 'GET') =>
      worker.fetch(`${ORIGIN}${path}`, { method, headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
    for (const path of ['/nothing', '/docs/nothing', '/errors/nothing', '/docs/guides/', '/apis']) {
      const response = await open(path);
      expect([path, response.status, response.headers.get('Content-Type')]).toEqual([
        path,
        404,
        'text/html; charset=utf-8',
      ]);
      expect(response.headers.get('X-Request-Id')).toMatch(/\S/);
      expect(response.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
      expect(response.headers.get('Cache-Control')).toBe('no-store');
      expect(response.headers.get('Vary')).toBe('Accept');
      const { html, links, loads } = await readPage(response);
      expect(html).toContain('<h1>There is nothing at this address</h1>');
      expect(html).toContain('<search ');
      for (const link of [...links.filter(isOwn).map(pathOf), ...loads]) {
        expect([link, (await fetchSite(link)).status]).toEqual([link, 200]);
      }
    }
    for (const [path, method, status] of [
      ['/api/v1/nothing', 'GET', 404],
      ['/operator/v1/nothing', 'GET', 404],
      ['/api', 'GET', 404],
      ['/nothing', 'POST', 404],
    ] as const) {
      const response = await open(path, method);
      expect([path, response.status, response.headers.get('Content-Type')]).toEqual([
        path,
        status,
        'application/problem+json',
      ]);
    }
  });

  it('is a problem for a browser, too, while the site cannot be read', async () => {
    const SITE = { ...env.SITE, fetch: () => Promise.reject(new Error('no site')) };
    const request = new Request(`${ORIGIN}/nothing`, { headers: { Accept: 'text/html' } });
    const response = await app.fetch(request, { ...env, SITE }, createExecutionContext());
    expect([response.status, response.headers.get('Content-Type')]).toEqual([404, 'application/problem+json']);
  });

  it('does not exist for an unknown code, and the Worker answers instead', async () => {
    expect((await fetchSite('/errors/nothing')).status).toBe(404);
    expect((await send('/errors/nothing')).headers.get('Content-Type')).toBe('application/problem+json');
  });
});
