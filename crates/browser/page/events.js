// Events as they happen: of this machine by RESTCONF, and what devices have told. After a lost connection a stream goes on where it was,
// so that nothing is missing.

import { happeningsUrl, pageOf, plain, read, session, streamUrl, watchers, who } from './data.js';
import { el, fill, shown } from './dom.js';

const MOST = 500;
const kept = [];
const known = new Set();
/** The device's time of the last event, or of the first connection: from there the stream goes on. */
let last = null;
/** Whether the device has lost its log meanwhile. */
let missed = false;
/** The number of the next event of devices. */
let next = 0;

/** Shows those that are known, and what comes. */
export async function show(main, { signal }) {
  const state = el('p', { role: 'status', class: 'stream' }, 'Connecting…');
  const list = el('ol', { class: 'events', 'aria-live': 'polite', 'aria-relevant': 'additions' });
  const none = el('p', { class: 'about' });
  const buttons = el('p', { class: 'buttons' }, state, ' ');
  fill(main, el('h1', {}, session.device === null ? 'Events' : 'Events of ' + shown(session.device)), buttons, none, list);
  for (const event of kept) list.prepend(item(event));
  const take = event => {
    if (event && add(event)) list.prepend(item(event));
    while (list.childElementCount > MOST) list.lastElementChild.remove();
    none.hidden = list.childElementCount > 0;
  };
  await who();
  if (signal.aborted) return;
  const words = () => missed ? 'Connected. The agent was started again: events of the time between may be missing.' : 'Connected';
  const lost = session.device === null ? 'Disconnected: events come when the agent is reached again.' : 'Disconnected from the manager: events of ' + shown(session.device) + ' come when it is reached again.';
  const up = new Set();
  const streams = [];
  const follow = options => streams.push(stream({ ...options, signal, take, told: (name, isUp) => {
    if (isUp) up.add(name);
    else up.delete(name);
    const all = up.size === streams.length;
    state.className = all ? 'stream is-up' : 'stream is-down';
    state.textContent = all ? words() : lost;
  } }));
  if (session.device === null && session.reads) {
    const start = last;
    last ??= session.time;
    const own = { name: 'own', read: eventOf, open: () => streamUrl(own.since), since: start, back: async () => {
      const state = await read('/ietf-restconf-monitoring:restconf-state/streams');
      const known = Object.values(state ?? {})[0]?.stream?.[0];
      missed = Date.parse(known?.['replay-log-creation-time'] ?? '') > Date.parse(last);
      own.since = last;
    } };
    follow(own);
    buttons.append(el('button', { onclick: () => { own.since = new Date(Date.now() - 86_400_000).toISOString(); streams[0](); } }, 'Those of the last day'));
  }
  const ofDevices = session.device === null ? session.devices > 0 : session.reads;
  if (ofDevices) {
    follow({ name: 'devices', read: toldOf, open: () => happeningsUrl(next), back: () => {} });
    none.textContent = (session.reads ? 'Nothing yet. ' : DENIED) + (session.device === null ? 'Devices' : shown(session.device)) + ' must send traps here, or offer events over NETCONF, RESTCONF or SOAP.';
  } else {
    none.textContent = session.reads ? 'Nothing yet. Events are shown as they happen.' : DENIED;
  }
  state.hidden = streams.length === 0;
  none.hidden = list.childElementCount > 0;
}

const DENIED = 'Your role may read nothing here, and so no events. ';

/** Follows a stream until the view is left; returns what opens it again. */
function stream({ name, open, read: readEvent, back, take, told, signal }) {
  let source = null;
  let wait = 1000;
  let timer = 0;
  signal.addEventListener('abort', () => { source?.close(); clearTimeout(timer); });
  function connect() {
    source?.close();
    clearTimeout(timer);
    source = new EventSource(open());
    source.onopen = () => {
      wait = 1000;
      told(name, true);
    };
    source.onmessage = event => take(readEvent(event));
    source.onerror = () => {
      // The browser's own way back would begin at the old time again.
      source.close();
      if (signal.aborted) return;
      told(name, false);
      timer = setTimeout(again, wait);
      wait = Math.min(wait * 2, 15_000);
    };
  }
  async function again() {
    try {
      if (!await who()) {
        for (const watcher of watchers) watcher('ended');
        return;
      }
      await back();
      if (!signal.aborted) connect();
    } catch {
      timer = setTimeout(again, wait);
      wait = Math.min(wait * 2, 15_000);
    }
  }
  connect();
  return connect;
}

/** An event: {time, name, content, key}; null: it is not one. */
function eventOf({ data }) {
  let whole;
  try {
    whole = JSON.parse(data)['ietf-restconf:notification'];
  } catch {
    return null;
  }
  const { eventTime, ...rest } = whole ?? {};
  const [name, content] = Object.entries(rest)[0] ?? [];
  if (!eventTime || !name) return null;
  return { time: eventTime, name, content, key: data };
}

/** What a device has told, in the same form; its number is where the stream goes on. */
function toldOf({ data, lastEventId }) {
  next = Math.max(next, Number(lastEventId) + 1);
  let told;
  try {
    told = JSON.parse(data);
  } catch {
    return null;
  }
  return { ...told, time: new Date(told.time).toISOString(), key: lastEventId + data };
}

/** Keeps an event; false: it is known, or only says that a replay is over. */
function add(event) {
  if (/:(replayComplete|notificationComplete)$/.test(event.name)) return false;
  if (known.has(event.key)) return false;
  known.add(event.key);
  // What a member of a group has told is passed on as this machine's too: the one that names the member stays.
  const twin = kept.findIndex(other => isTwin(event, other));
  if (twin >= 0 && !event.device) return false;
  if (twin >= 0) kept.splice(twin, 1)[0].node?.remove();
  kept.push(event);
  if (!event.device && (last === null || event.time > last)) last = event.time;
  if (kept.length > MOST) known.delete(kept.shift().key);
  return true;
}

const bare = name => name.slice(name.indexOf(':') + 1);
const isTwin = (one, other) => !one.device !== !other.device && bare(one.name) === bare(other.name) && Math.abs(Date.parse(one.time) - Date.parse(other.time)) < 100;

function item(event) {
  const { time, name, content, device } = event;
  const at = new Date(time);
  event.node = el('li', {}, el('time', { datetime: time, title: time }, at.toLocaleString()), ' ',
    device && session.device === null ? [el('a', { href: pageOf(device).href }, shown(device)), ' '] : null,
    el('strong', {}, shown(bare(name))), ' ', el('span', {}, shown(plain(content))));
  return event.node;
}
