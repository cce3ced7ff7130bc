// Entries of lists in the configuration, and rows of MIB tables with a RowStatus: made with their keys and leaves, and removed. Both show
// the difference before anything is sent.

import { createRow, entryPath, nodesOf, plain, read, restconf, rights, setObject, steps, writable, Refused } from './data.js';
import { about, bare, difference, encoded, field, value } from './tree.js';
import { display, el, fill, problem, shown } from './dom.js';

/** The column with which rows of a MIB table are made and removed. */
const statusOf = node => (node.c ?? []).find(child => child.t === 'RowStatus' && child.snmp);

/** Whether entries of a list can be made and removed by who is logged in: whoever may change one of its leaves, or the RowStatus. */
export async function areChanged(path, node) {
  if (node.k !== 'list') return false;
  const may = await writable(steps(path)[0].module);
  if (!node.w) return statusOf(node) !== undefined && may.has(bare(path) + '/' + nameOf(statusOf(node), path));
  return (node.c ?? []).some(child => may.has(bare(path) + '/' + nameOf(child, path)));
}

const nameOf = (child, path) => (child.m && child.m !== steps(path).at(-1).module ? child.m + ':' : '') + child.n;

/** The form for another entry of the list at a path. */
export async function create(content, path, node) {
  const may = await writable(steps(path)[0].module);
  const keys = node.keys ?? [];
  const isAsked = ({ child, name }) => (child.w || !node.w) && child.t !== 'empty' && child !== statusOf(node) && (keys.includes(name) || may.has(bare(path) + '/' + name));
  const asked = leavesOf(node.c ?? [], '', []).filter(isAsked).sort((one, other) => keys.includes(other.name) - keys.includes(one.name));
  const fields = asked.map(({ child, name, cases }) => {
    const input = field(child, '', { id: 'new-' + name, isOptional: !child.must });
    input.required = child.must === true;
    return { child, name, cases, input, octets: child.b ? howWritten(name) : null };
  });
  const review = el('div', { 'aria-live': 'polite' });
  const isWanted = ({ cases }) => cases.every(({ choice, number }) => choice.select.value === String(number));
  const given = () => fields.filter(it => isWanted(it) && it.input.value !== '');
  const row = () => given().map(({ name, input, octets }) => ({ name, text: input.value, octets: octets?.value }));
  fill(content, el('h1', {}, 'New ' + shown(node.n)), el('form', { onsubmit: event => {
    event.preventDefault();
    const made = entryOf(given());
    const columns = row();
    fill(review, el('div', { class: 'difference', role: 'group', 'aria-label': 'The difference' },
      given().map(({ child, name, input }) => el('p', { class: 'new' }, '+ ' + name + ': ', el('ins', {}, child.secret ? '••••' : shown(input.value))))),
    el('p', { class: 'buttons' }, el('button', { type: 'button', class: 'main', onclick: () => node.w ? apply(made) : make(columns) }, 'Apply'), ' ',
      el('button', { type: 'button', onclick: () => fill(review) }, 'Cancel')));
  } }, el('table', { class: 'leaves' }, el('tbody', {}, rowsOf(fields, isWanted))),
  el('p', { class: 'buttons' }, el('button', {}, 'Review'), ' ', el('a', { class: 'button', href: '#/data' + path }, 'Back to the list'))), review);

  /** A row of a MIB table, in one Set. */
  async function make(columns) {
    let made;
    try {
      made = await createRow(path, columns);
    } catch (error) {
      return fill(review, problem(error));
    }
    location.hash = '#/data' + made;
    return null;
  }

  async function apply(made) {
    const { module, name } = steps(path).at(-1);
    const above = path.slice(0, path.lastIndexOf('/'));
    try {
      await restconf('data' + above, { method: 'POST', body: { [module + ':' + name]: [made] } });
    } catch (error) {
      // A container that is there because of what is in it cannot be posted to before there is something.
      if (!(error instanceof Refused && error.status === 404)) return fill(review, problem(error));
      try {
        await restconf('data' + entryPath(path, keys, made), { method: 'PUT', headers: { 'If-None-Match': '*' }, body: { [module + ':' + name]: [made] } });
      } catch (second) {
        return fill(review, problem(second));
      }
    }
    location.hash = '#/data' + entryPath(path, keys, made);
    return null;
  }
}

/** The leaves of an entry, also those of containers in it, with their names from the entry on, and the cases of choices that they are in. */
function leavesOf(children, start, cases) {
  const all = children.filter(child => child.case && child.k !== 'leaf');
  const choice = { id: 'one-of-' + start + all[0]?.n, name: start + all.map(child => child.n).join(', '), all, select: null };
  return children.flatMap(child => {
    const name = start + (child.m ? child.m + ':' : '') + child.n;
    if (child.k === 'leaf') return [{ child, name, cases }];
    if (child.k !== 'container') return [];
    return leavesOf(child.c ?? [], name + '/', child.case ? [...cases, { choice, number: child.case }] : cases);
  });
}

/** The rows of the form: those of a case are seen when it is chosen. */
function rowsOf(fields, isWanted) {
  const rows = [];
  const update = () => rows.forEach(({ row, cases }) => { row.hidden = !isWanted({ cases }); });
  for (const { child, name, input, octets, cases } of fields) {
    for (const [at, { choice }] of cases.entries()) {
      if (choice.select === null) {
        const numbers = [...new Set(choice.all.map(it => it.case))];
        const names = number => choice.all.filter(it => it.case === number).map(it => it.n).join(', ');
        choice.select = el('select', { id: choice.id, onchange: update }, el('option', { value: '' }, ''),
          numbers.map(number => el('option', { value: number }, names(number))));
        rows.push({ cases: cases.slice(0, at), row: el('tr', {}, el('th', { scope: 'row' }, el('label', { for: choice.select.id }, 'One of ' + choice.name)), el('td', {}, choice.select)) });
      }
    }
    rows.push({ cases, row: el('tr', {}, el('th', { scope: 'row', title: about(child) }, el('label', { for: input.id }, name)), el('td', {}, input, octets, child.x ? el('small', {}, ' ' + child.x) : null)) });
  }
  update();
  return rows.map(({ row }) => row);
}

/** The entry with what was written, as JSON has it. */
function entryOf(given) {
  const entry = {};
  for (const { child, name, input } of given) {
    const parts = name.split('/');
    const last = parts.pop();
    parts.reduce((within, part) => within[part] ??= {}, entry)[last] = encoded(child, input.value);
  }
  return entry;
}

const howWritten = name => el('select', { 'aria-label': 'How ' + name + ' is written' }, el('option', { value: 'text' }, 'as text'), el('option', { value: 'hex' }, 'in hexadecimal'));

/**
 * What a value of the leaf at a path removes, as lines: what there is of the other cases of its choices. Where its own case is not in use,
 * `write` sets the value if nobody has changed any of that.
 */
export async function otherCases(path) {
  const [way, all] = [await nodesOf(path), steps(path)];
  const first = way.findIndex(node => node.case);
  if (first < 0) return { lines: [], write: null };
  const above = all.slice(0, first).map(({ text }) => '/' + text).join('');
  const { blind } = await rights(all[0].module);
  const { json, tag } = await configured(above) ?? { json: null, tag: null };
  const lines = [];
  let isUsed = true;
  let data = entryIn(json);
  let start = '';
  for (const [at, node] of way.entries()) {
    if (at < first) continue;
    const cases = node.case ? way[at - 1].c.filter(it => it.case) : [];
    const isThere = it => data?.[inJson(it)] !== undefined;
    if (node.case && !isThere(node)) {
      isUsed = false;
      // What is not read may be there, unless another case is.
      const others = cases.filter(it => it.case !== node.case && (isThere(it) || !cases.some(isThere)));
      const isHidden = (it, name) => it.secret || blind.has(bare(above) + '/' + name);
      lines.push(...others.flatMap(it => linesOfCase(it, data?.[inJson(it)], start + inJson(it), isHidden)));
    }
    data = data?.[inJson(node)];
    start += inJson(node) + '/';
  }
  const isKept = tag && !isUsed && !way.at(-1).secret;
  const write = value => restconf('data' + above, { method: 'PATCH', headers: { 'If-Match': tag }, body: within(way, all, first, value) });
  return { lines, write: isKept ? write : null };
}

const inJson = node => (node.m ? node.m + ':' : '') + node.n;
const entryIn = json => [Object.values(json ?? {})[0] ?? {}].flat()[0];

function linesOfCase(node, data, name, isHidden) {
  if (node.k === 'container') return (node.c ?? []).flatMap(child => linesOfCase(child, data?.[inJson(child)], name + '/' + inJson(child), isHidden));
  if (isHidden(node, name)) return [name + ': not shown, if it is set'];
  return data === undefined ? [] : [name + ': ' + display(plain(data), node.b)];
}

/** A value in the nodes behind the first ones of a path, as the body of these. */
function within(way, all, first, value) {
  const [node, { module, name, keys }] = [way[first - 1], all[first - 1]];
  const inner = way.slice(first).reduceRight((inside, it) => ({ [inJson(it)]: inside }), value);
  const named = (node.keys ?? []).map((key, at) => [key, encoded(node.c.find(it => it.n === key), keys[at])]);
  return { [module + ':' + name]: node.k === 'list' ? [{ ...Object.fromEntries(named), ...inner }] : inner };
}

/** What the configuration has at a path: {json, tag}; null: nothing that one may read. */
async function configured(path) {
  try {
    return await restconf('data' + path + '?content=config');
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return null;
    throw error;
  }
}

/** What removes the entry or row at a path, behind a button; only `said`, what became of an attempt, if it is not there. `again` shows the page anew. */
export async function removal(path, node, { again, said }) {
  const status = node.w ? null : statusOf(node);
  const statusPath = status && path + '/' + nameOf(status, path);
  const known = async () => node.w ? await configured(path) : await read(statusPath);
  if (await known() === null) return said;
  const review = el('div', { 'aria-live': 'polite' }, said);
  const ask = async () => {
    try {
      const [found, whole] = await Promise.all([known(), node.w ? null : read(path)]);
      fill(review, difference({ n: node.n }, undefined, undefined, linesOf(entryIn(node.w ? found?.json : whole), node)), el('p', { class: 'buttons' },
        el('button', { type: 'button', class: 'main', onclick: () => remove(found) }, 'Apply'), ' ',
        el('button', { type: 'button', onclick: () => fill(review) }, 'Cancel')));
    } catch (error) {
      fill(review, problem(error));
    }
  };
  const remove = async found => {
    try {
      if (node.w) await restconf('data' + path, { method: 'DELETE', headers: found?.tag ? { 'If-Match': found.tag } : {} });
      else await setObject(statusPath, plain(Object.values(found ?? {})[0]), 'destroy', 'text');
    } catch (error) {
      if (!(error instanceof Refused && error.status === 412)) return fill(review, problem(error));
      return again(problem('Somebody else has changed this meanwhile: above is what it is now. Nothing was removed.'));
    }
    location.hash = '#/data' + path.slice(0, path.lastIndexOf('='));
    return null;
  };
  return el('div', {}, el('p', { class: 'buttons' }, el('button', { type: 'button', onclick: ask }, node.w ? 'Remove this entry…' : 'Remove this row…')), review);
}

/** What is in an entry, a line for each, as tables show it. */
function linesOf(entry, node) {
  return Object.entries(entry).filter(([name]) => !name.startsWith('@')).map(([name, it]) => {
    const child = node.c.find(({ n }) => n === name.slice(name.indexOf(':') + 1));
    return [name + ': ', child?.k === 'leaf' ? value(it, child) : shown(plain(it))];
  });
}
