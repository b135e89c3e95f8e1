/* What every page can do beside being read: copy its code, and search the site. Without this script it can be read. */

/** A button on each block of code, which copies it. */
for (const block of document.querySelectorAll('article pre')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'copy';
  button.textContent = 'Copy';
  const tell = (text) => {
    button.textContent = text;
    setTimeout(() => (button.textContent = 'Copy'), 2_000);
  };
  button.addEventListener('click', () => {
    navigator.clipboard.writeText(block.querySelector('code').textContent).then(
      () => tell('Copied'),
      () => tell('Not copied'),
    );
  });
  const frame = document.createElement('div');
  frame.className = 'copyable';
  block.replaceWith(frame);
  frame.append(block, button);
}

const search = document.querySelector('search');
const input = search.querySelector('input');
const list = search.querySelector('ol');
const status = search.querySelector('p');
const MOST_FOUND = 12;
search.hidden = false;

/** The index and its library are large, so they are loaded when somebody begins to search. */
let index;
function loadIndex() {
  index ??= (async () => {
    const script = document.createElement('script');
    const loaded = new Promise((resolve, reject) => {
      script.addEventListener('load', resolve);
      script.addEventListener('error', reject);
    });
    script.src = search.dataset.library;
    document.head.append(script);
    const [answer] = await Promise.all([fetch(search.dataset.index), loaded]);
    return MiniSearch.loadJSON(await answer.text(), {
      fields: ['title', 'names', 'text'],
      storeFields: ['title', 'within'],
    });
  })();
  return index;
}

async function find() {
  const words = input.value.trim();
  if (words === '') return show([], '');
  const ready = await loadIndex();
  if (words !== input.value.trim()) return;
  const found = ready.search(words, { boost: { names: 8, title: 4 }, prefix: true, fuzzy: 0.15, combineWith: 'AND' });
  show(found.slice(0, MOST_FOUND), found.length === 0 ? 'Nothing found.' : '');
}

function show(found, message) {
  const entries = found.map(({ id, title, within }) => {
    const entry = document.createElement('li');
    const link = document.createElement('a');
    const place = document.createElement('span');
    link.href = id;
    link.textContent = title;
    place.textContent = within;
    link.append(place);
    entry.append(link);
    return entry;
  });
  list.replaceChildren(...entries);
  list.hidden = found.length === 0;
  status.textContent = message;
}

const tellFailure = () => show([], 'The search could not be loaded.');
const prepare = () => {
  loadIndex().catch(tellFailure);
};
const refresh = () => {
  find().catch(tellFailure);
};
input.addEventListener('focus', prepare, { once: true });
input.addEventListener('input', refresh);
search.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') {
    input.value = '';
    show([], '');
    input.focus();
  }
  if (event.key === 'Enter' && event.target === input) list.querySelector('a')?.click();
});
list.addEventListener('click', () => show([], ''));
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea, select, [contenteditable]');
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    input.focus();
  }
});
