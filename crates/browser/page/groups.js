// Groups of other agents that this one reads: who reads each, what is computed of it, and how its members are, the worst first.

import { devices, pageOf, plain, read, session } from './data.js';
import { el, every, fill, moment, problem, refill, shown, si } from './dom.js';
import * as table from './table.js';

const MIB = 'TRUNKLINE-MIB:TRUNKLINE-MIB';
const MEMBERS = '/' + MIB + '/groupMemberTable/groupMemberEntry';
const FIELDS = 'SNMPv2-MIB:SNMPv2-MIB/system/sysUpTime;' + MIB + '/groupTable/groupEntry;' + MIB + '/groupAggregateTable/groupAggregateEntry';

/** Columns of the members: those of the MIB, and what they are called here. `isMore`: not on a phone. */
const COLUMNS = [
  { name: 'groupMemberName', n: 'Member' },
  { name: 'groupMemberState', n: 'State' },
  { name: 'groupMemberReason', n: 'Reason' },
  { name: 'groupMemberLastSuccess', n: 'Last success', isMore: true },
  { name: 'groupMemberFailures', n: 'Failures', t: 'Gauge32', isMore: true },
  { name: 'groupMemberRoundTrip', n: 'Round trip', t: 'Gauge32', isMore: true },
  { name: 'groupMemberRestarts', n: 'Restarts', t: 'Counter32', isMore: true },
  { name: 'groupMemberProtocol', n: 'Protocol', isMore: true },
  { name: 'groupMemberAddress', n: 'Address', isMore: true },
];
const FILTERED = COLUMNS.filter(it => !['groupMemberLastSuccess'].includes(it.name));

/** Shows all groups, or the one of a path. */
export async function show(main, { path, query, signal }) {
  const wanted = path === '' ? null : decodeURIComponent(path.slice(1));
  const title = el('h1', {}, 'Groups');
  const body = el('div', {});
  const list = el('div', {});
  const tools = el('div', {});
  fill(main, title, body, tools, list);
  // Members of a device's groups are devices there, and not here.
  const known = new Set(session.device === null && session.devices > 0 ? (await devices({ signal }).catch(() => [])).map(it => it.name) : []);
  let one = wanted;
  let tooled = null;
  await every(5000, signal, async () => {
    try {
      const json = (await read('?fields=' + FIELDS, { signal }))?.['ietf-restconf:data'] ?? {};
      const up = json['SNMPv2-MIB:SNMPv2-MIB']?.system?.sysUpTime ?? null;
      const all = json[MIB]?.groupTable?.groupEntry ?? [];
      const aggregates = json[MIB]?.groupAggregateTable?.groupAggregateEntry ?? [];
      // With a single group there is nothing to choose.
      one = wanted ?? (all.length === 1 ? all[0].groupName : null);
      const groups = one === null ? all : all.filter(it => it.groupName === one);
      const members = await membersOf(one, query, signal);
      if (signal.aborted) return;
      if (wanted !== null) title.textContent = 'Group ' + shown(wanted);
      if (all.length === 0) return void fill(body, el('p', {}, 'There are no groups that you may read.'));
      if (groups.length === 0) return void fill(body, problem('There is no group of this name.'));
      refill(body, groups.map(group => section(group, aggregates.filter(it => it.groupName === group.groupName), up, one, members, known)));
      if (one === null) return;
      if (tooled !== one) fill(tools, filter(one, query));
      tooled = one;
      refill(list, whole(one, members, query, up, known));
    } catch (error) {
      if (!signal.aborted) fill(list, problem(error));
    }
  });
}

/** The members of a group as the address of the page wants them; without one, those of all groups that are not up. */
async function membersOf(one, query, signal) {
  const out = new URLSearchParams({ limit: String(one === null ? MOST_BAD : table.PAGE), 'sort-by': 'groupMemberState' });
  const where = one === null ? ["groupMemberState!='up'"] : ['groupName=' + quoted(one)];
  if (one !== null) {
    if (query.get('offset')) out.set('offset', query.get('offset'));
    if (query.get('sort')) out.set('sort-by', query.get('sort'));
    if (query.get('down')) out.set('direction', 'backwards');
    where.push(table.condition(query));
  }
  out.set('where', where.filter(Boolean).join(' and '));
  const json = await read(MEMBERS + '?' + out.toString().replaceAll('+', '%20'), { signal });
  const rows = json === null ? [] : Object.values(json)[0];
  return { rows, remaining: Number(rows[0]?.['@']?.['ietf-list-pagination:remaining'] ?? 0) };
}

const quoted = text => text.includes("'") ? '"' + text.replaceAll('"', '') + '"' : "'" + text + "'";

/** A group: who reads it, what is computed of it, and among others which of its members are not up. */
function section(group, aggregates, up, one, members, known) {
  const name = group.groupName;
  const bad = members.rows.filter(it => it.groupName === name);
  const id = 'group-' + name;
  return el('section', { 'aria-labelledby': one === null ? id : null },
    one === null ? el('h2', { id }, el('a', { href: to(name) }, shown(name))) : null,
    el('dl', { class: 'facts' },
      fact('Reachable', el('span', { class: group.groupReachable === group.groupMembers ? 'is-up' : 'is-down' }, group.groupReachable + ' of ' + group.groupMembers)),
      fact('Read by', reader(group)),
      fact('Every', group.groupInterval / 1000 + '\u202fs'),
      group.groupLastCycle === undefined ? null : fact('Last cycle', [moment(group.groupLastCycle, up), el('small', {}, ', took ' + duration(group.groupLastCycleTime))]),
      group.groupOverruns > 0 ? fact('Cycles cut off by their deadline', String(group.groupOverruns)) : null),
    aggregates.length === 0 ? null : framed('Aggregates of ' + name, AGGREGATES, aggregates.map(it => aggregate(it))),
    one !== null || bad.length === 0 ? null : framed('Members of ' + name + ' that are not up', BAD, bad.map(it => el('tr', {},
      member(it, known), state(it), el('td', { class: 'wide' }, shown(it.groupMemberReason ?? '')), el('td', { class: 'more' }, moment(it.groupMemberLastSuccess, up))))),
    one !== null ? null : el('p', {}, el('a', { href: to(name) }, 'All ' + group.groupMembers + ' members'),
      members.remaining > 0 ? el('small', {}, ' of all groups ' + members.remaining + ' more members are not up') : null));
}

const to = name => '#/groups/' + encodeURIComponent(name);
const fact = (name, value) => el('div', {}, el('dt', {}, name), el('dd', {}, value));
const duration = milliseconds => milliseconds < 1000 ? milliseconds + '\u202fms' : (milliseconds / 1000).toFixed(1) + '\u202fs';

/** Which of two agents reads it. */
function reader({ groupRole, groupPeer, groupPeerState }) {
  const peer = shown(groupPeer ?? '');
  const isHere = groupRole === 'active';
  const [isGood, words] = {
    none: [isHere, isHere ? 'this agent' : 'nobody: this agent is on standby'],
    unknown: [isHere, isHere ? 'this agent; ' + peer + ' has not answered yet' : 'perhaps ' + peer + ', which has not answered yet'],
    active: [!isHere, isHere ? 'this agent, and ' + peer + ' too' : peer + '; this agent is on standby'],
    standby: [isHere, isHere ? 'this agent; ' + peer + ' is on standby' : 'nobody: ' + peer + ' is on standby too'],
    lost: [false, isHere ? 'this agent; ' + peer + ' does not answer' : 'nobody: ' + peer + ' does not answer'],
  }[groupPeerState] ?? [isHere, shown(groupRole ?? '')];
  return el('span', { class: isGood ? 'is-up' : 'is-down' }, words);
}

const AGGREGATES = [['Aggregate'], ['Value', 'number'], ['Function', 'more'], ['Values', 'number more'], ['Missing', 'number'], ['Oldest', 'number']];
const BAD = [['Member'], ['State'], ['Reason'], ['Last success', 'more']];

function framed(label, names, rows) {
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': label }, el('table', { class: 'fits' },
    el('thead', {}, el('tr', {}, names.map(([it, kind]) => el('th', { scope: 'col', class: kind }, it)))), el('tbody', {}, rows)));
}

function aggregate(it) {
  const { groupName, groupAggregateName: name, groupAggregateText: text, groupAggregateUnits: units } = it;
  const isNumber = text !== undefined && text !== '' && Number.isFinite(Number(text));
  const missing = it.groupAggregateMissing ?? 0;
  const chart = () => el('a', { href: '#/chart?group=' + encodeURIComponent(groupName) + '&aggregate=' + encodeURIComponent(name) }, el('span', { class: 'unseen' }, 'Chart of '), shown(name));
  return el('tr', {}, el('th', { scope: 'row' }, isNumber ? chart() : shown(name)),
    el('td', { class: 'number', title: text ?? null }, !isNumber ? el('span', { class: 'none' }, 'no value') : (si(Number(text)) + shown(units ?? '')).trim()),
    el('td', { class: 'more' }, shown(it.groupAggregateFunction ?? '')),
    el('td', { class: 'number more' }, String(it.groupAggregateCounted ?? '')),
    el('td', { class: 'number' }, el('span', { class: missing > 0 ? 'is-down' : null }, String(missing))),
    el('td', { class: 'number' }, it.groupAggregateAge === undefined ? '–' : duration(it.groupAggregateAge)));
}

const go = (one, query, changes) => {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
  }
  location.hash = to(one) + (next.size > 0 ? '?' + next : '');
};

const filter = (one, query) => [el('h2', {}, 'Members'), table.filter(FILTERED, it => it.name, query, changes => go(one, query, changes))];

/** A page of the members. */
function whole(one, { rows, remaining }, query, up, known) {
  if (rows.length === 0) return el('p', {}, 'No members that you may read.');
  const change = changes => go(one, query, changes);
  return [table.pages(Number(query.get('offset') ?? 0), rows.length, remaining, change),
    el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Members' }, el('table', { class: 'fits' },
      el('thead', {}, el('tr', {}, COLUMNS.map(it => table.heading(it.name, it, query, change)))),
      el('tbody', {}, rows.map(row => el('tr', {}, COLUMNS.map(it => cell(it, row, up, known)))))))];
}

function cell(column, row, up, known) {
  const value = row[column.name];
  const more = column.isMore ? ' more' : '';
  switch (column.n) {
    case 'Member': return member(row, known);
    case 'State': return state(row);
    case 'Reason': return el('td', { class: 'wide' }, shown(value ?? ''));
    case 'Last success': return el('td', { class: more }, moment(value, up));
    case 'Round trip': return el('td', { class: 'number' + more }, value === undefined ? '–' : duration(Number((value / 1000).toPrecision(2))));
    default: return el('td', { class: (column.t ? 'number' : '') + more }, shown(plain(value)));
  }
}

/** The name of a member leads to its page as a device, or to its row. */
function member({ groupName, groupMemberName: name }, known) {
  const device = groupName + '.' + name;
  const row = '#/data' + MEMBERS + '=' + encodeURIComponent(groupName) + ',' + encodeURIComponent(name);
  const href = name.startsWith('@') ? to(name.slice(1)) : known.has(device) ? pageOf(device).href : row;
  return el('th', { scope: 'row' }, el('a', { href }, shown(name)));
}

const LOOKS = { up: 'up', down: 'down', partial: 'half', paused: 'down' };
const WORDS = { notRead: 'not read here' };
const MEANINGS = {
  unknown: 'Not asked yet', partial: 'It answers, and something is missing', down: 'No answer', paused: 'No answer for several cycles: it is asked seldom now', notRead: 'The peer reads this group',
};

function state({ groupMemberState: it }) {
  return el('td', {}, el('span', { class: 'is-' + (LOOKS[it] ?? 'off'), title: MEANINGS[it] ?? null }, WORDS[it] ?? shown(it ?? '')));
}

/** Members that are not up, of all groups together. */
const MOST_BAD = 100;
