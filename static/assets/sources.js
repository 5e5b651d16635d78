// What the pages of sources do with a script: drop files, send each by itself and
// say how far it is, follow an import, choose all rows. Without it the forms do
// the same in one piece.
'use strict';

// size is how much a file holds, for people.
function size(bytes) {
  if (bytes < 1e3) return `${bytes} bytes`;
  return bytes < 1e6 ? `${Math.round(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

// element makes an element with text, and no HTML.
function element(name, text, attributes = {}) {
  const e = document.createElement(name);
  e.textContent = text;
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return e;
}

// chosen lists what is chosen, each with a place for how far it is.
function chosen(form) {
  const list = form.querySelector('[data-files]');
  const files = [...form.querySelector('input[type=file]').files];
  list.hidden = files.length === 0;
  list.replaceChildren(
    ...files.map((file, i) => {
      const row = element('li', '');
      const name = element('span', file.name);
      name.append(element('span', size(file.size), { class: 'sub' }));
      row.append(name, element('span', 'chosen', { class: 'tag', 'data-file': i }));
      return row;
    }),
  );
}

document.addEventListener('change', (event) => {
  const form = event.target.closest('form[data-upload]');
  if (form && event.target.type === 'file') chosen(form);
});

// Files can be dropped anywhere on the page that takes them.
for (const name of ['dragover', 'dragleave', 'drop']) {
  document.addEventListener(name, (event) => {
    const form = document.querySelector('form[data-upload]');
    if (!form || !event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    form.querySelector('[data-drop]').classList.toggle('over', name === 'dragover');
    if (name !== 'drop') return;
    const input = form.querySelector('input[type=file]');
    const all = new DataTransfer();
    for (const file of [...input.files, ...event.dataTransfer.files]) all.items.add(file);
    input.files = all.files;
    chosen(form);
    polaris.announce(`${event.dataTransfer.files.length} added.`);
  });
}

// mark says how far a file is.
function mark(form, i, text, kind = '') {
  const tag = form.querySelector(`[data-file="${i}"]`);
  tag.textContent = text;
  tag.className = `tag ${kind}`.trim();
}

// send sends one file, to an import or as the first of a new one, and returns the
// import's id.
function send(form, file, i, into) {
  return new Promise((resolve, reject) => {
    const body = new FormData();
    if (into) body.set('import', into);
    else for (const name of ['owner', 'review_by']) if (form.elements[name]?.value) body.set(name, form.elements[name].value);
    body.set('files', file);
    const request = new XMLHttpRequest();
    request.open('POST', form.dataset.upload);
    request.responseType = 'json';
    request.upload.onprogress = (e) => {
      if (e.lengthComputable) mark(form, i, e.loaded < e.total ? `${Math.floor((100 * e.loaded) / e.total)} % sent` : 'sent, being staged');
    };
    request.onerror = () => reject(new Error('The connection broke. Send it again.'));
    request.onload = () => {
      if (request.status < 300) resolve(request.response.id);
      else reject(new Error(request.response?.detail ?? 'It was not taken.'));
    };
    request.send(body);
  });
}

let sending = false;
document.addEventListener('submit', async (event) => {
  const form = event.target.closest('form[data-upload]');
  if (!form || event.submitter?.value === 'look') return;
  const files = [...form.querySelector('input[type=file]').files];
  // Addresses go with the form as it is; files alone are sent one by one.
  const others = ['addresses', 'crawl_url'].some((name) => form.elements[name]?.value.trim());
  if (!files.length || others) return;
  event.preventDefault();
  if (sending) return;
  sending = true;
  let into = null;
  let failed = 0;
  for (const [i, file] of files.entries()) {
    try {
      into = await send(form, file, i, into);
      mark(form, i, 'sent', 'ok');
    } catch (error) {
      failed++;
      mark(form, i, error.message, 'bad');
    }
  }
  sending = false;
  if (into && !failed) location.href = `${form.dataset.then}/${into}`;
  else if (into) {
    const list = form.querySelector('[data-files]');
    const row = element('li', '');
    row.append(element('span', `${failed} of ${files.length} were not taken.`), element('a', 'See the import of the others', { href: `${form.dataset.then}/${into}` }));
    list.append(row);
  }
});

// An import that runs tells each document as it is read. When it ends, or the
// events break off, the part is asked for again.
const words = { queued: 'queued', reading: 'being read', done: 'read', unchanged: 'unchanged', held: 'held', waits: 'waits for a second person', unpacked: 'unpacked', fetched: 'fetched', failed: 'failed', cancelled: 'cancelled' };
const kinds = { done: 'ok', unchanged: 'ok', held: 'warn', waits: 'warn', failed: 'bad' };
let watched = null;
polaris.ready(() => {
  const section = document.querySelector('#import[data-events]');
  if (!section || watched?.url === section.dataset.events) return;
  const source = new EventSource(section.dataset.events);
  watched = { url: section.dataset.events };
  const again = () => {
    source.close();
    document.getElementById('import')?.dispatchEvent(new CustomEvent('refresh'));
  };
  source.addEventListener('item', (event) => {
    const item = JSON.parse(event.data);
    const cell = document.querySelector(`#import [data-item="${item.n}"] [data-item-state]`);
    if (!cell) return;
    cell.replaceChildren(element('span', words[item.state] ?? item.state, { class: `tag ${kinds[item.state] ?? ''}`.trim() }));
  });
  source.addEventListener('progress', (event) => {
    const v = JSON.parse(event.data);
    const left = (v.counts.queued ?? 0) + (v.counts.reading ?? 0);
    const bar = document.querySelector('#import progress');
    if (bar) {
      bar.max = v.total;
      bar.value = v.total - left;
    }
    const state = document.querySelector('#import [data-state]');
    if (state && left) state.textContent = `${v.total - left} of ${v.total} documents are read.`;
  });
  source.addEventListener('end', again);
  source.addEventListener('error', () => source.close());
});

// Choosing rows: one box for all, and how many are chosen.
function count() {
  for (const place of document.querySelectorAll('[data-chosen]')) {
    const n = place.closest('form').querySelectorAll('tbody input[type=checkbox]:checked').length;
    place.textContent = n ? `With the ${n} chosen:` : 'With what is chosen:';
  }
}
polaris.ready((root) => {
  for (const box of root.querySelectorAll('[data-all]')) box.hidden = false;
  count();
});
document.addEventListener('change', (event) => {
  const all = event.target.closest('[data-all]');
  if (all) for (const box of all.form.querySelectorAll(`input[name="${CSS.escape(all.dataset.all)}"]`)) box.checked = all.checked;
  if (event.target.type === 'checkbox') count();
});
