// A list as a table: sorted, filtered and in pages by the server, as RESTCONF's queries have it.

import { entryPath, isGone, plain, read, rights, session } from './data.js';
import { display, el, fill, problem, ticks, waiting } from './dom.js';
import { about, isTicks } from './tree.js';

/** Rows of a page. */
export const PAGE = 25;

/** Shows the list at a path. What is chosen is in the address, so that it can be kept. */
export async function show(content, { path, node, query, signal, isChanged }) {
  const module = path.slice(1, path.indexOf(':'));
  const nameOf = child => (child.m && child.m !== module ? child.m + ':' : '') + child.n;
  const leaves = (node.c ?? []).filter(child => child.k.startsWith('leaf'));
  const all = leaves.map(nameOf);
  const chosen = query.get('columns')?.split(',').filter(it => all.includes(it)) ?? all.slice(0, MOST_COLUMNS);
  const go = changes => {
    const next = new URLSearchParams(query);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === '') next.delete(name);
      else next.set(name, value);
    }
    const text = next.toString();
    location.hash = '#/data' + path + (text ? '?' + text : '');
  };
  const body = el('div', {}, waiting());
  const add = isChanged ? el('p', { class: 'buttons' }, el('a', { class: 'button', href: '#/data' + path + '?new=1' }, 'New entry…')) : null;
  fill(content, el('h1', {}, node.n), add, filter(leaves.filter(isCompared), nameOf, query, go), columns(leaves, nameOf, chosen, go), body);
  let json;
  let may;
  try {
    [json, may] = await Promise.all([read(path + '?' + request(query, chosen), { signal }), rights(module)]);
  } catch (error) {
    // What does not answer is asked again by the frame.
    if (isGone(error)) throw error;
    if (!signal.aborted) fill(body, problem(error));
    return;
  }
  if (signal.aborted) return;
  const rows = json === null ? [] : Object.values(json)[0];
  const notes = rows[0]?.['@'] ?? {};
  const offset = Number(query.get('offset') ?? 0);
  const remaining = Number(notes['ietf-list-pagination:remaining'] ?? 0);
  const byName = new Map(leaves.map(child => [nameOf(child), child]));
  fill(body, rows.length === 0 ? el('p', {}, nothing(may, query)) : [
    pages(offset, rows.length, remaining, go),
    el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': node.n }, el('table', {},
      el('thead', {}, el('tr', {}, chosen.map(name => heading(name, byName.get(name), query, go)))),
      el('tbody', {}, rows.map(row => entry(row, chosen, byName, node, path)))))]);
}

/** Why no entries are shown: access is a reason only where it is limited. */
function nothing(may, query) {
  if (!may.whole) return 'No entries that you may read.';
  if (query.get('has')) return 'No entry is like this.';
  return session.device ? 'The device shows no entries.' : 'It is empty.';
}

function request(query, chosen) {
  const out = new URLSearchParams({ limit: String(PAGE) });
  if (query.get('offset')) out.set('offset', query.get('offset'));
  if (query.get('sort')) out.set('sort-by', query.get('sort'));
  if (query.get('down')) out.set('direction', 'backwards');
  const where = condition(query);
  if (where) out.set('where', where);
  // Of RESTCONF's characters these stay as they are.
  return out.toString().replaceAll('+', '%20') + '&fields=' + chosen.join(';');
}

/** The filter as an expression of XPath. */
export function condition(query) {
  const [column, text] = [query.get('in'), query.get('has')];
  if (!column || !text) return '';
  const quoted = text.includes("'") ? '"' + text.replaceAll('"', '') + '"' : "'" + text + "'";
  switch (query.get('how')) {
    case 'is': return column + '=' + quoted;
    case 'above': return column + '>' + Number(text);
    case 'below': return column + '<' + Number(text);
    default: return 'contains(' + column + ',' + quoted + ')';
  }
}

/** The form of the filter. */
export function filter(leaves, nameOf, query, go) {
  const column = el('select', { 'aria-label': 'Column' }, leaves.map(child =>
    el('option', { value: nameOf(child), selected: nameOf(child) === query.get('in') }, child.n)));
  const how = el('select', { 'aria-label': 'Comparison' }, [['contains', 'contains'], ['is', 'is'], ['above', 'is above'], ['below', 'is below']].map(([it, words]) =>
    el('option', { value: it, selected: it === query.get('how') }, words)));
  const text = el('input', { type: 'search', 'aria-label': 'Text or number', value: query.get('has') ?? '' });
  return el('form', { class: 'filter', onsubmit: event => {
    event.preventDefault();
    const is = text.value !== '';
    go({ in: is ? column.value : null, how: is ? how.value : null, has: text.value, offset: null });
  } }, el('span', {}, 'Rows where'), column, how, text, el('button', {}, 'Filter'));
}

function columns(leaves, nameOf, chosen, go) {
  const boxes = leaves.map(child => el('input', { type: 'checkbox', checked: chosen.includes(nameOf(child)), value: nameOf(child) }));
  return el('details', {}, el('summary', {}, 'Columns: ' + chosen.length + ' of ' + leaves.length), el('form', { onsubmit: event => {
    event.preventDefault();
    const wanted = boxes.filter(box => box.checked).map(box => box.value);
    go({ columns: wanted.length === 0 ? null : wanted.join(',') });
  } }, el('ul', { class: 'columns' }, leaves.map((child, at) => el('li', {}, el('label', {}, boxes[at], ' ' + child.n), el('small', {}, ' ' + about(child))))),
  el('button', {}, 'Show these')));
}

/** The head of a column, which sorts by it. */
export function heading(name, child, query, go) {
  const isSorted = query.get('sort') === name;
  const isDown = isSorted && query.get('down') !== null;
  const next = { sort: isDown ? null : name, down: isSorted && !isDown ? '1' : null, offset: null };
  return el('th', { scope: 'col', title: about(child), 'aria-sort': isSorted ? isDown ? 'descending' : 'ascending' : null, class: [isNumber(child) && 'number', child.isMore && 'more'].filter(Boolean).join(' ') },
    !isCompared(child) ? child.n : el('button', { class: 'sort', onclick: () => go(next) }, child.n, el('span', { 'aria-hidden': 'true' }, isSorted ? isDown ? ' ▼' : ' ▲' : '')),
    child.u ? el('small', {}, ' ' + child.u) : null);
}

/** Octets are base64 in RESTCONF, in which neither their order nor what they contain is seen. */
const isCompared = child => !child.b;

const isNumber = child => !child.e && /^(Counter|Gauge|Integer|Unsigned|TimeTicks|TimeStamp|ZeroBased|InterfaceIndex|number)/.test(child.t ?? '');

function entry(row, chosen, byName, node, path) {
  const keys = node.keys ?? [];
  const first = chosen.find(name => keys.includes(name)) ?? chosen[0];
  const isNamed = keys.length > 0 && keys.every(key => row[key] !== undefined);
  return el('tr', {}, chosen.map(name => {
    const node_ = byName.get(name);
    const text = isTicks(node_) && row[name] !== undefined ? ticks(row[name]) : display(plain(row[name]), node_.b);
    const it = name === first && isNamed ? el('a', { href: '#/data' + entryPath(path, keys, row) }, text === '' ? '(empty)' : text) : text;
    return el('td', { class: isNumber(node_) ? 'number' : null, title: isTicks(node_) ? plain(row[name]) : null }, it);
  }));
}

/** Which rows these are, and the way to others. */
export function pages(offset, count, remaining, go) {
  const before = Math.max(0, offset - PAGE);
  return el('nav', { class: 'pages', 'aria-label': 'Pages' },
    el('span', { role: 'status' }, 'Rows ' + (offset + 1) + ' to ' + (offset + count) + ' of ' + (offset + count + remaining)),
    el('button', { disabled: offset === 0, onclick: () => go({ offset: before === 0 ? null : String(before) }) }, 'Previous'),
    el('button', { disabled: remaining === 0, onclick: () => go({ offset: String(offset + count) }) }, 'Next'));
}

const MOST_COLUMNS = 10;
