// The machine at a glance: system, interfaces with their rates, load, memory, storage, the agent.

import { ofSystem, read, session } from './data.js';
import { el, every, fill, named, octets, problem, refill, shown, si, ticks, waiting } from './dom.js';
import { rate, sample } from './rates.js';

const FIELDS = [
  'SNMPv2-MIB:SNMPv2-MIB/system/sysUpTime',
  'IF-MIB:IF-MIB/ifTable/ifEntry(ifDescr;ifName;ifAlias;ifAdminStatus;ifOperStatus;ifHighSpeed;ifInErrors;ifOutErrors;ifInDiscards;ifOutDiscards;ifHCInOctets;ifHCOutOctets;ifCounterDiscontinuityTime)',
  'UCD-SNMP-MIB:UCD-SNMP-MIB/laTable/laEntry(laNames;laLoad)',
  'UCD-SNMP-MIB:UCD-SNMP-MIB/memory(memTotalReal;memAvailReal;memBuffer;memCached;memTotalSwap;memAvailSwap)',
].join(';');

const STORAGE = 'HOST-RESOURCES-MIB:HOST-RESOURCES-MIB/hrStorageTable/hrStorageEntry(hrStorageDescr;hrStorageType;hrStorageAllocationUnits;hrStorageSize;hrStorageUsed)';

const data = json => json?.['ietf-restconf:data'] ?? {};

/** Shows it, and keeps it fresh. */
export async function show(main, { signal }) {
  const top = el('div', {});
  const interfaces = el('section', { 'aria-labelledby': 'interfaces' });
  const machine = el('div', { class: 'cards' });
  const trouble = el('div', {});
  fill(main, top, trouble, interfaces, machine);
  fill(top, waiting());
  const system = await ofSystem();
  if (signal.aborted) return;
  named(session.device || system.sysName || session.system);
  const up = el('dd', {}, system.sysUpTime === undefined ? '–' : ticks(system.sysUpTime));
  fill(top, el('h1', {}, shown(system.sysName || 'This machine')), el('dl', { class: 'facts' },
    fact('System', system.sysDescr), el('div', {}, el('dt', {}, 'Agent up'), up),
    fact('Contact', system.sysContact), fact('Location', system.sysLocation)));
  const before = new Map();
  let count = 0;
  let kept = null;
  let last = null;
  await every(5000, signal, async () => {
    try {
      const at = Date.now();
      // What fills slowly is read seldom.
      const isWhole = count % 12 === 0;
      const json = data(await read('?fields=' + FIELDS + (isWhole ? ';' + STORAGE : ''), { signal }));
      count += 1;
      if (signal.aborted) return;
      const ticksNow = json['SNMPv2-MIB:SNMPv2-MIB']?.system?.sysUpTime ?? null;
      if (ticksNow !== null) up.textContent = ticks(ticksNow);
      drawInterfaces(interfaces, json['IF-MIB:IF-MIB']?.ifTable?.ifEntry ?? [], before, ticksNow, at);
      kept = isWhole ? json['HOST-RESOURCES-MIB:HOST-RESOURCES-MIB']?.hrStorageTable?.hrStorageEntry ?? [] : kept;
      last = new Date(at);
      fill(trouble);
      drawMachine(machine, json['UCD-SNMP-MIB:UCD-SNMP-MIB'] ?? {}, kept ?? []);
    } catch (error) {
      if (signal.aborted) return;
      fill(trouble, problem(error), last === null ? null : el('p', { class: 'about' }, 'What is below was so at ' + last.toLocaleTimeString() + '.'));
    }
  });
}

function fact(name, value) {
  return value ? el('div', {}, el('dt', {}, name), el('dd', {}, shown(value))) : null;
}

function drawInterfaces(section, entries, before, up, at) {
  const rows = entries.map(entry => {
    const name = entry.ifName || entry.ifDescr;
    const rates = ['ifHCInOctets', 'ifHCOutOctets'].map(column => {
      const key = entry.ifIndex + column;
      const now = sample(entry[column], 64, up, entry.ifCounterDiscontinuityTime, at);
      const found = rate(before.get(key), now);
      before.set(key, now);
      return found === null ? null : found * 8;
    });
    const bad = ['ifInErrors', 'ifOutErrors', 'ifInDiscards', 'ifOutDiscards'].reduce((all, it) => all + (entry[it] ?? 0), 0);
    const isDown = entry.ifAdminStatus === 'up' && entry.ifOperStatus !== 'up';
    return el('tr', {},
      el('th', { scope: 'row' }, el('a', { href: '#/chart?if=' + entry.ifIndex, title: 'Chart of its rates' }, shown(name)),
        entry.ifAlias ? el('small', {}, ' ' + shown(entry.ifAlias)) : null),
      el('td', {}, el('span', { class: 'is-' + (isDown ? 'down' : entry.ifOperStatus === 'up' ? 'up' : 'off') },
        entry.ifAdminStatus === 'down' ? 'off' : shown(entry.ifOperStatus ?? ''))),
      el('td', { class: 'number' }, entry.ifHighSpeed ? si(entry.ifHighSpeed * 1e6) + 'bit/s' : '–'),
      ...rates.map(it => el('td', { class: 'number' }, it === null ? '…' : si(it) + 'bit/s')),
      el('td', { class: 'number' }, String(bad)));
  });
  refill(section, el('h2', { id: 'interfaces' }, 'Interfaces'), rows.length === 0 ? el('p', {}, 'None that you may read.') :
    el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-labelledby': 'interfaces' }, el('table', {}, el('thead', {}, el('tr', {},
      ['Name', 'State', 'Speed', 'In', 'Out', 'Errors and discards'].map((it, at) => el('th', { scope: 'col', class: at > 1 ? 'number' : null }, it)))),
    el('tbody', {}, rows))));
}

function drawMachine(cards, { laTable, memory }, storage) {
  const load = laTable?.laEntry ?? [];
  const disks = once(storage.filter(it => /FixedDisk|\.4$/.test(String(it.hrStorageType)) && it.hrStorageSize > 0));
  fill(cards,
    load.length === 0 ? null : card('Load', el('dl', {}, load.map(it => el('div', {}, el('dt', {}, minutes(it.laNames)), el('dd', {}, shown(it.laLoad ?? '')))))),
    memory?.memTotalReal === undefined ? null : card('Memory',
      bar('Used', memory.memTotalReal - memory.memAvailReal - (memory.memBuffer ?? 0) - (memory.memCached ?? 0), memory.memTotalReal, 1024),
      memory.memTotalSwap > 0 ? bar('Swap', memory.memTotalSwap - memory.memAvailSwap, memory.memTotalSwap, 1024) : null),
    disks.length === 0 ? null : card('Storage', disks.map(it => bar(it.hrStorageDescr, it.hrStorageUsed, it.hrStorageSize, it.hrStorageAllocationUnits ?? 1))),
    card('Agent', el('p', {}, 'You are ', el('a', { href: '#/access' }, shown(session.name)), session.writes ? '.' : session.writable > 0 ? ', and may only read this machine.' : ', and may only read.'),
      el('p', {}, el('a', { href: '#/data/SNMPv2-MIB:SNMPv2-MIB/sysORTable/sysOREntry' }, 'What it serves'), ', ',
        el('a', { href: '#/data/ietf-netconf-monitoring:netconf-state/sessions/session' }, 'sessions'))));
}

/** Mounts of the same file system, or of parts of it, are one. */
function once(disks) {
  const known = new Map();
  for (const disk of disks) {
    const key = disk.hrStorageSize + '/' + Math.round(100 * disk.hrStorageUsed / disk.hrStorageSize);
    const first = known.get(key);
    if (first) first.more += 1;
    else known.set(key, { ...disk, more: 0 });
  }
  return [...known.values()].map(it => it.more === 0 ? it : { ...it, hrStorageDescr: it.hrStorageDescr + ' and ' + it.more + ' more' });
}

/** `Load-5` is the load of the last 5 minutes. */
const minutes = name => shown(String(name ?? '')).replace(/^Load-(\d+)$/, '$1 min');

function card(title, ...content) {
  return el('section', { class: 'card' }, el('h2', {}, title), content);
}

function bar(name, used, size, unit) {
  const share = Math.max(0, Math.min(1, used / size));
  return el('div', { class: 'bar' }, el('span', {}, shown(name)),
    el('meter', { min: '0', max: '1', high: '0.9', value: String(share), 'aria-label': shown(name) }),
    el('span', {}, octets(Math.max(0, used) * unit) + ' of ' + octets(size * unit)));
}
