// The frame of the page: who is logged in, which view is shown, whether the device is reached.

import { begin, hasGroups, isGone, session, watchers, who } from './data.js';
import { el, fill, named, problem, shown, titled } from './dom.js';

const views = {
  '': () => import('./overview.js'),
  data: () => import('./tree.js'),
  chart: () => import('./chart.js'),
  events: () => import('./events.js'),
  access: () => import('./access.js'),
  groups: () => import('./groups.js'),
  devices: () => import('./devices.js'),
};

const main = document.getElementById('main');
const state = document.getElementById('state');
let leave = new AbortController();

/** Says something about the connection; nothing hides it. */
function say(text, kind = '') {
  state.hidden = text === '';
  state.className = kind;
  state.textContent = text;
}

watchers.add(what => {
  if (what === 'lost') {
    say('Disconnected: the ' + (session.device ? 'manager of this device' : 'agent') + ' cannot be reached. Trying again.', 'lost');
    again();
  } else if (what === 'found') {
    say('');
  } else if (what === 'ended') {
    location.reload();
  }
});

/** Asks until there is an answer. */
function again() {
  setTimeout(async () => {
    try {
      if (!await who()) location.reload();
    } catch {
      again();
    }
  }, 2000);
}

async function route() {
  const hash = location.hash || '#/';
  if (!hash.startsWith('#/')) return;
  leave.abort();
  leave = new AbortController();
  const { signal } = leave;
  const [whole, query] = hash.slice(2).split('?');
  const at = whole.indexOf('/');
  const name = at < 0 ? whole : whole.slice(0, at);
  const rest = at < 0 ? '' : whole.slice(at);
  for (const link of document.querySelectorAll('#views a')) {
    const isHere = link.getAttribute('href') === '#/' + name;
    if (isHere) {
      titled(link.textContent, rest);
      link.setAttribute('aria-current', 'page');
    } else {
      link.removeAttribute('aria-current');
    }
  }
  await show(views[name] ?? views[''], { path: rest, query: new URLSearchParams(query ?? ''), signal });
}

async function show(load, options) {
  const { signal } = options;
  try {
    const view = await load();
    if (!signal.aborted) await view.show(main, options);
  } catch (error) {
    if (signal.aborted) return;
    fill(main, problem(error));
    // What does not answer now may do so later.
    if (isGone(error)) {
      setTimeout(() => { if (!signal.aborted) show(load, options); }, 5000);
    }
  }
}

addEventListener('hashchange', async () => {
  await route();
  main.focus({ preventScroll: true });
});

async function start() {
  begin();
  try {
    if (!await who()) {
      location.replace('login' + location.hash);
      return;
    }
  } catch (error) {
    fill(main, problem(error));
    return;
  }
  fill(document.getElementById('who'), shown(session.name), session.protected ? null : el('span', {
    class: 'mark', title: 'Over HTTP everybody on the path reads passwords and data. Use HTTPS.',
  }, ' not encrypted'));
  // A device's page leads back to all of them.
  const all = document.getElementById('devices');
  all.hidden = session.devices === 0;
  const groups = document.getElementById('groups');
  groups.hidden = !session.groups;
  if (session.device) {
    all.href = '../../../browser/#/devices';
  }
  named(session.device ?? session.system);
  // Who came with a certificate or a password in the request has nothing to log out of.
  document.querySelector('#logout button').hidden = session.token === '';
  await route();
  // A device is asked, as somebody looks at it, whether it is a manager of others.
  if (session.device) groups.hidden = !await hasGroups();
}

// What a browser kept of a page is not shown to whoever comes after a logout.
addEventListener('pageshow', event => { if (event.persisted) location.reload(); });

start();
