// What the pages do beyond links, forms and htmx: copy, announce, go by keys,
// open beside, tell times where the reader is, hold a choice to its limit. Each
// page works without it; the doc of package views/layout says what pages share.
// Nothing here writes HTML, so no Trusted Types policy is needed.
'use strict';

const toasts = () => document.getElementById('toasts');

// announce shows a short message where screen readers hear it too, and takes
// it away after six seconds unless somebody is reading it.
function announce(text) {
  const region = toasts();
  if (!region) return;
  const toast = document.createElement('p');
  toast.className = 'toast-note';
  toast.textContent = text;
  region.append(toast);
  const leave = () => (toast.matches(':hover') ? setTimeout(leave, 2000) : toast.remove());
  setTimeout(leave, 6000);
}

// copy takes the text of the element that the button names. Where the browser
// offers no clipboard (plain HTTP on another host), the text is selected
// instead, so that one key press copies it.
async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  if (!source) return;
  const text = source.value ?? source.textContent;
  try {
    await navigator.clipboard.writeText(text);
    announce(button.dataset.copied || 'Copied.');
  } catch {
    select(source);
    announce('Selected. Copy it with Ctrl C or ⌘ C.');
  }
}

function select(element) {
  if (element.select) {
    element.focus();
    element.select();
    return;
  }
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = getSelection();
  selection.removeAllRanges();
  selection.addRange(range);
}

// limit lets no more boxes be ticked in a group than it allows, and says how
// many are.
function limit(group) {
  const boxes = [...group.querySelectorAll('input[type=checkbox]')];
  const ticked = boxes.filter((box) => box.checked).length;
  const full = ticked >= Number(group.dataset.limit);
  for (const box of boxes) box.disabled = full && !box.checked;
  const count = group.querySelector('[data-count]');
  if (count) count.textContent = ticked ? `${ticked} of ${group.dataset.limit} chosen` : count.dataset.count;
}

// ready calls f for the document now, and for each part that htmx swaps in.
const starters = [];
function ready(f) {
  starters.push(f);
  f(document);
}
document.addEventListener('htmx:after:swap', (event) => {
  const root = event.target instanceof Element && event.target.isConnected ? event.target : document;
  for (const f of starters) f(root);
});

// What the scripts of single pages use.
window.polaris = { announce, ready, typing };

// typing reports whether keys belong to what has the focus.
function typing() {
  const at = document.activeElement;
  return Boolean(at?.closest('textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=button], [type=submit])'));
}

// The moment in the reader's own zone; the words stay as they are.
const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeStyle: 'long' });
ready((root) => {
  for (const time of root.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.valueOf())) time.title = exact.format(at);
  }
});

// A handler that answered htmx has something to say.
document.addEventListener('announce', (event) => announce(String(event.detail?.text ?? event.detail?.value ?? '')));

// What was done is told once: the address is that of the page without it.
if (document.querySelector('[data-flash]') && new URLSearchParams(location.search).has('done')) {
  const url = new URL(location.href);
  url.searchParams.delete('done');
  history.replaceState(history.state, '', url);
}

// rows returns the links by which the rows of the lists in sight are opened.
function rowLinks() {
  const links = [];
  for (const list of document.querySelectorAll('main [data-rows]')) {
    const rows = list.matches('table') ? list.tBodies[0]?.rows ?? [] : list.children;
    for (const row of rows) {
      const link = row.querySelector('[data-open], a[href]');
      if (link?.checkVisibility()) links.push(link);
    }
  }
  return links;
}

// step goes to the next row, or to the one before.
function step(by) {
  const links = rowLinks();
  if (!links.length) return;
  const row = document.activeElement?.closest('tr, [data-rows] > *');
  const at = links.findIndex((link) => row?.contains(link));
  const next = links[at < 0 ? (by > 0 ? 0 : links.length - 1) : Math.min(Math.max(at + by, 0), links.length - 1)];
  next.focus();
  next.scrollIntoView({ block: 'nearest' });
}

// The side panel: htmx fills it, the browser keeps the focus inside.
const panel = document.getElementById('panel');
let opener = null;
document.addEventListener('click', (event) => {
  const link = event.target.closest('[data-panel]');
  if (!link || !panel) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey) return; // in a tab of its own
  opener = link;
  panel.setAttribute('aria-label', link.dataset.panel);
  if (!panel.open) {
    document.getElementById('panel-body').replaceChildren();
    panel.showModal();
    // Not on the button that closes it: the Enter that opened the panel is still
    // being pressed, and would press that next.
    document.getElementById('panel-body').focus();
  }
});
panel?.addEventListener('click', (event) => {
  if (event.target === panel) panel.close(); // beside it
});
panel?.addEventListener('close', () => {
  if (opener?.isConnected) opener.focus();
  opener = null;
});

// A dialog is opened by what names it; Ctrl K or ⌘ K opens the search anywhere.
function openDialog(id) {
  const dialog = document.getElementById(id);
  if (!(dialog instanceof HTMLDialogElement)) return false;
  if (dialog.open) return true;
  const menu = document.querySelector('[popover]:popover-open');
  menu?.hidePopover();
  if (id === 'key-sheet') pageKeys(dialog);
  const back = document.activeElement;
  dialog.showModal();
  dialog.addEventListener('close', () => back?.isConnected && back.focus(), { once: true });
  const input = dialog.querySelector('input[type=search]');
  if (input) {
    input.select();
    if (!document.querySelector('#found a')) input.dispatchEvent(new Event('search')); // what can be done, before anything is typed
  }
  return true;
}

// pageKeys writes down the keys that the page at hand has for itself.
function pageKeys(dialog) {
  const list = dialog.querySelector('#page-keys');
  list.replaceChildren();
  for (const button of document.querySelectorAll('[data-key][data-key-word]')) {
    if (!button.checkVisibility()) continue;
    const [term, word, key] = ['dt', 'dd', 'kbd'].map((name) => document.createElement(name));
    key.textContent = button.dataset.key;
    term.append(key);
    word.textContent = button.dataset.keyWord;
    list.append(term, word);
  }
  list.previousElementSibling.hidden = !list.children.length;
}

document.addEventListener('click', (event) => {
  const opens = event.target.closest('[data-dialog]');
  if (opens && !event.metaKey && !event.ctrlKey && !event.shiftKey && openDialog(opens.dataset.dialog)) event.preventDefault();
  if (event.target.matches('dialog.palette, dialog.sheet')) event.target.close(); // beside it
});

document.addEventListener('keydown', (event) => {
  if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.shiftKey && !event.altKey && openDialog('palette')) event.preventDefault();
});

// In the search the arrows go through what was found, and typing goes on in the
// field. Enter in the field opens the first, once it fits what was typed.
const palette = document.getElementById('palette');
let wanted = false; // Enter was pressed before what was typed had been looked for
function openFirst() {
  const found = palette.querySelector('#found');
  const input = palette.querySelector('input');
  if (found.dataset.for !== input.value.trim()) return false;
  const first = found.querySelector('a');
  if (first) first.click();
  else input.form.submit();
  return true;
}
ready(() => {
  if (wanted && palette?.open) wanted = !openFirst();
});
palette?.addEventListener('input', () => (wanted = false));
palette?.addEventListener('submit', (event) => {
  event.preventDefault();
  wanted = !openFirst();
});
palette?.addEventListener('keydown', (event) => {
  const input = palette.querySelector('input');
  const links = [...palette.querySelectorAll('#found a')];
  const at = links.indexOf(document.activeElement);
  if (event.key === 'Escape') { // which would else only empty the field
    event.preventDefault();
    palette.close();
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    const next = at + (event.key === 'ArrowDown' ? 1 : -1);
    event.preventDefault();
    (next < 0 || !links.length ? input : links[Math.min(next, links.length - 1)]).focus();
  } else if (at >= 0 && event.key.length === 1 && !event.metaKey && !event.ctrlKey && !event.altKey) input.focus();
});

// The names of keys as the reader's machine has them.
if (/Mac|iPhone|iPad/.test(navigator.platform)) for (const key of document.querySelectorAll('[data-mod]')) key.textContent = `⌘ ${key.dataset.mod}`;

// Keys that are letters work while nobody types: g and a letter go, j and k
// step through rows, x ticks, and what a page names for itself is pressed.
let going = 0;
document.addEventListener('keydown', (event) => {
  if (event.defaultPrevented || event.isComposing || event.metaKey || event.ctrlKey || event.altKey || typing()) return;
  const key = event.key;
  const open = document.querySelector('dialog[open]');
  if (!open && going && Date.now() - going < 1500) {
    going = 0;
    const to = document.querySelector(`[data-go="${CSS.escape(key)}"]`);
    if (to) {
      event.preventDefault();
      location.href = to.href;
      return;
    }
  }
  going = 0;
  const pressed = [...(open ?? document).querySelectorAll(`[data-key="${CSS.escape(key)}"]`)].find((e) => e.checkVisibility());
  if (pressed) {
    event.preventDefault();
    pressed.focus();
    pressed.click();
    return;
  }
  if (open) return;
  if (key === 'g') going = Date.now();
  else if (key === 'j') step(1);
  else if (key === 'k') step(-1);
  else if (key === 'x') document.activeElement?.closest('tr, [data-rows] > *')?.querySelector('input[type=checkbox]')?.click();
});

document.addEventListener('click', (event) => {
  const button = event.target.closest('[data-copy]');
  if (button) copy(button);
  if (event.target.closest('[data-print]')) print();
});

document.addEventListener('change', (event) => {
  const group = event.target.closest('[data-limit]');
  if (group) limit(group);
});

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
  event.target.closest('textarea[data-submit]')?.form?.requestSubmit();
});

ready((root) => root.querySelectorAll('[data-limit]').forEach(limit));
// A passage that is opened beside a page is in sight at once.
ready((root) => {
  if (root instanceof Element && root.closest('#panel')) root.querySelector('#here')?.scrollIntoView({ block: 'center' });
});
// Buttons that only a script can serve are hidden until there is one.
document.documentElement.classList.add('scripted');
const secret = document.querySelector('[data-select]');
if (secret) select(secret);
