/** The parts of the site, as its header lists them. */
const sections = { docs: { label: 'Documentation', path: '/docs' }, errors: { label: 'Errors', path: '/errors' } };

/** One page, before its frame. */
export interface Page {
  /** Where it is served, without an ending: `/docs/guides/errors`. */
  readonly path: string;
  readonly section: keyof typeof sections;
  readonly title: string;
  /** One sentence, in plain text. */
  readonly description: string;
  /** The HTML of the main part. */
  readonly body: string;
  /** More of the head: the scripts and styles of a page that has its own. */
  readonly head?: string;
}

/** Writes text into HTML, as content or as an attribute's value. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** A page in the frame of the site. Nothing in it is loaded from elsewhere. */
export function composePage(page: Page, stylesheet: string, favicon: string): string {
  const links = Object.entries(sections).map(([name, { label, path }]) => {
    const current = name === page.section ? ` aria-current="${path === page.path ? 'page' : 'true'}"` : '';
    return `<a href="${path}"${current}>${label}</a>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(page.description)}">
<title>${escapeHtml(page.title)} · Bureau</title>
<link rel="icon" type="image/svg+xml" href="${favicon}">
<link rel="stylesheet" href="${stylesheet}">${page.head ?? ''}
</head>
<body>
<header><nav aria-label="Site"><a class="name" href="/docs">Bureau</a>${links.join('')}</nav></header>
<main>
${page.body}
</main>
</body>
</html>
`;
}
