/*
 * What every page can do beside being read: show one language, copy its code, and search the site. Without this script
 * it can be read: the languages stand one below the other.
 */

/** Makes an element with properties and content. */
function make(name, properties, ...content) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...content);
  return element;
}

/** The examples name the address of an exchange that was started as it comes; this one may have another. What was printed stays. */
const EXAMPLE_ORIGIN = 'http://127.0.0.1:8787';
const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
while (texts.nextNode()) {
  const { data, parentElement } = texts.currentNode;
  if (data.includes(EXAMPLE_ORIGIN) && !parentElement.closest('.printed'))
    texts.currentNode.data = data.replaceAll(EXAMPLE_ORIGIN, location.origin);
}

/** A button on each block of code, which copies it. */
for (const block of document.querySelectorAll('pre:has(> code):not(.printed > pre)')) {
  const button = make('button', { type: 'button', className: 'copy' }, 'Copy');
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
  const frame = make('div', { className: 'copyable' });
  block.replaceWith(frame);
  frame.append(block, button);
}

/** The parts of the page, by the list beside it. */
const parts = [...document.querySelectorAll(':is(.contents, .operations) a[href^="#"]')].map((link) => ({
  link,
  part: document.getElementById(decodeURIComponent(link.hash.slice(1))),
}));
const here = document.querySelector('.here b');

/** Marks the part that is read in the list of parts, keeps it in sight there, and names it where the list is folded. */
function markPart() {
  const line = innerHeight / 4;
  const isAtEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
  const { link } =
    (isAtEnd
      ? parts.at(-1)
      : parts.findLast(({ part }) => part.checkVisibility() && part.getBoundingClientRect().top < line)) ?? parts[0];
  const before = parts.find((each) => each.link.ariaCurrent !== null)?.link;
  if (link === before) return;
  before?.removeAttribute('aria-current');
  link.setAttribute('aria-current', 'true');
  // Without the method.
  here.textContent = link.firstChild.textContent;
  keepInSight(link);
}

function keepInSight(link) {
  const list = link.closest('nav');
  const [top, bottom] = [link.offsetTop, link.offsetTop + link.offsetHeight];
  const isInSight = top >= list.scrollTop && bottom <= list.scrollTop + list.clientHeight;
  if (!isInSight) list.scrollTop = top - list.clientHeight / 2;
}

if (parts.length > 0) {
  let frame;
  addEventListener(
    'scroll',
    () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(markPart);
    },
    { passive: true },
  );
  markPart();
}

/** A list that was folded opens where the reader is, and closes when he goes on. */
for (const list of document.querySelectorAll('[popover]')) {
  const current = () => list.querySelector('li [aria-current], p [aria-current]');
  if (current()) keepInSight(current());
  list.addEventListener('toggle', () => {
    if (current()) keepInSight(current());
  });
  list.addEventListener('click', (event) => {
    if (event.target.closest('a')) list.hidePopover();
  });
}

/** Narrows the list of errors to those in whose line all the words stand that are typed. */
const filter = document.querySelector('.filter');
if (filter !== null) {
  const rows = [...document.querySelectorAll('.codes > li')];
  filter.hidden = false;
  filter.addEventListener('input', ({ target }) => {
    const words = target.value.toLowerCase().split(/\s+/);
    for (const row of rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
    for (const { parentElement: section } of document.querySelectorAll('.codes'))
      section.hidden = section.querySelector('li:not([hidden])') === null;
    const count = rows.filter(({ hidden }) => !hidden).length;
    filter.querySelector('[role=status]').textContent = count === rows.length ? '' : `${count} of ${rows.length} codes`;
  });
}

const LANGUAGE = 'language';

/** The language that was chosen last, on whichever page. A browser may keep nothing, and then each page begins anew. */
function recallLanguage() {
  try {
    return localStorage.getItem(LANGUAGE);
  } catch {
    return null;
  }
}

function keepLanguage(language) {
  try {
    localStorage.setItem(LANGUAGE, language);
  } catch {}
}

/** The tabs of the whole page: choosing a language chooses it everywhere. */
const allTabs = [];

function chooseLanguage(language) {
  for (const { tab, panel } of allTabs) {
    const isChosen = panel.dataset.language === language;
    tab.setAttribute('aria-selected', String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    panel.hidden = !isChosen;
  }
}

/** Choosing moves what is above on the page as well, so what was chosen is kept where it is on the screen. */
function chooseAt(tab, language) {
  const before = tab.getBoundingClientRect().top;
  chooseLanguage(language);
  keepLanguage(language);
  scrollBy(0, tab.getBoundingClientRect().top - before);
}

/** Tabs of the languages that stand one below the other: WAI-ARIA's pattern, with arrow keys. */
document.querySelectorAll('.languages').forEach((group, place) => {
  const tabs = [...group.children].map((panel) => {
    const { language } = panel.dataset;
    const name = panel.querySelector('p');
    const tab = make('button', { type: 'button', id: `tab-${place}-${language}`, role: 'tab' }, name.textContent);
    tab.setAttribute('aria-controls', `panel-${place}-${language}`);
    tab.addEventListener('click', () => chooseAt(tab, language));
    panel.id = `panel-${place}-${language}`;
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    name.remove();
    allTabs.push({ tab, panel });
    return tab;
  });
  const list = make('div', { role: 'tablist', ariaLabel: 'Language' }, ...tabs);
  list.addEventListener('keydown', (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = tabs.at((tabs.indexOf(event.target) + step) % tabs.length);
    next.focus();
    next.click();
  });
  group.prepend(list);
});
const known = allTabs.map(({ panel }) => panel.dataset.language);
const recalled = recallLanguage();
chooseLanguage(known.includes(recalled) ? recalled : known[0]);

const search = document.querySelector('search');
const input = search.querySelector('input');
const list = search.querySelector('[role=listbox]');
const status = search.querySelector('p');
/** As many as somebody would look through. */
const MOST_FOUND = 50;

/** Where to look on when nothing is found. */
const beginnings = [
  ['/docs/guides/questions', 'Questions', 'Short answers to what is asked first.'],
  ['/docs/guides/first-order', 'A first order', 'Buy bitcoin on an exchange of your own.'],
  ['/docs/reference', 'Reference', 'Every operation, with what it takes, answers and refuses.'],
  ['/errors', 'Errors', 'Every error code, and what to do.'],
  ['/docs/operate', 'Operate an exchange', 'Put a Bureau of your own on Cloudflare.'],
].map(([id, title, text]) => ({ id, kind: '', title, within: '', text }));

/** What is said when nothing is found for some words. */
function tellNothing(words) {
  const said = make('b', {}, `Nothing found for “${words}”.`);
  return [said, /\s/.test(words) ? 'Try fewer words, or begin here:' : 'Check the spelling, or begin here:'];
}
search.hidden = false;

/** The index and its library are large, so they are loaded when somebody begins to search. */
let index;
function loadIndex() {
  index ??= (async () => {
    const loaded = new Promise((onload, onerror) => {
      document.head.append(make('script', { src: search.dataset.library, onload, onerror }));
    });
    const [answer] = await Promise.all([fetch(search.dataset.index), loaded]);
    if (!answer.ok) throw new Error(`the index was answered with ${answer.status}`);
    return MiniSearch.loadJSON(await answer.text(), {
      fields: ['title', 'names', 'text'],
      storeFields: ['kind', 'title', 'within', 'text'],
    });
  })();
  return index;
}

/** An answer to a question is found before what is said elsewhere, and how to use something before why it was made so. */
const weights = { Design: 0.5, Operate: 0.7, Questions: 3 };
const boostDocument = (id, term, { kind, within }) => weights[within] ?? weights[kind] ?? 1;

/** Of a short word the beginning says nothing. */
const isLong = ({ length }) => length > 2;

async function find() {
  const words = input.value.trim();
  if (words === '') return show([]);
  const ready = await loadIndex();
  // Meanwhile somebody may have typed on, or left.
  if (words !== input.value.trim() || !search.contains(document.activeElement)) return;
  // A whole word counts far more than the beginning of one, or one that is only like it.
  const options = {
    boost: { names: 8, title: 4 },
    boostDocument,
    prefix: isLong,
    fuzzy: 0.15,
    weights: { prefix: 0.15, fuzzy: 0.05 },
  };
  const whole = ready.search(words, { ...options, combineWith: 'AND' });
  const found = whole.length > 0 ? whole : ready.search(words, options);
  if (found.length === 0) {
    show(beginnings, ...tellNothing(words));
    return choose(null);
  }
  const count =
    found.length > MOST_FOUND ? `${MOST_FOUND} of ${found.length}, type more to narrow` : `${found.length} found`;
  show(found.slice(0, MOST_FOUND), count, keys.cloneNode(true));
}

/** Which keys move through what was found. */
const keys = make('span', {}, make('kbd', {}, '↑ ↓'), ' move ', make('kbd', {}, 'Enter'), ' opens');

/** A text in which the words that were found are marked. */
function markWords(text, terms) {
  const words = text.split(/(\p{Letter}+)/u);
  return words.map((part) => (terms.includes(part.toLowerCase()) ? make('mark', {}, part) : part));
}

const BEFORE = 20;
const EXCERPT = 110;

/** The part of a text in which the first of the words stands; its beginning where none of them does. */
function cutExcerpt(text, terms) {
  const places = [...text.matchAll(/\p{Letter}+/gu)].filter(([word]) => terms.includes(word.toLowerCase()));
  const [first = { index: 0 }] = places;
  const begin = first.index <= BEFORE ? 0 : text.indexOf(' ', first.index - BEFORE) + 1;
  const end = text.lastIndexOf(' ', begin + EXCERPT);
  const isWhole = text.length <= begin + EXCERPT;
  return `${begin > 0 ? '… ' : ''}${isWhole ? text.slice(begin) : `${text.slice(begin, end)} …`}`;
}

/** A result: what it is called, of which kind it is and where it stands, and the words around those that were found. */
function showPlace({ id, kind, title, within, text, terms = [] }, place) {
  // A part of a page is called by the page as well; a call and an error have an address or a code.
  const isPart = kind !== 'Reference' && kind !== 'Error' && within !== '';
  const shown = [
    ['strong', isPart ? `${within} › ${title}` : title],
    ['b', kind],
    ['span', isPart ? '' : within],
    ['small', cutExcerpt(text, terms)],
  ];
  const content = shown.flatMap(([name, said]) => [make(name, {}, ...markWords(said, name === 'b' ? [] : terms)), ' ']);
  return make('a', { id: `found-${place}`, href: id, tabIndex: -1, role: 'option' }, ...content);
}

/** Shows what was found, the first of it chosen: WAI-ARIA's combobox. */
function show(found, ...message) {
  list.replaceChildren(...found.map(showPlace));
  list.hidden = found.length === 0;
  input.setAttribute('aria-expanded', String(found.length > 0));
  choose(list.firstElementChild);
  status.replaceChildren(...message);
}

/** Chooses a result, or none. Enter opens it. */
function choose(chosen) {
  list.querySelector('[aria-selected=true]')?.setAttribute('aria-selected', 'false');
  if (chosen === null) return input.removeAttribute('aria-activedescendant');
  chosen.setAttribute('aria-selected', 'true');
  chosen.scrollIntoView({ block: 'nearest' });
  input.setAttribute('aria-activedescendant', chosen.id);
}

/** The next word that is typed loads it anew. */
function tellFailure() {
  index = undefined;
  show([], 'The search could not be loaded. Check your connection, and type again.');
}
const prepare = () => {
  loadIndex().catch(tellFailure);
};
const refresh = () => {
  find().catch(tellFailure);
};
const close = () => show([]);
input.addEventListener('focus', prepare, { once: true });
input.addEventListener('focus', refresh);
input.addEventListener('input', refresh);
input.addEventListener('keydown', (event) => {
  const chosen = list.querySelector('[aria-selected=true]');
  if (event.key === 'Enter') chosen?.click();
  if (!['ArrowDown', 'ArrowUp'].includes(event.key) || list.hidden) return;
  event.preventDefault();
  // The ends are joined, and none is beyond both.
  choose(
    event.key === 'ArrowDown'
      ? (chosen?.nextElementSibling ?? list.firstElementChild)
      : (chosen?.previousElementSibling ?? list.lastElementChild),
  );
});
search.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  input.value = '';
  close();
  input.focus();
});
// The input keeps the focus while a result is pressed, or the list would close under the pointer.
list.addEventListener('mousedown', (event) => event.preventDefault());
list.addEventListener('click', () => {
  close();
  input.blur();
});
search.addEventListener('focusout', ({ relatedTarget }) => {
  if (!search.contains(relatedTarget)) close();
});
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea, select, [contenteditable]');
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    input.focus();
  }
});
