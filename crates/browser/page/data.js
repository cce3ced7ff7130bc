// Requests: to RESTCONF of the device, and to the server of this page. All URLs are relative to where this file is, so that the
// page works below any path.

const here = new URL('.', import.meta.url);
const base = new URL('..', here);

/** Who is logged in; `devices` is how many of them may be read, `writable` how many of these may be set. */
export const session = { name: null, token: '', seconds: 0, protected: false, reads: false, writes: false, time: null, device: null, devices: 0, writable: 0, groups: false, system: '' };

/** An answer that is an error. */
export class Refused extends Error {
  constructor(status, message, path) {
    super(message);
    this.status = status;
    this.path = path;
  }
}

/** No answer: the server cannot be reached. */
export class Lost extends Error {}

/** Whether an error may be over when what is asked, or its device, is there again. */
export const isGone = error => error instanceof Lost || (error instanceof Refused && error.status >= 502);

/** Told when the server is reached, cannot be reached, or does not know the session any more. */
export const watchers = new Set();
let reached = true;
/** A device that answers nothing for so many milliseconds is not reached. */
const PATIENCE = 20_000;

function tell(what) {
  for (const watcher of watchers) watcher(what);
}

let touched = Date.now();
for (const kind of ['keydown', 'pointerdown', 'wheel', 'touchstart']) {
  addEventListener(kind, () => { touched = Date.now(); }, { passive: true });
}

async function send(url, options) {
  const headers = { ...options.headers };
  // What only reads is requested without it, as the page's own preloads, which are used only if both are alike.
  if ((options.method ?? 'GET') !== 'GET') headers['Trunkline-Token'] = session.token;
  // The session lives as long as somebody is there, not as long as the page is open.
  if (Date.now() - touched > 60_000) headers['Trunkline-Unattended'] = '1';
  let answer;
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(PATIENCE), ...(options.signal ? [options.signal] : [])]);
    answer = await fetch(url, { ...options, headers, signal, credentials: 'same-origin', redirect: 'error' });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    if (reached) tell('lost');
    reached = false;
    throw new Lost(session.device ? 'The manager of this device cannot be reached.' : 'The agent cannot be reached.');
  }
  if (!reached) tell('found');
  reached = true;
  return answer;
}

/** Asks who is logged in. */
export async function who() {
  const answer = await send(new URL('session', here), {});
  const found = await answer.json();
  const time = Date.parse(answer.headers.get('Date') ?? '');
  Object.assign(session, { token: '', seconds: 0, reads: false, writes: false, device: null, writable: 0, groups: false, system: '' }, found, { time: Number.isNaN(time) ? null : new Date(time).toISOString() });
  return session.name !== null;
}

/** A request of RESTCONF: the JSON of its answer, and its entity tag. */
export async function restconf(path, options = {}) {
  const headers = { Accept: 'application/yang-data+json', ...options.headers };
  if (options.body !== undefined) headers['Content-Type'] = 'application/yang-data+json';
  const body = options.body === undefined ? undefined : JSON.stringify(options.body);
  const answer = await send(new URL('restconf/' + path, base), { ...options, headers, body });
  const text = await answer.text().catch(() => { throw new Lost('The connection was lost in the middle of an answer.'); });
  let json = null;
  try {
    json = text === '' ? null : JSON.parse(text);
  } catch {
    throw new Refused(answer.status, 'The answer cannot be read.');
  }
  if (answer.ok) return { json, tag: answer.headers.get('ETag') };
  if (answer.status === 401) {
    tell('ended');
    throw new Refused(401, 'The session has ended.');
  }
  const error = json?.['ietf-restconf:errors']?.error?.[0];
  const refused = new Refused(answer.status, error?.['error-message'] ?? error?.['error-tag'] ?? answer.statusText, error?.['error-path']);
  // A secret, which nobody reads, has a tag nevertheless.
  refused.tag = answer.headers.get('ETag');
  throw refused;
}

/** Sets an object of a MIB module, which RESTCONF has as state: `old` is its value as it was shown, undefined if there was none. */
export async function setObject(path, old, text, octets) {
  const body = new URLSearchParams({ new: text, octets, step: 'apply' });
  if (old !== undefined) body.set('old', old);
  const answer = await send(new URL('set' + path, here), { method: 'POST', body });
  if (answer.ok) return;
  if (answer.status === 401) tell('ended');
  const json = await answer.json().catch(() => null);
  throw new Refused(answer.status, json?.message ?? answer.statusText);
}

/** Creates a row of a MIB table, with these columns: {name, text, octets}; returns the row's path. */
export async function createRow(list, columns) {
  const body = new URLSearchParams();
  for (const { name, text, octets } of columns) {
    body.set('v.' + name, text);
    if (octets) body.set('o.' + name, octets);
  }
  const answer = await send(new URL('rows' + list, here), { method: 'POST', body });
  if (answer.ok) return (await answer.json()).path;
  if (answer.status === 401) tell('ended');
  const json = await answer.json().catch(() => null);
  throw new Refused(answer.status, json?.message ?? answer.statusText);
}

/** The devices that are served here besides this machine. */
export async function devices(options) {
  const answer = await send(new URL('devices', here), options ?? {});
  if (answer.status === 401) tell('ended');
  if (!answer.ok) throw new Refused(answer.status, 'The list of devices cannot be read.');
  return answer.json();
}

/** The page of a device of that list. */
export const pageOf = name => new URL('devices/' + encodeURIComponent(name) + '/browser/', base);

/** Data of a device of that list; null if it shows nothing. */
export async function readOf(name, query, options) {
  const answer = await send(new URL('devices/' + encodeURIComponent(name) + '/restconf/data?' + query, base),
    { ...options, headers: { Accept: 'application/yang-data+json' } });
  if (answer.status === 401) tell('ended');
  if (answer.status === 404) return null;
  const json = await answer.json().catch(() => null);
  if (!answer.ok) {
    throw new Refused(answer.status, json?.['ietf-restconf:errors']?.error?.[0]?.['error-message'] ?? answer.statusText);
  }
  return json;
}

/** The data of a resource; null where there is nothing, or nothing that one may read. */
export async function read(path, options) {
  try {
    return (await restconf('data' + path, options)).json;
  } catch (error) {
    if (error instanceof Refused && error.status === 404) return null;
    throw error;
  }
}

const system = '/SNMPv2-MIB:SNMPv2-MIB/system';
let early = null;

/** Asks what the device is, as the page's head does: the first view that wants to know has it already. */
export function begin() {
  early = read(system);
  early.catch(() => {});
}

/** The group `system`: name, contact, place. */
export async function ofSystem() {
  const answer = early ?? read(system);
  early = null;
  return (await answer)?.['SNMPv2-MIB:system'] ?? {};
}

/** Whether there are groups of other agents here that one may read. */
export async function hasGroups() {
  const json = await read('/TRUNKLINE-MIB:TRUNKLINE-MIB/groupTable/groupEntry?limit=1&fields=groupName').catch(() => null);
  return json !== null && Object.values(json)[0].length > 0;
}

/** The URL of the stream of events. */
export function streamUrl(start) {
  const url = new URL('restconf/streams/NETCONF/json', base);
  if (start) url.searchParams.set('start-time', start);
  return url;
}

/** The URL of the stream of what devices have told, from a number on. */
export const happeningsUrl = from => new URL('happenings?from=' + from, here);

const parts = new Map();

async function part(name) {
  if (!parts.has(name)) {
    const load = async () => {
      const answer = await send(new URL(name, here), {});
      if (answer.status === 401) tell('ended');
      if (!answer.ok) throw new Refused(answer.status, 'The schema cannot be read.');
      return answer.json();
    };
    parts.set(name, load().catch(error => { parts.delete(name); throw error; }));
  }
  return parts.get(name);
}

/** All names, by module. */
export const index = () => part('schema');

/** The nodes of a module. */
export const moduleOf = name => part('schema/' + encodeURIComponent(name));

/** What may be done in a module, by paths without keys: the leaves that may be changed (`write`), those of them that may not be read (`blind`), and whether all of it may be read (`whole`). */
export async function rights(name) {
  const { write, blind, whole } = await part('rights/' + encodeURIComponent(name));
  return { write: new Set(write), blind: new Set(blind), whole };
}

/** Which leaves of a module may be changed, by their paths without keys. */
export const writable = async name => session.writes ? (await rights(name)).write : new Set();

/** The steps of a path of RESTCONF: {module, name, keys}. */
export function steps(path) {
  let module = '';
  return path.split('/').filter(Boolean).map(step => {
    const at = step.indexOf('=');
    const whole = at < 0 ? step : step.slice(0, at);
    const colon = whole.indexOf(':');
    if (colon >= 0) module = whole.slice(0, colon);
    const keys = at < 0 ? null : step.slice(at + 1).split(',').map(decodeURIComponent);
    return { module, name: whole.slice(colon + 1), keys, text: step };
  });
}

/** The schema's nodes of a path, from the outermost one; null where it has none. */
export async function nodesOf(path) {
  const way = steps(path);
  if (way.length === 0) return [];
  const module = await moduleOf(way[0].module);
  let nodes = module.nodes;
  const found = [];
  for (const step of way) {
    const node = nodes?.find(it => it.n === step.name && (!it.m || it.m === step.module));
    if (!node) return null;
    found.push(node);
    nodes = node.c;
  }
  return found;
}

/** An entry of a list behind the list's path. */
export function entryPath(list, keys, entry) {
  return list + '=' + keys.map(key => encodeURIComponent(plain(entry[key]))).join(',');
}

/** A value as text. */
export function plain(value) {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.every(it => it === null) ? '' : value.map(plain).join(', ');
  if (typeof value === 'object') {
    return Object.entries(value).filter(([name]) => !name.startsWith('@')).map(([name, it]) => name + ': ' + plain(it)).join('; ');
  }
  return String(value);
}
