// Charts of rates as they are measured. A gap is where nobody knows: the agent has started again, a counter has begun again, or there
// was no answer.

import { nodesOf, read, steps } from './data.js';
import { el, every, fill, problem, shown, si, svg, ticks } from './dom.js';
import { rate, sample } from './rates.js';

const PERIOD = 2000;
const WINDOW = 5 * 60;
const UP = 'SNMPv2-MIB:SNMPv2-MIB/system/sysUpTime';
const AGGREGATES = '/TRUNKLINE-MIB:TRUNKLINE-MIB/groupAggregateTable/groupAggregateEntry=';
const OCTETS = ['ifHCInOctets', 'ifHCOutOctets'];

/** Shows the counters of a row (`row`), or of an interface (`if`), or what is computed of a group (`group` and `aggregate`). */
export async function show(main, { query, signal }) {
  if (query.get('aggregate')) return ofAggregate(main, query, signal);
  const row = query.get('row') ?? (query.get('if') ? '/IF-MIB:IF-MIB/ifTable/ifEntry=' + query.get('if') : null);
  if (row === null) return choose(main, signal);
  const nodes = await nodesOf(row);
  const entry = nodes?.at(-1);
  const counters = (entry?.c ?? []).filter(child => /Counter(Based)?(Gauge)?(32|64)$/.test(child.t ?? '') && !child.m);
  if (counters.length === 0) return fill(main, problem('There are no counters here.'));
  const isInterface = row.startsWith('/IF-MIB:IF-MIB/ifTable/ifEntry=');
  const wanted = query.get('of')?.split(',') ?? (isInterface ? OCTETS : counters.slice(0, 2).map(it => it.n));
  const chosen = counters.filter(it => wanted.includes(it.n));
  const lines = chosen.map((node, at) => new Line(node, at, isInterface && /Octets$/.test(node.n)));
  const name = el('span', {}, steps(row).at(-1).keys.join(', '));
  const fields = chosen.map(it => it.n).join(';') + (isInterface ? ';ifName;ifCounterDiscontinuityTime' : '');
  return follow(main, signal, lines, {
    title: ['Rates of ', name], source: el('a', { href: '#/data' + row }, 'All its values'), more: pick(counters, chosen, row), label: 'Counter',
    measure: async at => {
      const [values, up] = await measure(row, fields, signal);
      if (values?.ifName) name.textContent = shown(values.ifName);
      for (const line of lines) line.add(values?.[line.node.n], up, values?.ifCounterDiscontinuityTime, at);
      return values === null ? 'This row is not there now.' : '';
    },
  });
}

/** What is computed of a group: a number that rises and falls. A rate is one already, and was made where its counters were read. */
async function ofAggregate(main, query, signal) {
  const [group, aggregate] = [query.get('group') ?? '', query.get('aggregate')];
  const row = AGGREGATES + encodeURIComponent(group) + ',' + encodeURIComponent(aggregate);
  const line = new Line({ n: aggregate }, 0, false);
  return follow(main, signal, [line], {
    title: [shown(aggregate), ' of ', shown(group)], source: [el('a', { href: '#/groups/' + encodeURIComponent(group) }, 'The group'), ' ', el('a', { href: '#/data' + row }, 'All its values')],
    more: null, label: 'Aggregate',
    measure: async at => {
      const json = await read(row + '?fields=groupAggregateText;groupAggregateUnits;groupAggregateMissing;groupAggregateAge', { signal });
      const values = json === null ? null : [Object.values(json)[0]].flat()[0];
      const text = values?.groupAggregateText ?? '';
      line.unit = shown(values?.groupAggregateUnits ?? '');
      line.push(text === '' || !Number.isFinite(Number(text)) ? null : Number(text), at);
      if (values === null) return 'This aggregate is not there now.';
      const missing = values.groupAggregateMissing ?? 0;
      return 'Measured ' + (values.groupAggregateAge === undefined ? 'never' : ticks(values.groupAggregateAge / 10) + ' ago') + (missing > 0 ? '; ' + missing + ' values are missing.' : '.');
    },
  });
}

/** Draws lines as they grow, until the view is left. `measure` adds to them, and returns what is to be said about it. */
async function follow(main, signal, lines, { title, source, more, label, measure }) {
  const note = el('p', { role: 'status', class: 'about' });
  const pause = el('button', { 'aria-pressed': 'false', onclick: () => {
    const isPaused = pause.getAttribute('aria-pressed') === 'true';
    pause.setAttribute('aria-pressed', String(!isPaused));
    pause.textContent = isPaused ? 'Pause' : 'Go on';
  } }, 'Pause');
  const plot = el('div', { class: 'plot' });
  const legend = el('table', { class: 'legend' });
  fill(main, el('h1', {}, title), el('p', { class: 'buttons' }, pause, ' ', source), note, plot,
    el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'The same in numbers' }, legend), more);
  await every(PERIOD, signal, async () => {
    if (pause.getAttribute('aria-pressed') === 'true') return;
    const at = Date.now();
    try {
      note.textContent = await measure(at);
    } catch (error) {
      note.textContent = error.message;
      for (const line of lines) line.push(null, at);
    }
    if (signal.aborted) return;
    draw(plot, lines, at);
    fill(legend, el('thead', {}, el('tr', {}, ['', label, 'Now', 'Mean', 'Most'].map((it, at) => el('th', { scope: 'col', class: at > 1 ? 'number' : null }, it)))),
      el('tbody', {}, lines.map(line => line.summary())));
  });
}

/** The counters, and the agent's clock. */
async function measure(row, fields, signal) {
  const [values, system] = await Promise.all([
    read(row + '?fields=' + fields, { signal }),
    read('/' + UP, { signal }),
  ]);
  const entry = values === null ? null : Object.values(values)[0];
  return [Array.isArray(entry) ? entry[0] : entry, system === null ? null : Object.values(system)[0]];
}

/** The rates of a counter, or other numbers. */
class Line {
  constructor(node, at, isBits) {
    this.node = node;
    this.at = at;
    this.factor = isBits ? 8 : 1;
    this.unit = isBits ? 'bit/s' : (node.u ? node.u + '/s' : '/s');
    this.points = [];
    this.last = null;
  }

  add(value, up, mark, at) {
    const now = value === undefined ? null : sample(value, /32$/.test(this.node.t) ? 32 : 64, up, mark, at);
    const found = now === null ? null : rate(this.last, now);
    this.last = now;
    this.push(found === null ? null : found * this.factor, at);
  }

  push(y, at) {
    this.points.push({ at, y });
    while (this.points.length > 0 && this.points[0].at < at - WINDOW * 1000) this.points.shift();
  }

  known() {
    return this.points.map(it => it.y).filter(it => it !== null);
  }

  summary() {
    const known = this.known();
    const mean = known.length === 0 ? null : known.reduce((all, it) => all + it, 0) / known.length;
    const now = this.points.at(-1)?.y ?? null;
    const cell = it => el('td', { class: 'number' }, it === null ? '–' : si(it) + this.unit);
    return el('tr', {}, el('td', {}, svg('svg', { viewBox: '0 0 24 6', class: 'key', 'aria-hidden': 'true' }, svg('path', { d: 'M0 3H24', class: 'line line' + this.at }))),
      el('th', { scope: 'row' }, this.node.n), cell(now), cell(mean), cell(known.length === 0 ? null : Math.max(...known)));
  }
}

const HEIGHT = 260;
const LEFT = 84;
const BOTTOM = 22;

function draw(plot, lines, now) {
  // In pixels, so that the text has its size on every screen.
  const width = Math.max(280, plot.clientWidth);
  const minutes = width < 500 ? [0, 2, 4] : [0, 1, 2, 3, 4, 5];
  const known = lines.flatMap(line => line.known());
  const most = nice(Math.max(1, ...known));
  const least = Math.min(0, ...known) < 0 ? -nice(-Math.min(...known)) : 0;
  const x = at => LEFT + (width - LEFT - 8) * (1 - (now - at) / (WINDOW * 1000));
  const y = value => HEIGHT - BOTTOM - (HEIGHT - BOTTOM - 10) * (value - least) / (most - least);
  const grid = [0, 0.25, 0.5, 0.75, 1].map(it => least + it * (most - least)).map(it => [
    svg('path', { d: 'M' + LEFT + ' ' + y(it) + 'H' + (width - 8), class: 'grid' }),
    svg('text', { x: LEFT - 6, y: y(it) + 4, 'text-anchor': 'end' }, si(it) + unitOf(lines))]);
  const times = minutes.map(it => svg('text', { x: x(now - it * 60_000), y: HEIGHT - 6, 'text-anchor': it === 0 ? 'end' : 'middle' },
    it === 0 ? 'now' : '−' + it + ' min'));
  const paths = lines.map(line => svg('path', { class: 'line line' + line.at, d: path(line.points, x, y) }));
  fill(plot, svg('svg', { viewBox: '0 0 ' + width + ' ' + HEIGHT, height: HEIGHT, role: 'img', 'aria-label': 'The last five minutes; the table below has them in numbers' }, grid, times, paths));
}

/** The unit at the axis: one that is short, and that of all lines. */
function unitOf(lines) {
  const [first, ...others] = lines.map(line => line.unit);
  if (first?.length <= 5 && others.every(it => it === first)) return first;
  return lines.every(line => line.unit.endsWith('/s')) ? '/s' : '';
}

function path(points, x, y) {
  let out = '';
  let isOpen = false;
  for (const point of points) {
    if (point.y === null) isOpen = false;
    else {
      out += (isOpen ? 'L' : 'M') + x(point.at).toFixed(1) + ' ' + y(point.y).toFixed(1) + (isOpen ? '' : 'h.1');
      isOpen = true;
    }
  }
  return out;
}

/** The next of 1, 2, 5 with some zeros. */
function nice(value) {
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map(it => it * power).find(it => it >= value);
}

function pick(counters, chosen, row) {
  const boxes = counters.map(it => el('input', { type: 'checkbox', value: it.n, checked: chosen.includes(it) }));
  return el('details', {}, el('summary', {}, 'Counters: ' + chosen.length + ' of ' + counters.length), el('form', { onsubmit: event => {
    event.preventDefault();
    const of = boxes.filter(box => box.checked).slice(0, MOST_LINES).map(box => box.value);
    location.hash = '#/chart?row=' + encodeURIComponent(row) + (of.length === 0 ? '' : '&of=' + of.join(','));
  } }, el('ul', { class: 'columns' }, counters.map((it, at) => el('li', {}, el('label', {}, boxes[at], ' ' + it.n)))), el('button', {}, 'Show these')));
}

async function choose(main, signal) {
  const json = await read('/IF-MIB:IF-MIB/ifTable/ifEntry?fields=ifName;ifDescr;ifOperStatus', { signal });
  const entries = json === null ? [] : Object.values(json)[0];
  fill(main, el('h1', {}, 'Chart'), el('p', {}, 'Choose an interface, or a row with counters in ', el('a', { href: '#/data' }, 'the data'), '.'),
    el('ul', { class: 'links' }, entries.map(it => el('li', {}, el('a', { href: '#/chart?if=' + it.ifIndex }, shown(it.ifName || it.ifDescr)), el('small', {}, ' ' + shown(it.ifOperStatus ?? ''))))));
}

const MOST_LINES = 6;
