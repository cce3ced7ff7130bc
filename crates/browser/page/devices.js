// All devices that are served here: a line for each, read a few at a time, so that those that do not answer delay no others.

import { devices, pageOf, readOf } from './data.js';
import { el, every, fill, problem, shown, ticks } from './dom.js';

const FIELDS = 'fields=SNMPv2-MIB:SNMPv2-MIB/system(sysName;sysDescr;sysLocation;sysUpTime);IF-MIB:IF-MIB/ifTable/ifEntry(ifAdminStatus;ifOperStatus)';
const AT_ONCE = 4;

/** Shows it, and keeps it fresh. */
export async function show(main, { signal }) {
  const search = el('input', { type: 'search', id: 'filter', autocomplete: 'off', oninput: () => draw() });
  const count = el('p', { role: 'status' });
  const body = el('tbody', {});
  const names = ['Device', 'State', 'System name', 'Up', 'Interfaces down', 'Location', 'Description'];
  fill(main, el('h1', {}, 'Devices'),
    el('p', { class: 'tools' }, el('label', { for: 'filter' }, 'Filter '), search), count,
    el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Devices' },
      el('table', {}, el('thead', {}, el('tr', {}, names.map((it, at) => el('th', { scope: 'col', class: at === 3 || at === 4 ? 'number' : null }, it)))), body)));
  const known = new Map();
  const draw = () => {
    const wanted = search.value.trim().toLowerCase();
    const all = [...known.values()];
    const lines = all.filter(it => it.text.includes(wanted));
    const bad = all.filter(it => it.state === 'down').length;
    const asked = all.filter(it => it.state === 'asked').length;
    count.textContent = all.length + ' devices, ' + bad + ' without an answer' + (asked ? ', ' + asked + ' not yet asked' : '') + (wanted ? ', ' + lines.length + ' shown' : '') + '.';
    fill(body, lines.map(it => it.row));
  };
  await every(30_000, signal, async () => {
    let list;
    try {
      list = (await devices({ signal })).sort((one, other) => one.name.localeCompare(other.name, undefined, { numeric: true }));
    } catch (error) {
      if (!signal.aborted && known.size === 0) fill(main, problem(error));
      return;
    }
    for (const name of known.keys()) {
      if (!list.some(it => it.name === name)) known.delete(name);
    }
    for (const { name } of list) {
      if (!known.has(name)) known.set(name, line(name, 'asked', {}, []));
    }
    draw();
    const left = list.map(it => it.name);
    const work = async () => {
      while (left.length > 0 && !signal.aborted) {
        const name = left.shift();
        known.set(name, await look(name, signal));
        if (!signal.aborted) draw();
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  });
}

async function look(name, signal) {
  try {
    const json = (await readOf(name, FIELDS, { signal }))?.['ietf-restconf:data'];
    const system = json?.['SNMPv2-MIB:SNMPv2-MIB']?.system ?? {};
    return line(name, json ? 'up' : 'nothing', system, json?.['IF-MIB:IF-MIB']?.ifTable?.ifEntry ?? []);
  } catch (error) {
    return line(name, 'down', { sysDescr: error.message }, []);
  }
}

const STATES = { asked: '…', up: 'answers', down: 'no answer', nothing: 'shows nothing' };

function line(name, state, system, interfaces) {
  const down = interfaces.filter(it => it.ifAdminStatus === 'up' && it.ifOperStatus !== 'up').length;
  const row = el('tr', {},
    el('th', { scope: 'row' }, el('a', { href: pageOf(name).href }, shown(name))),
    el('td', {}, el('span', { class: state === 'up' ? 'is-up' : state === 'down' ? 'is-down' : 'is-off' }, STATES[state])),
    el('td', {}, shown(system.sysName ?? '')),
    el('td', { class: 'number' }, system.sysUpTime === undefined ? '' : ticks(system.sysUpTime)),
    el('td', { class: 'number' }, interfaces.length === 0 ? '' : down + ' of ' + interfaces.length),
    el('td', {}, shown(system.sysLocation ?? '')),
    el('td', {}, shown(system.sysDescr ?? '')));
  return { state, row, text: [name, system.sysName, system.sysLocation, system.sysDescr].join(' ').toLowerCase() };
}
