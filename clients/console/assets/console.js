// Enhances the pages of the console; all of them work without scripts.
const CLOCK_MS = 5000;
const THEMES = ['auto', 'light', 'dark'];
const root = document.documentElement;
/** Pages that read the API are refreshed less often, because each refresh counts as requests of the plan. */
const pollMs = () => Number(root.dataset.poll ?? 1000);
root.classList.add('js');
// Tokens that a mail template put into the address. The console does not use them.
if (/[#&](access|refresh)_token=/.test(location.hash))
  history.replaceState(null, '', location.pathname + location.search);

// Runs before the first paint, so that the page does not flash in the other theme.
const storedTheme = () => localStorage.getItem('placar-theme') ?? 'auto';
function applyTheme() {
  const theme = storedTheme();
  if (theme === 'auto') delete root.dataset.theme;
  else root.dataset.theme = theme;
}
applyTheme();

const clock = new Intl.RelativeTimeFormat(root.lang, { style: 'narrow' });
const now = new Intl.RelativeTimeFormat(root.lang, { style: 'narrow', numeric: 'auto' }).format(0, 'second');

/** The same format as on the server: kit/format.ts. */
function relative(at) {
  const seconds = Math.round((at - Date.now()) / 1000);
  const distance = Math.abs(seconds);
  if (distance < 2) return now;
  const [size, unit] =
    distance < 60
      ? [1, 'second']
      : distance < 3600
        ? [60, 'minute']
        : distance < 86400
          ? [3600, 'hour']
          : [86400, 'day'];
  return clock.format(Math.sign(seconds) * Math.floor(distance / size), unit);
}

function tickClocks() {
  for (const time of document.querySelectorAll('time:not([data-absolute])')) {
    const text = relative(Date.parse(time.dateTime));
    if (time.textContent !== text) time.textContent = text;
  }
}

/** The markup of a region without the parts that change with time. */
function essence(region) {
  const copy = region.cloneNode(true);
  for (const time of copy.querySelectorAll('time:not([data-absolute])')) time.textContent = '';
  for (const button of copy.querySelectorAll('[data-copy]')) button.remove();
  for (const details of copy.querySelectorAll('details')) details.removeAttribute('open');
  for (const row of copy.querySelectorAll('.arrived')) row.classList.remove('arrived');
  return copy.innerHTML.replaceAll(' class=""', '');
}

const keyed = (region) =>
  new Map([...region.querySelectorAll('[data-key]')].map((row) => [row.dataset.key, row]));

/** Whether the user is interacting with the region. */
const isInUse = (region) => {
  const selection = getSelection();
  return selection && !selection.isCollapsed && region.contains(selection.anchorNode);
};

const movesAllowed = () => !matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Updates a region. Rows that moved slide to their new position; new and changed rows are highlighted briefly. */
function replaceRegion(region, next) {
  const before = new Map();
  for (const [key, row] of keyed(region))
    before.set(key, { top: row.getBoundingClientRect().top, value: row.dataset.value });
  const focus = region.contains(document.activeElement) ? pathTo(document.activeElement, region) : undefined;
  const open = new Set(
    [...region.querySelectorAll('[data-key] details[open]')].map(
      (one) => one.closest('[data-key]').dataset.key,
    ),
  );
  const scrolled = [...region.querySelectorAll('[tabindex="0"]')].map(({ scrollLeft, scrollTop }) => [
    scrollLeft,
    scrollTop,
  ]);
  region.replaceChildren(...next.childNodes);
  for (const [key, row] of keyed(region)) {
    if (open.has(key)) row.querySelector('details')?.setAttribute('open', '');
    const old = before.get(key);
    if (old === undefined || old.value !== row.dataset.value) row.classList.add('arrived');
    if (old === undefined || !movesAllowed()) continue;
    const distance = old.top - row.getBoundingClientRect().top;
    if (distance !== 0)
      row.animate([{ transform: `translateY(${distance}px)` }, { transform: 'none' }], {
        duration: 420,
        easing: 'ease-out',
      });
  }
  [...region.querySelectorAll('[tabindex="0"]')].forEach((box, index) => {
    const [left, top] = scrolled[index] ?? [0, 0];
    box.scrollTo(left, top);
  });
  if (focus) atPath(focus, region)?.focus({ preventScroll: true });
  prepare(region);
}

function pathTo(element, region) {
  const path = [];
  for (let at = element; at !== region; at = at.parentElement)
    path.unshift([...at.parentElement.children].indexOf(at));
  return path;
}
const atPath = (path, region) => path.reduce((at, index) => at?.children[index], region);

async function refresh() {
  const regions = [...document.querySelectorAll('[data-live]')];
  if (regions.length === 0 || document.hidden) return;
  const url = new URL(location.href);
  url.searchParams.delete('notice');
  url.searchParams.delete('done');
  const answer = await fetch(url, { headers: { Accept: 'text/html' } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  for (const region of regions) {
    const next = page.getElementById(region.id);
    if (next && !isInUse(region) && essence(next) !== essence(region)) replaceRegion(region, next);
  }
  // What is in progress is refreshed more often until it is done.
  root.dataset.poll = page.documentElement.dataset.poll ?? '1000';
  tickClocks();
}

async function keepFresh() {
  try {
    await refresh();
  } catch {
    // The stack is restarting. The next poll succeeds.
  }
  setTimeout(keepFresh, pollMs());
}

/** Shows buttons that need scripts. */
function prepare(within) {
  for (const button of within.querySelectorAll('[data-copy]')) button.hidden = false;
}

async function copy(button) {
  const code = button.closest('figure')?.querySelector('code');
  try {
    await navigator.clipboard.writeText(code?.textContent ?? '');
  } catch {
    // The browser does not permit it: selected, the text can be copied by hand.
    getSelection().selectAllChildren(code);
    return;
  }
  const word = button.querySelector('[data-copy-text]');
  const before = word.textContent;
  word.textContent = word.dataset.copied;
  button.classList.add('copied');
  setTimeout(() => {
    word.textContent = before;
    button.classList.remove('copied');
  }, 1500);
}

function switchTheme() {
  const next = THEMES[(THEMES.indexOf(storedTheme()) + 1) % THEMES.length];
  localStorage.setItem('placar-theme', next);
  applyTheme();
  nameTheme();
}
function nameTheme() {
  const button = document.querySelector('[data-theme-switch]');
  if (!button) return;
  button.hidden = false;
  button.title = button.dataset[storedTheme()];
}

/** One empty row is enough, because there is a button for more. */
function prepareRows() {
  for (const rows of document.querySelectorAll('[data-rows]')) {
    const button = rows.parentElement.querySelector('[data-add-row]');
    button.hidden = false;
    for (const note of rows.parentElement.querySelectorAll('[data-without-script]')) note.hidden = true;
    if (rows.children.length > 1) rows.lastElementChild.remove();
    const select = document.querySelector(`select[name="${rows.dataset.dependsOn}"]`);
    if (!select) continue;
    select.addEventListener('change', () => showMembers(rows, select.value));
    showMembers(rows, select.value);
  }
}

/** Adds an empty copy of the last row, with the next number in its names and ids. */
function addRow(button) {
  const rows = button.parentElement.querySelector('[data-rows]');
  const row = rows.lastElementChild.cloneNode(true);
  const index = rows.children.length;
  const renumber = (text) => text.replace(/([.-])\d+([.-])/, `$1${index}$2`);
  for (const one of row.querySelectorAll('[id], [for], [list]'))
    for (const name of ['id', 'for', 'list', 'name'])
      if (one.hasAttribute(name)) one.setAttribute(name, renumber(one.getAttribute(name)));
  for (const one of row.querySelectorAll('.visually-hidden')) one.textContent = String(index + 1);
  for (const one of row.querySelectorAll('input')) one.value = '';
  for (const one of row.querySelectorAll('select')) one.selectedIndex = 0;
  rows.append(row);
  row.querySelector('input, select').focus();
  button.hidden = rows.children.length >= Number(button.dataset.addRow);
}

/** Only members of the record that the event is about. A chosen one stays. */
function showMembers(rows, event) {
  // Records share names of members: a chosen one moves to the record of the event.
  for (const option of rows.querySelectorAll('optgroup option:checked')) {
    const groups = [...option.closest('select').querySelectorAll('optgroup')];
    const own = groups.find((group) => event.startsWith(`${group.dataset.kind}.`));
    const same = [...(own?.children ?? [])].find(({ value }) => value === option.value);
    if (same) same.selected = true;
  }
  for (const group of rows.querySelectorAll('optgroup')) {
    const isOther = !event.startsWith(`${group.dataset.kind}.`);
    const isChosen = [...group.children].some((option) => option.selected && option.value !== '');
    group.hidden = isOther && !isChosen;
    group.disabled = isOther && !isChosen;
  }
}

addEventListener('DOMContentLoaded', () => {
  prepare(document);
  prepareRows();
  nameTheme();
  // Where details cannot be shown open by a style.
  if (matchMedia('(min-width: 861px)').matches)
    for (const fold of document.querySelectorAll('.menu, .filter-fold')) fold.setAttribute('open', '');
  document.querySelector('[data-focus]')?.focus();
  for (const place of ['.main-nav', '.tabs'])
    document.querySelector(`${place} [aria-current]`)?.scrollIntoView({ block: 'nearest', inline: 'center' });
  tickClocks();
  setInterval(tickClocks, CLOCK_MS);
  if (document.querySelector('[data-live]')) setTimeout(keepFresh, pollMs());
});

addEventListener('click', ({ target }) => {
  const button = target.closest?.('button');
  if (button?.matches('[data-add-row]')) addRow(button);
  if (button?.matches('[data-copy]')) copy(button);
  if (button?.matches('[data-theme-switch]')) switchTheme();
});

addEventListener('change', ({ target }) => {
  if (target.matches('[data-filters] select')) target.form.requestSubmit();
});

addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest?.('input, select, textarea, [contenteditable]')) return;
  const search = document.querySelector('[data-search]');
  if (!search) return;
  event.preventDefault();
  search.focus();
});
