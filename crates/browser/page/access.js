// Who may see what: the principal that is logged in, its roles, and their rules, as far as it may read them.

import { read, session } from './data.js';
import { el, fill, shown, ticks } from './dom.js';

/** Shows it. */
export async function show(main, { signal }) {
  if (session.device !== null) return ofDevice(main);
  const json = await read('/ietf-netconf-acm:nacm', { signal });
  if (signal.aborted) return;
  const nacm = json?.['ietf-netconf-acm:nacm'] ?? null;
  const groups = nacm?.groups?.group ?? [];
  const mine = groups.filter(group => (group['user-name'] ?? []).includes(session.name)).map(group => group.name);
  const lists = nacm?.['rule-list'] ?? [];
  fill(main, el('h1', {}, 'Access'), el('dl', { class: 'facts' },
    el('div', {}, el('dt', {}, 'You are'), el('dd', {}, shown(session.name))),
    el('div', {}, el('dt', {}, 'Your roles'), el('dd', {}, mine.length === 0 ? 'not readable' : shown(mine.join(', ')))),
    el('div', {}, el('dt', {}, session.devices > 0 ? 'You may write on this machine' : 'You may write'), el('dd', {}, session.writes ? WITHIN : 'no')),
    session.devices > 0 ? el('div', {}, el('dt', {}, 'You may set objects of devices'), el('dd', {}, ofDevices(session))) : null,
    session.token === '' ? null : el('div', {}, el('dt', {}, 'Session ends'), el('dd', {}, 'after ' + ticks(session.seconds * 100) + ' without input')),
    el('div', {}, el('dt', {}, 'Connection'), el('dd', {}, session.protected ? 'encrypted' : 'not encrypted: everybody on the path reads it'))),
  nacm === null ? el('p', {}, 'Your roles may not read the access policy.') : [
    el('p', {}, 'Where no rule applies: read ' + shown(nacm['read-default']) + ', write ' + shown(nacm['write-default']) + ', operations ' + shown(nacm['exec-default']) + '.'),
    lists.map(list => rules(list, mine)), people(groups)]);
}

const WITHIN = 'yes, within the rules of your roles';

function ofDevices({ devices, writable }) {
  if (writable === 0) return 'no';
  return (writable === devices ? WITHIN : 'of ' + writable + ' of ' + devices + ', within the rules of your roles') + ', as far as they let this manager';
}

/** Of a device only what one may do with it: its policy is its own, and who may see it here is decided by that of the manager. */
function ofDevice(main) {
  const name = shown(session.device);
  fill(main, el('h1', {}, 'Access'), el('dl', { class: 'facts' },
    el('div', {}, el('dt', {}, 'You are'), el('dd', {}, shown(session.name))),
    el('div', {}, el('dt', {}, 'You may set objects of ' + name), el('dd', {}, session.writes ? WITHIN + ', as far as ' + name + ' lets the manager' : 'no'))),
  el('p', {}, 'Who may read and set ' + name + ' here is in the access policy of the manager that asks it: ', el('a', { href: '../../../browser/#/access' }, 'its view Access'), '. What ' + name + ' lets the manager do is decided there.'));
}

function rules(list, mine) {
  const isMine = (list.group ?? []).some(group => mine.includes(group) || group === '*');
  const all = list.rule ?? [];
  return el('details', { open: isMine }, el('summary', {}, 'Rules of ' + shown((list.group ?? [list.name]).join(', ')) + (isMine ? ' (yours)' : '') + ': ' + all.length),
    el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Rules' }, el('table', {}, el('thead', {}, el('tr', {}, ['What', 'Operations', 'Action', 'Comment'].map(it => el('th', { scope: 'col' }, it)))),
      el('tbody', {}, all.map(rule => el('tr', {},
        el('td', {}, shown(rule.path ?? rule['rpc-name'] ?? rule['notification-name'] ?? rule['module-name'] ?? '*')),
        el('td', {}, shown(rule['access-operations'] ?? '*')),
        el('td', {}, el('span', { class: rule.action === 'permit' ? 'is-up' : 'is-down' }, shown(rule.action ?? ''))),
        el('td', {}, shown(rule.comment ?? ''))))))));
}

function people(groups) {
  return el('section', {}, el('h2', {}, 'Who is in which role'), el('table', {}, el('thead', {}, el('tr', {}, ['Role', 'Users'].map(it => el('th', { scope: 'col' }, it)))),
    el('tbody', {}, groups.map(group => el('tr', {}, el('th', { scope: 'row' }, shown(group.name)), el('td', {}, shown((group['user-name'] ?? []).join(', '))))))));
}
