/*
 * What the reference can do beside being read: send an operation to the exchange that serves it. Without this script it
 * can be read whole.
 */

/** The key stays in this page, and nowhere else. Entered in one form, it is in all of them. */
let key = '';

function addKeyField(form) {
  const input = addField(form, 'API key');
  input.type = 'password';
  input.autocomplete = 'off';
  input.className = 'key';
  input.value = key;
  input.addEventListener('input', () => {
    key = input.value;
    for (const other of document.querySelectorAll('.key')) other.value = key;
  });
}

function addField(form, name, element = document.createElement('input')) {
  const label = document.createElement('label');
  label.append(name, element);
  form.append(label);
  return element;
}

/** The request of a form: its empty fields are left out. */
function readRequest({ method, path, keyed }, fields, body) {
  const headers = {};
  const query = new URLSearchParams();
  let filled = path;
  for (const { name, place, input } of fields) {
    const value = input.value.trim();
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value));
    else if (value === '') continue;
    else if (place === 'query') query.set(name, value);
    else headers[name] = value;
  }
  if (keyed !== undefined && key !== '') headers.Authorization = `Bearer ${key.trim()}`;
  if (body) headers['Content-Type'] = 'application/json';
  const tail = query.size === 0 ? '' : `?${query}`;
  return [`${filled}${tail}`, { method, headers, cache: 'no-store', ...(body && { body: body.value }) }];
}

async function send(request, output) {
  try {
    const answer = await fetch(...request);
    const text = await answer.text();
    let shown = text;
    try {
      shown = JSON.stringify(JSON.parse(text), null, 2);
    } catch {}
    output.textContent = `${answer.status} ${answer.statusText}\n${shown}`;
  } catch (error) {
    output.textContent = `No answer: ${error.message}`;
  }
}

/** Makes the form of an operation when it is first opened. */
function prepare(place) {
  if (place.querySelector('form') !== null) return;
  const form = document.createElement('form');
  if (place.dataset.keyed !== undefined) addKeyField(form);
  const fields = JSON.parse(place.dataset.parameters).map(([name, where]) => ({
    name,
    place: where,
    input: addField(form, name),
  }));
  let body;
  if (place.dataset.body !== undefined) {
    body = addField(form, 'Body', document.createElement('textarea'));
    body.value = place.dataset.body;
    body.rows = Math.min(12, body.value.split('\n').length);
    body.spellcheck = false;
  }
  const button = document.createElement('button');
  button.textContent = 'Send';
  const output = document.createElement('pre');
  output.setAttribute('role', 'status');
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    output.textContent = '…';
    void send(readRequest(place.dataset, fields, body), output);
  });
  form.append(button);
  place.append(form, output);
}

for (const place of document.querySelectorAll('.try')) {
  place.hidden = false;
  place.addEventListener('toggle', () => {
    if (place.open) prepare(place);
  });
}

/** Leads to the operation that an address named in the form of before: `#/Trade/placeOrder`. */
const [, named] = /^#\/\w+\/(\w+)$/.exec(location.hash) ?? [];
if (named !== undefined) location.replace(`#${named}`);
