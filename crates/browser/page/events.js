// Events as they happen. After a lost connection the stream goes on where it was, so that nothing is missing.

import { plain, read, session, streamUrl, watchers, who } from './data.js';
import { el, fill, shown } from './dom.js';

const MOST = 500;
const kept = [];
const known = new Set();
/** The device's time of the last event, or of the first connection: from there the stream goes on. */
let last = null;
/** Whether the device has lost its log meanwhile. */
let missed = false;

/** Shows those that are known, and what comes. */
export async function show(main, { signal }) {
  const state = el('p', { role: 'status', class: 'stream' }, 'Connecting…');
  const list = el('ol', { class: 'events', 'aria-live': 'polite', 'aria-relevant': 'additions' });
  const history = el('button', { onclick: () => { connect(new Date(Date.now() - 86_400_000).toISOString()); } }, 'Those of the last day');
  fill(main, el('h1', {}, 'Events'), el('p', { class: 'buttons' }, state, ' ', history), list);
  for (const event of kept) list.prepend(item(event));
  let source = null;
  let wait = 1000;
  let timer = 0;
  signal.addEventListener('abort', () => { source?.close(); clearTimeout(timer); });

  function connect(start) {
    source?.close();
    clearTimeout(timer);
    source = new EventSource(streamUrl(start));
    source.onopen = () => {
      wait = 1000;
      state.className = 'stream is-up';
      state.textContent = missed ? 'Connected. The device was started again: events of the time between may be missing.' : 'Connected';
    };
    source.onmessage = ({ data }) => {
      const event = eventOf(data);
      if (event && add(event)) list.prepend(item(event));
      while (list.childElementCount > MOST) list.lastElementChild.remove();
    };
    source.onerror = () => {
      // The browser's own way back would begin at the old time again.
      source.close();
      if (signal.aborted) return;
      state.className = 'stream is-down';
      state.textContent = 'Disconnected: events come when the device is reached again.';
      timer = setTimeout(back, wait);
      wait = Math.min(wait * 2, 15_000);
    };
  }

  async function back() {
    try {
      if (!await who()) {
        for (const watcher of watchers) watcher('ended');
        return;
      }
      const state = await read('/ietf-restconf-monitoring:restconf-state/streams');
      const stream = Object.values(state ?? {})[0]?.stream?.[0];
      missed = Date.parse(stream?.['replay-log-creation-time'] ?? '') > Date.parse(last);
      if (!signal.aborted) connect(last);
    } catch {
      timer = setTimeout(back, wait);
      wait = Math.min(wait * 2, 15_000);
    }
  }

  await who();
  if (signal.aborted) return;
  const start = last;
  last ??= session.time;
  connect(start);
}

/** An event: {time, name, content, key}; null: it is not one. */
function eventOf(data) {
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

/** Keeps an event; false: it is known, or only says that a replay is over. */
function add(event) {
  if (/:(replayComplete|notificationComplete)$/.test(event.name)) return false;
  if (known.has(event.key)) return false;
  known.add(event.key);
  kept.push(event);
  if (last === null || event.time > last) last = event.time;
  if (kept.length > MOST) known.delete(kept.shift().key);
  return true;
}

function item({ time, name, content }) {
  const at = new Date(time);
  return el('li', {}, el('time', { datetime: time, title: time }, at.toLocaleString()), ' ', el('strong', {}, shown(name.slice(name.indexOf(':') + 1))), ' ', el('span', {}, shown(plain(content))));
}
