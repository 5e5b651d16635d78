// What the pages do beyond links, forms and htmx: copy, announce, submit from
// the keyboard, and hold a choice to its limit. Each page works without it.
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

document.querySelectorAll('[data-limit]').forEach(limit);
// Buttons that only a script can serve are hidden until there is one.
document.documentElement.classList.add('scripted');
const secret = document.querySelector('[data-select]');
if (secret) select(secret);
