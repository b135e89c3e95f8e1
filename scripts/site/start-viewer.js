/* Shows the API that serves this page. Nothing is fetched from elsewhere: no validator, no other document by the address. */
const darkness = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', darkness.matches);
darkness.addEventListener('change', follow);
follow();

/** Headers that a client makes for each request: a value that everybody sends would mix their requests up. */
const OWN_HEADERS = ['Idempotency-Key', 'X-Request-Id'];

/** The document without the examples that the viewer would send as they are. */
function leaveOwnHeadersEmpty(part) {
  if (part === null || typeof part !== 'object') return part;
  if (OWN_HEADERS.includes(part.name)) {
    delete part.example;
    delete part.schema?.example;
  }
  Object.values(part).forEach(leaveOwnHeadersEmpty);
  return part;
}

/** What any key may call and nobody needs one for has no padlock: the viewer would show one that is open. */
function freeFromKeys(document) {
  for (const operation of Object.values(document.paths).flatMap((path) => Object.values(path))) {
    if (operation.security?.some((one) => Object.keys(one).length === 0)) operation.security = [];
  }
  return document;
}

/** Shows a closed padlock where a key is needed and none is entered, and an open one with a key. */
const padlocks = ({ React: { createElement } }) => {
  const draw = (isOpen) =>
    createElement(
      'svg',
      { width: 18, height: 18, viewBox: '0 0 20 20', 'aria-hidden': true, className: isOpen ? 'unlocked' : 'locked' },
      createElement('path', {
        fill: 'currentColor',
        d: `M4 9h12v9H4z M6 9V6a4 4 0 0 1 8 0${isOpen ? 'h-2a2 2 0 0 0-4 0v3z' : 'v3h-2V6a2 2 0 0 0-4 0v3z'}`,
      }),
    );
  return {
    components: {
      authorizeOperationBtn: ({ isAuthorized, onClick }) =>
        createElement(
          'button',
          {
            type: 'button',
            className: 'authorization__btn',
            'aria-label': isAuthorized ? 'A key is entered' : 'Needs a key',
            onClick: (event) => {
              event.stopPropagation();
              onClick?.();
            },
          },
          draw(isAuthorized),
        ),
      LockAuthIcon: () => draw(true),
      UnlockAuthIcon: () => draw(false),
    },
  };
};

/** The document's text, the field for a key, and the operations: one exchange needs no choice of servers. */
const layout = ({ React: { createElement } }) => ({
  components: {
    ReferenceLayout: ({ getComponent, specSelectors }) => {
      const show = (name, properties = {}) => createElement(getComponent(name, true), { key: name, ...properties });
      const text = specSelectors.info().get('description');
      return createElement('div', { className: 'swagger-ui' }, [
        show('SvgAssets'),
        show('errors'),
        createElement('div', { key: 'text', className: 'info' }, show('Markdown', { source: text })),
        show('AuthorizeBtnContainer'),
        createElement('h2', { key: 'title' }, 'Operations'),
        show('operations'),
        show('Models'),
      ]);
    },
  },
});

/**
 * Operations that fit a screen. The title of one is a button, in which the viewer has a link. Of a refusal the codes
 * suffice, each a link to its page; of a success its example and the names of its headers.
 */
const compact = ({ React: { createElement } }) => {
  const showRefusal = (code) =>
    createElement('a', { key: code, className: 'refusal', href: `/errors/${code}` }, createElement('code', null, code));
  const showSuccess = (response, Markdown) => {
    const example = response.getIn(['content', 'application/json', 'example']);
    const headers = [...(response.get('headers')?.keys() ?? [])].join(', ');
    return [
      createElement(Markdown, { key: 'text', source: response.get('description') }),
      example &&
        createElement(
          'pre',
          { key: 'example', className: 'example', tabIndex: 0 },
          JSON.stringify(example.toJS(), null, 2),
        ),
      headers && createElement('p', { key: 'headers', className: 'headers' }, `Headers: ${headers}`),
    ];
  };
  const Response = ({ code, response, getComponent }) => {
    const refusals = response.getIn(['content', 'application/problem+json', 'examples']);
    const says = refusals
      ? [...refusals.keys()].map((name) => showRefusal(name.replace('_in_path', '')))
      : showSuccess(response, getComponent('Markdown', true));
    return createElement('tr', { className: 'response', 'data-code': code }, [
      createElement('td', { key: 'code', className: 'response-col_status' }, code),
      createElement('td', { key: 'says', className: 'response-col_description' }, says),
    ]);
  };
  return {
    components: { DeepLink: ({ text }) => createElement('span', null, text) },
    wrapComponents: { response: () => Response },
  };
};

/** The viewer makes every table of answers a landmark, all of one name, gives the field of a body no name, and lets no key reach what scrolls. */
const viewer = document.querySelector('#viewer');
function mend() {
  for (const table of viewer.querySelectorAll('table[role="region"]')) table.removeAttribute('role');
  for (const block of viewer.querySelectorAll(':is(pre, .parameters-container):not([tabindex])')) block.tabIndex = 0;
  for (const choice of viewer.querySelectorAll('tr[data-param-name] select:not([aria-label])')) {
    choice.setAttribute('aria-label', choice.closest('tr').dataset.paramName);
  }
  for (const field of viewer.querySelectorAll('textarea:not([aria-label])')) field.setAttribute('aria-label', 'Body');
}
new MutationObserver(mend).observe(viewer, { childList: true, subtree: true });

async function showReference() {
  const answer = await fetch('/api/v1/openapi.json');
  SwaggerUIBundle({
    dom_id: '#viewer',
    spec: freeFromKeys(leaveOwnHeadersEmpty(await answer.json())),
    plugins: [padlocks, layout, compact],
    layout: 'ReferenceLayout',
    syntaxHighlight: { activated: false },
    validatorUrl: null,
    queryConfigEnabled: false,
    deepLinking: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    persistAuthorization: false,
  });
}

showReference().catch(() => {
  viewer.textContent = 'The reference could not be loaded.';
});
