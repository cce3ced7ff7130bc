// All devices that are served here: a line for each, read a few at a time, so that those that do not answer delay no others. First come
// those that are seen, and what is known stays when the view is left.

import { devices, pageOf, read, readOf, session } from './data.js';
import { el, every, fill, problem, refill, shown, ticks } from './dom.js';

const FIELDS = 'fields=SNMPv2-MIB:SNMPv2-MIB/system(sysName;sysDescr;sysLocation;sysUpTime);IF-MIB:IF-MIB/ifTable/ifEntry(ifAdminStatus;ifOperStatus)';
const MEMBERS = '/TRUNKLINE-MIB:TRUNKLINE-MIB/groupMemberTable/groupMemberEntry?fields=groupName;groupMemberName;groupMemberState;groupMemberReason';
const AT_ONCE = 4;
/** What was read is good for so many milliseconds. */
const GOOD = 30_000;

/** By their names; they stay when the view is left. */
const known = new Map();

const COLUMNS = [
  { name: 'Device', of: it => it.name },
  { name: 'State', of: it => RANK.indexOf(it.state) },
  { name: 'System name', of: it => it.system.sysName ?? '', isMore: true },
  { name: 'Up', of: it => it.system.sysUpTime ?? -1, isNumber: true, isMore: true },
  { name: 'Interfaces down', of: it => down(it), isNumber: true },
  { name: 'Location', of: it => it.system.sysLocation ?? '', isMore: true },
  { name: 'Description', of: it => it.system.sysDescr ?? '', isMore: true },
];
const RANK = ['down', 'nothing', 'up', 'asked'];
const STATES = { asked: '…', up: 'answers', down: 'no answer', nothing: 'shows nothing' };

/** Shows it, and keeps it fresh. */
export async function show(main, { query, signal }) {
  const search = el('input', { type: 'search', id: 'filter', autocomplete: 'off', value: query.get('q') ?? '', oninput: () => draw() });
  const count = el('p', { role: 'status' });
  const body = el('tbody', {});
  const [sort, isDown] = [query.get('sort'), query.get('down') !== null];
  fill(main, el('h1', {}, 'Devices'),
    el('p', { class: 'tools' }, el('label', { for: 'filter' }, 'Filter '), search), count,
    el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Devices' },
      el('table', {}, el('thead', {}, el('tr', {}, COLUMNS.map(it => heading(it, sort, isDown, search)))), body)));
  const seen = new Set();
  const observer = new IntersectionObserver(entries => {
    for (const { target, isIntersecting } of entries) {
      if (isIntersecting) seen.add(target);
      else seen.delete(target);
    }
  });
  signal.addEventListener('abort', () => observer.disconnect());
  const wanted = () => search.value.trim().toLowerCase();
  const column = COLUMNS.find(it => it.name === sort) ?? null;
  let isDrawn = false;
  const draw = () => {
    if (isDrawn || signal.aborted) return;
    isDrawn = true;
    requestAnimationFrame(() => {
      isDrawn = false;
      const all = [...known.values()];
      const lines = ordered(all.filter(it => text(it).includes(wanted())), column, isDown);
      const of = state => all.filter(it => it.state === state).length;
      count.textContent = (all.length === 1 ? '1 device, ' : all.length + ' devices, ') + of('down') + ' without an answer' +
        (of('asked') ? ', ' + of('asked') + ' not yet asked' : '') + (wanted() ? ', ' + lines.length + ' shown' : '') + '.';
      const rows = lines.map(it => it.row);
      // Rows that stay where they are are not touched.
      if (rows.length !== body.children.length || rows.some((row, at) => row !== body.children[at])) refill(body, rows);
    });
  };
  await every(GOOD, signal, () => list(main, signal, observer).then(draw));
  const work = async () => {
    while (!signal.aborted) {
      const next = document.hidden ? null : due(wanted(), seen);
      if (next === null) await rest(500, signal);
      else await look(next, signal).then(draw);
    }
  };
  // They end with the view, which is there before they do.
  for (let at = 0; at < AT_ONCE; at += 1) work();
}

/** Reads which devices there are, and what the agent itself knows of them. */
async function list(main, signal, observer) {
  let found;
  try {
    found = await devices({ signal });
  } catch (error) {
    if (!signal.aborted && known.size === 0) fill(main, problem(error));
    return;
  }
  const members = session.groups ? await read(MEMBERS, { signal }).catch(() => null) : null;
  const states = new Map((Object.values(members ?? {})[0] ?? []).map(it => [it.groupName + '.' + it.groupMemberName, it]));
  const names = new Set(found.map(it => it.name));
  for (const name of known.keys()) {
    if (!names.has(name)) known.delete(name);
  }
  for (const { name, failure } of found) {
    if (!known.has(name)) {
      known.set(name, { name, state: 'asked', at: 0, isAsked: false, system: {}, interfaces: [], why: '', row: el('tr', {}) });
      fillRow(known.get(name));
    }
    const it = known.get(name);
    observer.observe(it.row);
    // Before it is asked here, there may be somebody who knows.
    const member = states.get(name);
    if (it.state === 'asked' && (failure !== undefined || ['down', 'paused'].includes(member?.groupMemberState))) {
      Object.assign(it, { state: 'down', why: failure ?? member.groupMemberReason ?? '' });
      fillRow(it);
    }
  }
}

/** The device to ask next: of those whose data are old one that is seen, then one that the filter leaves, then the oldest. */
function due(wanted, seen) {
  const now = Date.now();
  let best = null;
  for (const it of known.values()) {
    if (it.isAsked || now - it.at < GOOD) continue;
    const rank = (seen.has(it.row) ? 0 : 2) + (text(it).includes(wanted) ? 0 : 1);
    if (best === null || rank < best.rank || (rank === best.rank && it.at < best.it.at)) best = { it, rank };
  }
  return best?.it ?? null;
}

const rest = (milliseconds, signal) => new Promise(done => {
  const timer = setTimeout(done, milliseconds);
  signal.addEventListener('abort', () => { clearTimeout(timer); done(); }, { once: true });
});

async function look(it, signal) {
  it.isAsked = true;
  try {
    const json = (await readOf(it.name, FIELDS, { signal }))?.['ietf-restconf:data'];
    const system = json?.['SNMPv2-MIB:SNMPv2-MIB']?.system ?? {};
    Object.assign(it, { state: json ? 'up' : 'nothing', why: '', system, interfaces: json?.['IF-MIB:IF-MIB']?.ifTable?.ifEntry ?? [] });
  } catch (error) {
    if (!signal.aborted) Object.assign(it, { state: 'down', why: error.message, system: {}, interfaces: [] });
  }
  it.isAsked = false;
  if (signal.aborted) return;
  it.at = Date.now();
  fillRow(it);
}

/** As a column has it; otherwise those without an answer first. */
function ordered(lines, column, isDown) {
  const compare = (one, other) => typeof one === 'number' ? one - other : one.localeCompare(other, undefined, { numeric: true });
  const byName = (one, other) => compare(one.name, other.name);
  const by = column ? (one, other) => (isDown ? -1 : 1) * compare(column.of(one), column.of(other)) : (one, other) => (other.state === 'down') - (one.state === 'down');
  return lines.sort((one, other) => by(one, other) || byName(one, other));
}

function heading({ name, isNumber, isMore }, sort, isDown, search) {
  const isSorted = sort === name;
  return el('th', { scope: 'col', class: [isNumber && 'number', isMore && 'more'].filter(Boolean).join(' '), 'aria-sort': isSorted ? isDown ? 'descending' : 'ascending' : null },
    el('button', { class: 'sort', onclick: () => {
      const next = new URLSearchParams(search.value ? { q: search.value } : {});
      if (!isSorted || !isDown) next.set('sort', name);
      if (isSorted && !isDown) next.set('down', '1');
      location.hash = '#/devices' + (next.size > 0 ? '?' + next : '');
    } }, name, el('span', { 'aria-hidden': 'true' }, isSorted ? isDown ? ' ▼' : ' ▲' : '')));
}

const down = ({ interfaces }) => interfaces.filter(it => it.ifAdminStatus === 'up' && it.ifOperStatus !== 'up').length;
const text = ({ name, system, why, state }) => [name, STATES[state], system.sysName, system.sysLocation, system.sysDescr, why].join(' ').toLowerCase();

function fillRow(it) {
  const { name, state, system, interfaces, why } = it;
  refill(it.row,
    el('th', { scope: 'row' }, el('a', { href: pageOf(name).href }, shown(name))),
    el('td', {}, el('span', { class: state === 'up' ? 'is-up' : state === 'down' ? 'is-down' : 'is-off' }, STATES[state])),
    el('td', { class: 'more' }, shown(system.sysName ?? '')),
    el('td', { class: 'number more' }, system.sysUpTime === undefined ? '' : ticks(system.sysUpTime)),
    el('td', { class: 'number' }, interfaces.length === 0 ? '' : down(it) + ' of ' + interfaces.length),
    el('td', { class: 'more' }, shown(system.sysLocation ?? '')),
    el('td', { class: 'more' }, shown(why || (system.sysDescr ?? ''))));
}
