// Entries of lists in the configuration: made with their keys and leaves, and removed. Both show the difference before anything is sent.

import { entryPath, plain, restconf, steps, writable, Refused } from './data.js';
import { bare, difference, encoded, field } from './tree.js';
import { el, fill, problem, shown } from './dom.js';

/** Whether entries of a list can be made and removed by who is logged in: whoever may change one of its leaves. */
export async function areChanged(path, node) {
  if (!node.w || node.k !== 'list') return false;
  const rights = await writable(steps(path)[0].module);
  return (node.c ?? []).some(child => rights.has(bare(path) + '/' + nameOf(child, path)));
}

const nameOf = (child, path) => (child.m && child.m !== steps(path).at(-1).module ? child.m + ':' : '') + child.n;

/** The form for another entry of the list at a path. */
export async function create(content, path, node) {
  const rights = await writable(steps(path)[0].module);
  const keys = node.keys ?? [];
  const isAsked = child => child.k === 'leaf' && child.w && child.t !== 'empty' && (keys.includes(child.n) || rights.has(bare(path) + '/' + nameOf(child, path)));
  const asked = (node.c ?? []).filter(isAsked).sort((one, other) => keys.includes(other.n) - keys.includes(one.n));
  const fields = asked.map(child => {
    const isKey = keys.includes(child.n);
    const input = field(child, '', { id: 'new-' + child.n, isOptional: !isKey });
    if (isKey) input.required = true;
    return { child, input };
  });
  const review = el('div', { 'aria-live': 'polite' });
  const entry = () => Object.fromEntries(fields.filter(({ input }) => input.value !== '').map(({ child, input }) => [nameOf(child, path), encoded(child, input.value)]));
  fill(content, el('h1', {}, 'New ' + shown(node.n)), el('form', { onsubmit: event => {
    event.preventDefault();
    const made = entry();
    fill(review, el('div', { class: 'difference', role: 'group', 'aria-label': 'The difference' },
      fields.filter(({ input }) => input.value !== '').map(({ child, input }) => el('p', { class: 'new' }, '+ ' + child.n + ': ', el('ins', {}, child.secret ? '••••' : shown(input.value))))),
    el('p', { class: 'buttons' }, el('button', { type: 'button', class: 'main', onclick: () => apply(made) }, 'Apply'), ' ',
      el('button', { type: 'button', onclick: () => fill(review) }, 'Cancel')));
  } }, el('table', { class: 'leaves' }, el('tbody', {}, fields.map(({ child, input }) =>
    el('tr', {}, el('th', { scope: 'row' }, el('label', { for: input.id }, child.n)), el('td', {}, input, keys.includes(child.n) ? el('small', {}, ' key') : null))))),
  el('p', { class: 'buttons' }, el('button', {}, 'Review'), ' ', el('a', { class: 'button', href: '#/data' + path }, 'Back to the list'))), review);

  async function apply(made) {
    const { module, name } = steps(path).at(-1);
    const above = path.slice(0, path.lastIndexOf('/'));
    try {
      await restconf('data' + above, { method: 'POST', body: { [module + ':' + name]: [made] } });
    } catch (error) {
      // A container that is there because of what is in it cannot be posted to before there is something.
      if (!(error instanceof Refused && error.status === 404)) return fill(review, problem(error));
      try {
        await restconf('data' + entryPath(path, keys, made), { method: 'PUT', headers: { 'If-None-Match': '*' }, body: { [module + ':' + name]: [made] } });
      } catch (second) {
        return fill(review, problem(second));
      }
    }
    location.hash = '#/data' + entryPath(path, keys, made);
    return null;
  }
}

/** What removes the entry at a path, behind a button; null if the configuration does not have it. */
export async function removal(path, node) {
  const configured = async () => {
    const { json, tag } = await restconf('data' + path + '?content=config');
    const found = Object.values(json ?? {})[0];
    return { entry: (Array.isArray(found) ? found[0] : found) ?? {}, tag };
  };
  try {
    await configured();
  } catch {
    return null;
  }
  const review = el('div', { 'aria-live': 'polite' });
  const ask = async () => {
    try {
      const { entry, tag } = await configured();
      const lines = Object.entries(entry).filter(([name]) => !name.startsWith('@')).map(([name, it]) => name + ': ' + plain(it)).join('\n');
      fill(review, difference({ n: node.n }, lines, undefined), el('p', { class: 'buttons' },
        el('button', { type: 'button', class: 'main', onclick: () => remove(tag) }, 'Apply'), ' ',
        el('button', { type: 'button', onclick: () => fill(review) }, 'Cancel')));
    } catch (error) {
      fill(review, problem(error));
    }
  };
  const remove = async tag => {
    try {
      await restconf('data' + path, { method: 'DELETE', headers: tag ? { 'If-Match': tag } : {} });
    } catch (error) {
      const words = error instanceof Refused && error.status === 412 ? 'Somebody else has changed this meanwhile. Nothing was removed.' : error;
      return fill(review, problem(words));
    }
    location.hash = '#/data' + path.slice(0, path.lastIndexOf('='));
    return null;
  };
  return el('div', {}, el('p', { class: 'buttons' }, el('button', { type: 'button', onclick: ask }, 'Remove this entry…')), review);
}
