// What the page of a topic card does with a script: complete citation keys from
// those that there are, show what the anchors say while one writes, and put one
// anchor in the place of another. Without it the buttons do the same.
'use strict';

// changed asks for the check once nobody has typed for a while.
let pause = 0;
function changed(wait = 400) {
  clearTimeout(pause);
  pause = setTimeout(() => document.querySelector('[data-check]')?.dispatchEvent(new CustomEvent('check')), wait);
}

document.addEventListener('input', (event) => {
  if (['covers', 'anchors'].includes(event.target.name)) changed();
});

// anchors returns the lines of the field, and sets them.
const field = () => document.getElementById('anchors');
const lines = () => field().value.split('\n').map((s) => s.trim()).filter(Boolean);
function write(all) {
  field().value = all.join('\n');
  changed(0);
}

document.addEventListener('click', (event) => {
  const button = event.target.closest('button[name=replace]');
  if (!button || !field()) return;
  event.preventDefault();
  const [old, by] = button.value.split(' → ');
  write(lines().map((line) => (line === old ? by : line)));
  polaris.announce(`${by} is in the place of ${old}. Save the card to keep it.`);
  field().focus();
});

// Checking needs no page of its own while there is a script.
document.addEventListener('submit', (event) => {
  if (event.submitter?.value !== 'check' || !document.querySelector('[data-check]')) return;
  event.preventDefault();
  changed(0);
});

// Enter that is taken here is no answer to the form, however it comes.
document.addEventListener('keypress', (event) => {
  if (event.key === 'Enter' && ['question', 'find'].includes(event.target.id)) event.preventDefault();
});

// Enter in the question tries it, as the button beside it does.
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || event.target.id !== 'question') return;
  const button = document.querySelector('[data-try]');
  if (!button) return;
  event.preventDefault();
  button.click();
});

// The list of passages under the field, as the combobox pattern of ARIA's
// practices has it: the focus stays in the field, and arrows go through.
const combo = document.querySelector('[data-combo]');
if (combo) {
  combo.hidden = false;
  const input = combo.querySelector('[role=combobox]');
  const list = combo.querySelector('[role=listbox]');
  let at = -1;
  let asked = 0;
  let timer = 0;

  const options = () => [...list.querySelectorAll('[role=option]')];
  const close = () => {
    list.hidden = true;
    at = -1;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const point = (to) => {
    const all = options();
    if (!all.length) return;
    at = (to + all.length) % all.length;
    all.forEach((o, i) => o.setAttribute('aria-selected', String(i === at)));
    input.setAttribute('aria-activedescendant', all[at].id);
    all[at].scrollIntoView({ block: 'nearest' });
  };
  const take = (option) => {
    const key = option.dataset.key;
    if (!lines().includes(key)) write([...lines(), key]);
    polaris.announce(`${key} is an anchor now.`);
    input.value = '';
    close();
  };
  const show = (passages) => {
    list.replaceChildren(
      ...passages.map((p, i) => {
        const option = document.createElement('li');
        option.id = `find-option-${i}`;
        option.setAttribute('role', 'option');
        option.setAttribute('aria-selected', 'false');
        option.dataset.key = p.key;
        const key = document.createElement('strong');
        key.textContent = p.key;
        const title = document.createElement('span');
        title.textContent = ` ${p.title}`;
        title.className = 'soft small';
        const text = document.createElement('span');
        text.textContent = p.text;
        text.className = 'text';
        option.append(key, title, text);
        return option;
      }),
    );
    if (!passages.length) {
      const none = document.createElement('li');
      none.setAttribute('role', 'option');
      none.setAttribute('aria-disabled', 'true');
      none.textContent = 'No passage has this in its key, and none is about it.';
      none.id = 'find-none';
      none.dataset.none = '';
      list.append(none);
    }
    list.hidden = false;
    at = -1;
    input.setAttribute('aria-expanded', 'true');
    input.removeAttribute('aria-activedescendant');
  };
  const find = async () => {
    const query = input.value.trim();
    if (!query) return close();
    const mine = ++asked;
    try {
      const answer = await fetch(`${combo.dataset.combo}?${new URLSearchParams({ query })}`, { headers: { Accept: 'application/json' } });
      if (mine !== asked) return; // somebody typed on
      if (!answer.ok) return close();
      show((await answer.json()).passages);
    } catch {
      close();
    }
  };

  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(find, 150);
  });
  input.addEventListener('keydown', (event) => {
    const open = !list.hidden;
    const takable = options().filter((o) => o.dataset.key);
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp':
        event.preventDefault();
        if (!open) find();
        else if (takable.length) point(event.key === 'ArrowDown' ? at + 1 : at < 0 ? -1 : at - 1);
        break;
      case 'Enter':
        event.preventDefault(); // it is no answer to the form
        if (open && takable.length) take(options()[Math.max(at, 0)]);
        break;
      case 'Escape':
        if (open) event.stopPropagation();
        close();
    }
  });
  input.addEventListener('blur', () => setTimeout(close, 150));
  list.addEventListener('mousedown', (event) => {
    const option = event.target.closest('[data-key]');
    event.preventDefault(); // the focus stays in the field
    if (option) take(option);
  });
}
