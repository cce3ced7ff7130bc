// The data as a tree: modules, what is in them, the values of leaves, and a search over all names.

import { index, nodesOf, plain, read, restconf, rights, setObject, steps, Refused } from './data.js';
import { display, el, fill, octetsOf, problem, shown, ticks, waiting } from './dom.js';
import * as entries from './entries.js';
import * as table from './table.js';

const link = path => '#/data' + path;

/** Shows the data at a path; without one, all modules. */
export async function show(main, { path, query, signal }) {
  const found = el('div', { 'aria-live': 'polite' });
  const field = el('input', { type: 'search', 'aria-label': 'Search for a name', placeholder: 'Search for a name', value: query.get('q') ?? '' });
  const content = el('div', {}, path === '' ? null : waiting());
  const bar = el('div', { class: 'where' }, trail(path), el('search', {}, field));
  fill(main, bar, found, content);
  field.addEventListener('input', () => search(field.value, found, content, signal));
  if (field.value) await search(field.value, found, content, signal);
  if (path === '') return fill(content, el('h1', {}, 'Data'), await modules());
  const nodes = await nodesOf(path);
  if (signal.aborted) return;
  if (nodes === null) return fill(content, problem('The schema has nothing at ' + decodeURIComponent(path) + '.'));
  const node = nodes.at(-1);
  const last = steps(path).at(-1);
  const isChanged = await entries.areChanged(path, node);
  if (signal.aborted) return;
  if (isChanged && last.keys === null && query.get('new')) await entries.create(content, path, node);
  else if (node.k === 'list' && last.keys === null) await table.show(content, { path, node, query, signal, isChanged });
  else if (node.k === 'leaf' || node.k === 'leaf-list') await leafPage(content, path, node);
  else await nodePage(content, path, node, { signal, isChanged });
}

/** A container, or an entry of a list with what removes it; `said` is what became of an attempt. */
async function nodePage(content, path, node, { signal, isChanged, said = null }) {
  await container(content, path, node, steps(path).at(-1), signal);
  const again = said => nodePage(content, path, node, { signal, isChanged, said });
  const removal = isChanged ? await entries.removal(path, node, { again, said }) : said;
  if (removal !== null && !signal.aborted) content.append(removal);
}

function trail(path) {
  let way = '';
  const parts = steps(path).map(({ name, keys, text }) => {
    way += '/' + text;
    return [' / ', el('a', { href: link(way) }, shown(keys === null ? name : name + ' ' + keys.join(', ')))];
  });
  return el('nav', { class: 'trail', 'aria-label': 'Where this is' }, el('a', { href: '#/data' }, 'Data'), parts);
}

async function modules() {
  const names = Object.entries(await index());
  const mibs = names.filter(([name]) => /^[A-Z]/.test(name));
  const others = names.filter(([name]) => !/^[A-Z]/.test(name));
  const group = (title, list) => el('section', {}, el('h2', {}, title), el('ul', { class: 'links' },
    list.flatMap(([name, roots]) => roots.map(root => {
      const label = Array.isArray(root) ? root[0] : root;
      const bare = label.replace('*', '');
      return el('li', {}, el('a', { href: link('/' + name + ':' + bare) }, bare === name ? name : name + ': ' + bare));
    }))));
  return [group('Configuration and state', others), group('MIB modules', mibs)];
}

let latest = 0;

async function search(text, found, content, signal) {
  const turn = ++latest;
  const wanted = text.trim().toLowerCase();
  content.hidden = wanted.length >= 2;
  if (wanted.length < 2) return fill(found);
  const all = await index();
  if (signal.aborted || turn !== latest) return;
  const hits = [];
  const visit = (node, path, module) => {
    const label = Array.isArray(node) ? node[0] : node;
    const whole = label.replace('*', '');
    const name = whole.slice(whole.indexOf(':') + 1);
    const way = path + '/' + whole;
    const lower = name.toLowerCase();
    const at = lower.indexOf(wanted);
    if (at >= 0) hits.push({ name, way, module, rank: lower === wanted ? 0 : at === 0 ? 1 : 2 });
    if (Array.isArray(node)) for (const child of node.slice(1)) visit(child, way, module);
  };
  for (const [module, roots] of Object.entries(all)) {
    for (const root of roots) {
      const [label, ...children] = Array.isArray(root) ? root : [root];
      visit(children.length === 0 ? module + ':' + label : [module + ':' + label, ...children], '', module);
    }
  }
  hits.sort((one, other) => one.rank - other.rank || one.way.length - other.way.length);
  fill(found, el('p', {}, hits.length === 0 ? 'Nothing has this name.' : hits.length > MOST_HITS ? MOST_HITS + ' of ' + hits.length + ' names' : hits.length + ' names'),
    el('ul', { class: 'hits' }, hits.slice(0, MOST_HITS).map(({ name, way, module }) =>
      el('li', {}, el('a', { href: link(ofTable(way, all, module)) }, name), el('small', {}, ' ' + way.slice(1))))));
}

/** A column is shown in its table: without a row it has no value. */
function ofTable(way, all, module) {
  const names = way.split('/').filter(Boolean);
  let nodes = all[module];
  let out = '';
  for (const [at, name] of names.entries()) {
    const bare = at === 0 ? name.slice(name.indexOf(':') + 1) : name;
    const node = nodes.find(it => (Array.isArray(it) ? it[0] : it).replace('*', '') === bare);
    out += '/' + name;
    const label = Array.isArray(node) ? node[0] : String(node);
    if (label.endsWith('*')) return out;
    nodes = Array.isArray(node) ? node.slice(1) : [];
  }
  return out;
}

/**
 * Whether there is the entry that a path leads to or into; null: nobody tells, as who is logged in may write something of it that they may
 * not read.
 */
async function hasEntry(path, signal) {
  const all = steps(path);
  const at = all.findLastIndex(({ keys }) => keys !== null);
  const entry = all.slice(0, at + 1).map(({ text }) => '/' + text).join('');
  if (at < 0 || await read(entry + '?depth=1', { signal }) !== null) return true;
  const { blind } = await rights(all[0].module);
  return [...blind].some(it => it.startsWith(bare(entry) + '/')) ? null : false;
}

const noEntry = whole => el('p', {}, whole ? 'There is no such entry.' : 'There is no such entry that you may read.');

/** What is in a container, or in an entry of a list. */
async function container(content, path, node, step, signal) {
  const [json, { write, blind, whole }] = await Promise.all([read(path + '?depth=2', { signal }), rights(steps(path)[0].module)]);
  const isThere = json !== null || await hasEntry(path, signal);
  if (signal.aborted) return;
  const title = step.keys === null ? node.n : node.n + ' ' + step.keys.join(', ');
  if (isThere === false) return fill(content, el('h1', {}, shown(title)), noEntry(whole));
  const isWritable = name => write.has(bare(path + '/' + name));
  const isBlind = name => blind.has(bare(path + '/' + name));
  let data = json === null ? {} : Object.values(json)[0];
  if (Array.isArray(data)) data = data[0] ?? {};
  const module = step.module;
  const inner = (node.c ?? []).map(child => ({ child, name: (child.m && child.m !== module ? child.m + ':' : '') + child.n }));
  const leaves = inner.filter(({ child }) => child.k.startsWith('leaf'));
  const others = inner.filter(({ child }) => !child.k.startsWith('leaf'));
  // What is not there can be set where it is configuration, a column of a row, or not shown.
  const isHidden = ({ child, name }) => child.secret || isBlind(name);
  const isMissing = ({ child, name }) => (isThere ? child.w || step.keys !== null || isBlind(name) : isHidden({ child, name })) && isWritable(name) && child.k === 'leaf' && !(node.keys ?? []).includes(child.n);
  const rows = leaves.filter(leaf => data[leaf.name] !== undefined || isMissing(leaf));
  const isThereOf = it => data[it.name] !== undefined;
  // Secrets are not in what is read: of a case with nothing else nobody tells whether it is used.
  const isUnused = it => it.child.case && !isThereOf(it) && (inner.some(other => other.child.case && isThereOf(other)) || whole && !hasSecret(it.child));
  fill(content, el('h1', {}, shown(title)), isThere === null ? el('p', { class: 'about' }, UNKNOWN) : null,
    json === null && others.length === 0 && rows.length === 0 ? el('p', {}, whole ? 'There is nothing here.' : 'There is nothing here that you may read.') : null,
    others.length === 0 ? null : el('ul', { class: 'links' }, others.map(it =>
      el('li', {}, el('a', { href: link(path + '/' + inside(it.name, it.child)) }, it.child.n), isTable(it.child) ? el('small', {}, ' table') : null, isUnused(it) ? el('small', {}, ' not used') : null))),
    step.keys === null ? null : tools(path, node),
    rows.length === 0 ? null : el('table', { class: 'leaves' }, el('tbody', {}, rows.map(({ child, name }) => {
      const keys = node.keys ?? [];
      return el('tr', {}, el('th', { scope: 'row', title: about(child) }, child.n), el('td', {}, isHidden({ child, name }) ? el('span', { class: 'none' }, 'not shown') : value(data[name], child)),
        el('td', {}, isWritable(name) && child.k === 'leaf' && !keys.includes(child.n) ? action(path + '/' + name, child) : null));
    }))));
  return null;
}

const hasSecret = node => node.secret || (node.c ?? []).some(hasSecret);

/** A table is a container with nothing but a list of its rows. */
const isTable = node => node.k === 'list' || (node.c?.length === 1 && node.c[0].k === 'list');
const inside = (name, node) => node.k !== 'list' && isTable(node) ? name + '/' + node.c[0].n : name;

function tools(path, node) {
  const counters = (node.c ?? []).filter(child => /^(Zero)?(Based)?Counter(32|64)$/.test(child.t ?? ''));
  return counters.length === 0 ? null : el('p', {}, el('a', { href: '#/chart?row=' + encodeURIComponent(path) }, 'Chart of its counters'));
}

/** What the schema says of a leaf, in one line. */
export function about(node) {
  return [node.t, node.x ? null : node.u && 'in ' + node.u, node.x ?? (node.e && node.e.slice(0, MOST_NAMES).join(', ') + (node.e.length > MOST_NAMES ? ', …' : '')), node.o].filter(Boolean).join(' · ');
}

/** Whether it is a time in hundredths of a second. */
export const isTicks = node => /^(TimeTicks|TimeStamp|TimeInterval)$/.test(node.t ?? '');

/** A value with its units. */
export function value(it, node) {
  if (it === undefined) return el('span', { class: 'none' }, 'not set');
  if (isTicks(node) && it !== null) return el('span', { title: plain(it) + ' hundredths of a second' }, ticks(it));
  const text = display(plain(it), node.b);
  return node.u ? [text, el('small', {}, '\u202f' + node.u)] : text;
}

/** A path without the keys of entries. */
export const bare = path => steps(path).map(({ text }) => '/' + text.replace(/=.*/, '')).join('');

function action(path, node) {
  return el('a', { href: link(path), class: 'button' }, 'Edit', el('span', { class: 'unseen' }, ' ' + node.n));
}

/** One leaf: its value, and a form where it can be changed, with what was typed and became of it. */
async function leafPage(content, path, node, { typed = null, said = null } = {}) {
  const { write, blind, whole } = await rights(steps(path)[0].module);
  const isChanged = (node.w || node.snmp) && node.k === 'leaf' && node.t !== 'empty' && write.has(bare(path));
  const isBlind = blind.has(bare(path));
  let tag = null;
  let json = null;
  try {
    ({ json, tag } = await restconf('data' + path + (node.w ? '?content=config' : '')));
  } catch (error) {
    if (!(error instanceof Refused && error.status === 404)) throw error;
    tag = error.tag;
  }
  const isThere = json !== null || await hasEntry(path);
  if (isThere === false) return fill(content, el('h1', {}, node.n), noEntry(whole));
  const old = json === null ? undefined : Object.values(json)[0];
  const others = isChanged && node.w ? await entries.otherCases(path) : { lines: [], write: null };
  const about_ = about(node);
  const known = old === undefined && !isChanged && !whole ? 'There is nothing here that you may read.' : value(old, node);
  fill(content, el('h1', {}, node.n), about_ ? el('p', { class: 'about' }, about_) : null, isThere === null ? el('p', { class: 'about' }, UNKNOWN) : null,
    el('p', { class: 'value' }, node.secret ? 'A secret: it can be set, and nobody reads it.' : isBlind ? BLIND : known));
  if (isChanged) content.append(form(content, path, node, { old, tag, isBlind, others, typed, said }));
  else if (said) content.append(said);
  return null;
}

/** Changes a leaf: the difference is shown before anything is sent, and holds only if nobody else was faster. */
function form(content, path, node, { old, tag, isBlind, others, typed, said }) {
  const { text: before, isHex } = old === undefined ? { text: '', isHex: false } : node.b ? octetsOf(plain(old)) : { text: plain(old), isHex: false };
  const input = field(node, typed?.now ?? before);
  const chosen = typed?.octets ?? (isHex ? 'hex' : 'text');
  const octets = node.b ? el('select', { 'aria-label': 'How it is written' }, [['text', 'as text'], ['hex', 'in hexadecimal']].map(([it, words]) =>
    el('option', { value: it, selected: it === chosen }, words))) : null;
  const review = el('div', { 'aria-live': 'polite' }, said);
  const ask = isRemoved => {
    const wanted = { tag, old, isBlind, write: isRemoved ? null : others.write, now: isRemoved ? undefined : input.value, octets: octets?.value ?? 'text' };
    fill(review, difference(node, old, wanted.now, isRemoved ? [] : others.lines), el('p', { class: 'buttons' },
      el('button', { type: 'button', class: 'main', onclick: () => apply(content, review, path, node, wanted) }, 'Apply'), ' ',
      el('button', { type: 'button', onclick: () => fill(review) }, 'Cancel')));
  };
  return el('form', { onsubmit: event => { event.preventDefault(); ask(false); } },
    el('p', { class: 'fields' }, el('label', { for: 'new' }, 'New value '), input, octets,
      el('button', {}, 'Review'),
      old === undefined || !node.w ? null : el('button', { type: 'button', onclick: () => ask(true) }, 'Remove…')), review);
}

/** The field for a value: a choice, a number within its range, or a text. */
export function field(node, before, { id = 'new', isOptional = false } = {}) {
  const common = { id, name: id, autocomplete: 'off', spellcheck: 'false' };
  if (node.choice) return el('select', { id, name: id }, isOptional ? el('option', { value: '' }, '') : null, node.choice.map(it => el('option', { selected: it === before }, it)));
  if (node.range) return el('input', { ...common, type: 'number', min: node.range[0], max: node.range[1], required: !isOptional, value: before });
  if (before.includes('\n')) return el('textarea', { ...common, rows: '4', value: before });
  return el('input', { ...common, value: before, type: node.secret ? 'password' : 'text' });
}

const lost = it => el('p', { class: 'old' }, '− ', el('del', {}, it));

/** What changes: the old and the new value, and what goes with the old one. */
export function difference(node, old, now, others = []) {
  const hide = it => node.secret ? '••••' : shown(it);
  return el('div', { class: 'difference', role: 'group', 'aria-label': 'The difference' }, el('p', {}, node.n),
    old === undefined ? null : lost(node.b ? display(plain(old), true) : hide(plain(old))), others.map(lost),
    now === undefined ? el('p', {}, 'will be removed') : el('p', { class: 'new' }, '+ ', el('ins', {}, hide(now))));
}

/** A value as JSON has it (RFC 7951 section 6). */
export function encoded(node, text) {
  if (node.t === 'boolean') return text === 'true';
  if (node.t === 'number' && Number(node.range[1]) < 2 ** 32 && /^-?\d+$/.test(text)) return Number(text);
  if (node.t === 'number or name' && /^\d+$/.test(text)) return Number(text);
  return text;
}

async function apply(content, review, path, node, { tag, old, now, octets, isBlind, write }) {
  const last = steps(path).at(-1);
  // Of what one may not read nobody tells whether it has changed.
  const headers = tag ? { 'If-Match': tag } : isBlind ? {} : { 'If-None-Match': '*' };
  try {
    if (!node.w) await setObject(path, old === undefined ? undefined : plain(old), now, octets);
    else if (now === undefined) await restconf('data' + path, { method: 'DELETE', headers });
    else if (write) await write(encoded(node, now));
    else await restconf('data' + path, { method: 'PUT', headers, body: { [last.module + ':' + last.name]: encoded(node, now) } });
  } catch (error) {
    if (!(error instanceof Refused && error.status === 412)) return fill(review, problem(error));
    const said = problem('Somebody else has changed this meanwhile: above is what it is now. Nothing was written.');
    return leafPage(content, path, node, { typed: now === undefined ? null : { now, octets }, said });
  }
  await leafPage(content, path, node, { said: el('p', { role: 'status', class: 'done' }, 'Applied.') });
  document.getElementById('new')?.focus();
  return null;
}

const BLIND = 'You may set this and not read it. If somebody else changes it at the same time, nobody notices.';
const UNKNOWN = 'It is not known whether there is such an entry: you may not read it.';
const MOST_HITS = 50;
const MOST_NAMES = 12;
