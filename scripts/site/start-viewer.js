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

/** The viewer calls its list the main part of the page, which is this page's own. */
const viewer = document.querySelector('#viewer');
new MutationObserver(() => viewer.querySelector('main:not([role])')?.setAttribute('role', 'presentation')).observe(
  viewer,
  { childList: true, subtree: true },
);

async function showReference() {
  const answer = await fetch('/api/v1/openapi.json');
  SwaggerUIBundle({
    dom_id: '#viewer',
    spec: leaveOwnHeadersEmpty(await answer.json()),
    plugins: [padlocks],
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
