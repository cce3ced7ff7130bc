// Making elements. Whatever comes from a device becomes text, never markup.

import { Lost, session } from './data.js';

/** An element with attributes, listeners (`onclick`) and children. */
export function el(tag, attributes = {}, ...children) {
  return set(document.createElement(tag), attributes, children);
}

/** The same of SVG. */
export function svg(tag, attributes = {}, ...children) {
  return set(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function set(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (name === 'value') node.value = value;
    else node.setAttribute(name, value === true ? '' : value);
  }
  node.append(...children.flat(Infinity).filter(it => it !== null && it !== undefined && it !== false));
  return node;
}

/** Replaces what is in an element. */
export function fill(node, ...children) {
  node.replaceChildren(...children.flat(Infinity).filter(it => it !== null && it !== undefined && it !== false));
  return node;
}

/** The same of what is drawn again and again: a link that has the focus keeps it. */
export function refill(node, ...children) {
  const focused = node.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
  fill(node, ...children);
  if (focused) node.querySelector('a[href="' + CSS.escape(focused) + '"]')?.focus({ preventScroll: true });
  return node;
}

/** Texts of devices may hold characters that reorder or hide what is around them. */
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A text of a device, as it can be shown. */
export const shown = text => String(text).replace(HIDDEN, it => it === '\n' || it === '\t' ? ' ' : '\ufffd');

/** A value as it can be shown: octets in base64 are text where they are some, otherwise hexadecimal. */
export function display(text, isBinary) {
  return isBinary ? octetsOf(text).text : shown(text);
}

/** Octets in base64 as text where they are some, otherwise in hexadecimal: {text, isHex}. */
export function octetsOf(base64) {
  let octets;
  try {
    octets = Uint8Array.from(atob(base64), it => it.charCodeAt(0));
    const decoded = new TextDecoder('utf-8', { fatal: true }).decode(octets);
    if (!/[\u0000-\u001f\u007f]/.test(decoded)) return { text: shown(decoded), isHex: false };
  } catch {
    if (!octets) return { text: shown(base64), isHex: false };
  }
  return { text: [...octets].map(it => it.toString(16).padStart(2, '0')).join(':'), isHex: true };
}

/** An error as a paragraph. */
export function problem(error) {
  if (!(error instanceof Error)) error = new Error(String(error));
  return el('p', { role: 'alert', class: error instanceof Lost ? 'wrong lost' : 'wrong' }, shown(error.message));
}

/** What is said of a device until it answers, which may take as long as it is given. */
export const waiting = () => session.device === null ? null : el('p', { role: 'status', class: 'about' }, 'Asking ' + shown(session.device) + '…');

const title = { view: '', name: '' };

function entitle() {
  document.title = [title.view, title.name, 'Trunkline'].filter(Boolean).map(shown).join(' – ');
}

/** Gives the page the name of what it shows. */
export function named(name) {
  document.getElementById('device').textContent = shown(name || 'Trunkline');
  title.name = name;
  entitle();
}

/** Gives the page's title the name of a view, or of the last part of what it shows there. */
export function titled(view, path) {
  const last = path.split('/').at(-1);
  title.view = last ? last.slice(last.indexOf(':') + 1) : view;
  entitle();
}

const SI = ['', 'k', 'M', 'G', 'T', 'P'];

/** A number with a prefix of the SI: 12.3 M. */
export function si(number) {
  if (number === null || number === undefined || Number.isNaN(number)) return '–';
  let at = 0;
  let value = number;
  while (Math.abs(value) >= 999.5 && at < SI.length - 1) {
    value /= 1000;
    at += 1;
  }
  const digits = value === 0 || Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2;
  return value.toFixed(at === 0 && Number.isInteger(value) ? 0 : digits) + '\u202f' + SI[at];
}

/** Octets with a binary prefix. */
export function octets(number) {
  let at = 0;
  let value = number;
  while (value >= 1024 && at < 5) {
    value /= 1024;
    at += 1;
  }
  return value.toFixed(at === 0 || value >= 100 ? 0 : 1) + '\u202f' + ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'][at];
}

/** Hundredths of a second as days, hours and minutes. */
export function ticks(value) {
  let seconds = Math.floor(Number(value) / 100);
  const out = [];
  for (const [size, name] of [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']]) {
    const count = Math.floor(seconds / size);
    seconds -= count * size;
    if (count > 0 || (size === 1 && out.length === 0)) out.push(count + '\u202f' + name);
  }
  return out.slice(0, 2).join(' ');
}

/** A moment that was told as sysUpTime, where `up` is what that is now: its time by the clock here, and how long ago it was. */
export function moment(stamp, up) {
  if (stamp === undefined || stamp === null) return '–';
  if (up === null || up === undefined) return ticks(stamp);
  const passed = (Number(up) - Number(stamp) + 2 ** 32) % 2 ** 32;
  const at = new Date(Date.now() - passed * 10);
  const isToday = at.toDateString() === new Date().toDateString();
  return el('time', { datetime: at.toISOString(), title: at.toLocaleString() }, isToday ? at.toLocaleTimeString() : at.toLocaleString(), el('small', {}, ' ' + ticks(passed) + ' ago'));
}

/** Runs something again and again until the view is left; hidden pages rest. */
export function every(milliseconds, signal, run) {
  let timer = 0;
  const step = async () => {
    if (signal.aborted) return;
    if (!document.hidden) await run();
    if (!signal.aborted) timer = setTimeout(step, milliseconds);
  };
  signal.addEventListener('abort', () => clearTimeout(timer));
  return step();
}
