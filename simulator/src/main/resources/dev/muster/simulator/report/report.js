'use strict';
const {runs, headline} = JSON.parse(document.getElementById('data').textContent);
const several = runs.length > 1;
const el = id => document.getElementById(id);
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colour = i => css('--c' + (i % 6));
const dash = i => ['', '7 3', '2 3', '9 3 2 3', '4 2', '1 2'][(i + Math.floor(i / 6)) % 6];
const distinct = list => new Set(list).size;

// Files by their names alone, as long as these differ: paths of a machine mean nothing to a reader.
const brief = (() => {
  const all = [...new Set(runs.flatMap(r => [r.summary.fleet, r.summary.trace]))], last = path => path.split(/[\\/]/).pop();
  const unique = distinct(all.map(last)) === all.length;
  return path => unique ? last(path) : path;
})();
const title = run => {
  const s = run.summary, alike = runs.filter(r => r.summary.policy === s.policy && r.summary.fleet === s.fleet);
  return s.policy + (distinct(alike.map(r => r.summary.placement)) > 1 ? ' / ' + s.placement : '')
    + (several && distinct(runs.map(r => r.summary.fleet)) > 1 ? ' on ' + brief(s.fleet) : '')
    + (several && distinct(runs.map(r => r.summary.seed)) > 1 ? ', seed ' + s.seed : '');
};

// ---- Words and figures ----

function time(s) {
  if (s === null) return '–';
  if (s < 1) return s === 0 ? '0 s' : s.toFixed(2) + ' s';
  if (s < 100) return +s.toFixed(1) + ' s';
  if (s < 6000) return (s / 60).toFixed(1) + ' min';
  if (s < 172800) return (s / 3600).toFixed(1) + ' h';
  return (s / 86400).toFixed(1) + ' d';
}
const count = d3.format(',');
const amount = x => x === null ? '–' : x === 0 ? '0' : Math.abs(x) < 10 ? x.toFixed(2) : d3.format(',.0f')(x);
const percent = x => (100 * x).toFixed(1) + ' %';

function table(parent, head, rows, caption) {
  const wide = d3.select(parent).append('div').attr('class', 'wide'), t = wide.append('table');
  if (caption) t.append('caption').text(caption);
  t.append('thead').append('tr').selectAll('th').data(head).join('th').attr('scope', 'col').text(d => d);
  t.append('tbody').selectAll('tr').data(rows).join('tr')
    .selectAll('td').data(d => d).join('td').attr('class', (d, i) => i ? null : 'name').each(cell);
  wide.append('p').attr('class', 'hint screen').text('More columns to the right: scroll sideways.');
  return t;
}

// A figure and, below it, what is said of it: beside it, tables of many variants would be too wide.
function cell(content) {
  const [figure, beside] = [content].flat(), td = d3.select(this);
  td.append('span').text(figure);
  if (beside) td.append('small').text(beside);
  if (content && content.shade) td.style('background', `color-mix(in srgb, var(--shade) ${content.shade}%, transparent)`);
}

// Of nothing there is no mean: not 0.
for (const s of runs.map(run => run.summary))
  for (const of of [s, ...s.by_queue, ...s.by_size, ...s.by_user, ...s.by_model])
    for (const figures of [of.wait_s, of.queued_s, of.jct_s, of.slowdown])
      if (figures && !figures.count) for (const key of ['mean', 'p50', 'p90', 'p95', 'p99', 'max']) figures[key] = null;

function heads() {
  const s = runs[0].summary;
  document.title = 'Muster simulation: ' + brief(s.trace);
  const fleets = [...new Set(runs.map(r => `${brief(r.summary.fleet)} (${count(r.summary.nodes)} nodes, ${count(r.summary.gpus)} GPUs)`))];
  el('about').textContent = `${count(s.jobs)} jobs of ${brief(s.trace)} on ${fleets.join(', ')}; policy ${[...new Set(runs.map(r => r.summary.policy))].join(', ')}; seed ${s.seed}.`
    + (dated ? ` From ${day(start)} to ${day(new Date(+start + 1000 * d3.max(runs, r => r.summary.makespan_s)))}.` : '');
  const cut = runs.filter(r => r.summary.cut_short).map(title);
  const told = runs.flatMap(r => r.summary.warnings.map(text => several ? title(r) + ': ' + text : text));
  if (cut.length) told.unshift('Stopped before the end, so the figures cover only a part: ' + cut.join(', ') + '.');
  d3.select(el('warning')).selectAll('div').data(told).join('div').text(d => d);
}

const figures = [
  ['Utilisation', s => s.utilisation, percent, 1],
  ['Wait, mean', s => s.wait_s.mean, time, -1], ['Wait, median', s => s.wait_s.p50, time, -1],
  ['Wait, p90', s => s.wait_s.p90, time, -1], ['Wait, p95', s => s.wait_s.p95, time, -1], ['Wait, p99', s => s.wait_s.p99, time, -1],
  ['Completion time, mean', s => s.jct_s.mean, time, -1], ['Completion time, median', s => s.jct_s.p50, time, -1],
  ['Completion time, p90', s => s.jct_s.p90, time, -1], ['Completion time, p95', s => s.jct_s.p95, time, -1],
  ['Completion time, p99', s => s.jct_s.p99, time, -1],
  ['Waited in all, mean', s => s.queued_s.mean, time, -1], ['Waited in all, p95', s => s.queued_s.p95, time, -1],
  ['Slowdown, mean', s => s.slowdown.mean, amount, -1], ['Slowdown, median', s => s.slowdown.p50, amount, -1],
  ['Slowdown, p90', s => s.slowdown.p90, amount, -1], ['Slowdown, p95', s => s.slowdown.p95, amount, -1],
  ['Slowdown, p99', s => s.slowdown.p99, amount, -1],
  ['Makespan', s => s.makespan_s, time, -1],
  ['Preemptions', s => s.preemptions - s.node_losses, count, -1], ['Stops by lost nodes', s => s.node_losses, count, -1],
  ['Goodput: GPU-hours with progress, of those held', s => s.goodput, percent, 1], ['GPU-hours lost to stops, moves and restarts', s => s.lost_gpu_hours, amount, -1],
  ['GPU-hours used', s => s.gpu_hours, amount, 0], ['GPU-hours free while gangs waited', s => s.stranded_gpu_hours, amount, -1],
  ['GPU-hours free on nodes partly in use', s => s.fragmented_gpu_hours, amount, -1],
  ['Fairness between queues (Jain, 1 is even)', s => s.fairness, x => x.toFixed(3), 1],
  ['Fairness between users', s => s.fairness_users, x => x.toFixed(3), 1],
  ['Cost', s => s.cost, amount, -1], ['Cost of cloud nodes', s => s.cloud.cost, amount, -1],
  ['Cloud nodes asked for', s => s.cloud.asked, count, 0], ['Cloud nodes at one time, most', s => s.cloud.most, count, 0],
  ['Cloud node-hours', s => s.cloud.node_hours, amount, -1],
  ['Jobs done', s => s.states.done, count, 0], ['Jobs still running', s => s.states.running, count, 0],
  ['Jobs still waiting', s => s.states.waiting, count, 0], ['Jobs that can never start', s => s.states.rejected, count, 0],
  ['Jobs given up unfinished', s => s.states.unfinished, count, 0],
  ['Bound: least mean completion time', s => s.bounds.mean_jct_s, time, 0],
  ['Bound: least mean wait, GPUs shared freely', s => s.bounds.mean_wait_s, time, 0],
  ['Bound: least makespan', s => s.bounds.makespan_s, time, 0],
];

// What a mean hides: the group of jobs that waits longest at p95.
function worst(groups) {
  const w = d3.greatest(groups.filter(g => g.name !== '' && g.wait_s.p95 !== null), g => g.wait_s.p95);
  return w ? [time(w.wait_s.p95), w.name] : '–';
}

const costs = runs.some(r => r.summary.cost > 0);

function inFigures() {
  const rows = runs.map(run => {
    const s = run.summary;
    return [title(run), time(s.wait_s.mean), time(s.wait_s.p95), time(s.wait_s.p99), worst(s.by_size), worst(s.by_queue),
      time(s.jct_s.mean), percent(s.utilisation), amount(s.stranded_gpu_hours), count(s.jobs - s.states.done),
      ...costs ? [amount(s.cost), amount(s.cost_per_gpu_hour)] : []];
  });
  table(el('figures'), ['', 'wait mean', 'wait p95', 'wait p99', 'worst size (GPUs), p95', 'worst queue, p95', 'completion mean', 'use',
    'GPU-hours free while gangs waited', 'jobs not done', ...costs ? ['cost', 'per used GPU-hour'] : []], rows);
}

// Rows without any figure are left out; eight variants stand side by side.
function allFigures() {
  const first = runs[0].summary, shown = figures.filter(([, of]) => runs.some(r => of(r.summary)));
  for (let from = 0; from < runs.length; from += 8) {
    const some = runs.slice(from, from + 8);
    table(el('all'), ['', ...some.map(title)], shown.map(([name, of, show]) => [name, ...some.map(run => {
      const value = of(run.summary);
      return run === runs[0] ? show(value) : [show(value), change(value, of(first))];
    })]));
  }
  if (several) d3.select(el('all')).append('p').attr('class', 'note').text('Below a figure: its change against ' + title(runs[0]) + '.');
}

function change(value, base) {
  if (!base || value === null) return '';
  const ratio = value / base;
  if (ratio >= 2) return '× ' + d3.format(',.1f')(ratio);
  if (ratio > 0 && ratio <= .5) return '÷ ' + d3.format(',.1f')(1 / ratio);
  return Math.abs(ratio - 1) < .0005 ? '' : (ratio > 1 ? '+' : '−') + Math.abs(100 * (ratio - 1)).toFixed(1) + ' %';
}

// ---- Lines ----

// Pictures are drawn as wide as their place, and again when that changes: on a telephone, on paper.
const pictures = [];
let paper = false;
const room = node => paper ? (node.closest('.small') ? 250 : node.closest('.pair') ? 500 : 1040) : Math.max(300, node.clientWidth || 1040);
function picture(parent, heading, draw) {
  const figure = d3.select(parent).append('figure');
  if (heading) figure.append('h4').text(heading);
  const place = figure.append('div').node();
  const again = () => { place.replaceChildren(); draw(place, room(place)); };
  pictures.push(again); again();
  return figure;
}
const redrawAll = () => pictures.forEach(again => again());

function frame(place, w, height, x, y, names, yFormat) {
  const m = {t: 22, r: 14, b: 36, l: 58};
  const svg = d3.select(place).append('svg').attr('viewBox', `0 0 ${w} ${height}`).attr('role', 'img').attr('aria-label', names.label);
  svg.append('title').text(names.label);
  x.range([m.l, w - m.r]); y.range([height - m.b, m.t]);
  const ticks = names.ticks(Math.max(2, Math.floor((w - m.l) / 90)));
  svg.append('g').attr('transform', `translate(0,${height - m.b})`).call(d3.axisBottom(x).tickValues(ticks.map(t => t[0])).tickFormat((v, i) => ticks[i][1]));
  const left = d3.axisLeft(y).tickFormat(yFormat).tickSize(-(w - m.l - m.r));
  svg.append('g').attr('transform', `translate(${m.l},0)`).call(names.yTicks ? left.tickValues(names.yTicks) : left.ticks(4));
  svg.append('text').attr('x', 4).attr('y', 12).text(names.y);
  svg.append('text').attr('x', w - m.r).attr('y', height - 3).attr('text-anchor', 'end').text(names.x);
  return svg;
}

// Calendar dates where the trace has them; days since the first submission where not.
const start = new Date(runs.length ? runs[0].start : 0), dated = start.getUTCFullYear() > 1970;
const day = d3.utcFormat('%-d %b %Y');
const whenName = dated ? 'date (UTC)' : 'time since the first submission';
function when(from, to) {
  if (dated) {
    const at = s => new Date(+start + 1000 * s), form = d3.utcFormat(to - from > 3 * 86400 ? '%-d %b' : '%-d %b %H:%M');
    const whole = t => to - from <= 3 * 86400 || !t.getUTCHours();
    return n => d3.utcTicks(at(from), at(to), n).filter(whole).map(t => [(t - start) / 1000, form(t)]);
  }
  const unit = to - from > 2 * 86400 ? [86400, 'd'] : to - from > 7200 ? [3600, 'h'] : to - from > 120 ? [60, 'min'] : [1, 's'];
  return n => d3.ticks(from / unit[0], to / unit[0], n).map(v => [v * unit[0], +v.toFixed(3) + ' ' + unit[1]]);
}
const moment = s => dated ? d3.utcFormat('%-d %b %H:%M')(new Date(+start + 1000 * s)) : time(s);

const caption = (parent, text) => d3.select(parent).append('figcaption').text(text);
const line = i => path => path.attr('fill', 'none').attr('stroke', `var(--c${i % 6})`).attr('stroke-width', 1.8).attr('stroke-dasharray', dash(i));

function course() {
  const end = d3.max(runs, r => d3.max(r.picture.course.to_s) || 1);
  const queue = d3.max(runs, r => d3.max(r.picture.course.waiting_gpus)) || 0;
  const both = [['GPUs in use', 'share of those there', (c, k) => c.total_gpus[k] ? c.used_gpus[k] / c.total_gpus[k] : 0, 1, d3.format('.0%')],
    ['GPUs that waiting gangs ask for', 'GPUs', (c, k) => c.waiting_gpus[k], Math.max(10, queue), d3.format('.3~s')]];
  for (const [heading, yName, of, top, format] of both) {
    const parent = !several && top === 1 ? el('picture') : d3.select(el('course')).append('div').attr('class', several ? 'small' : null).node();
    if (several) d3.select(el('course')).insert('h3', () => parent).text(heading);
    runs.forEach(run => picture(parent, several ? title(run) : heading, (place, w) => {
      const c = run.picture.course, x = d3.scaleLinear().domain([0, end]), y = d3.scaleLinear().domain([0, top]);
      const svg = frame(place, w, several ? 150 : 210, x, y, {x: whenName, y: yName, ticks: when(0, end), label: `${heading} over time, ${title(run)}`}, format);
      const points = c.to_s.flatMap((to, k) => [[k ? c.to_s[k - 1] : 0, of(c, k)], [to, of(c, k)]]);
      svg.append('path').attr('d', d3.area().x(p => x(p[0])).y0(y(0)).y1(p => y(p[1]))(points)).attr('fill', 'var(--c0)').attr('fill-opacity', .25);
      svg.append('path').attr('d', d3.line()(points.map(p => [x(p[0]), y(p[1])]))).call(line(0));
    }));
  }
}

function legend(parent) {
  if (several) runs.forEach((run, i) => {
    const key = d3.select(parent).append('span').attr('class', 'key');
    key.append('svg').attr('aria-hidden', 'true').append('line').attr('x2', '100%').attr('y1', 3).attr('y2', 3).call(line(i)).attr('stroke-width', 3);
    key.append('span').text(title(run));
  });
}

function shares() {
  legend(el('legend'));
  for (const [id, heading, y0] of [['wait', 'Wait until the first start', 'share of jobs that started'],
    ['jct', 'Completion time', 'share of jobs that are done']]) {
    const top = Math.max(10, d3.max(runs, r => d3.max(r.picture[id], p => p[0]) || 1));
    const stops = [1, 60, 600, 3600, 21600, 86400, 604800, 2592000].filter(v => v <= top);
    picture(el('shares'), heading, (place, w) => {
      const x = d3.scaleLog().domain([1, top]).clamp(true), y = d3.scaleLinear().domain([0, 1]);
      const ticks = n => stops.filter((v, i) => (stops.length - 1 - i) % Math.ceil(stops.length / n) === 0).map(v => [v, (v === 1 ? '≤ ' : '') + time(v).replace(/\.0 /, ' ')]);
      const svg = frame(place, w, 260, x, y, {x: 'time (log scale)', y: y0, ticks, label: heading + ': the share of jobs within a time'}, d3.format('.0%'));
      runs.forEach((run, i) => {
        const steps = run.picture[id].length ? [[1, 0], ...run.picture[id], [top, 1]] : [];
        const path = steps.map(([v, share]) => [x(Math.max(1, v)), y(share)]);
        svg.append('path').attr('d', d3.line().curve(d3.curveStepAfter)(path)).call(line(i));
      });
    });
  }
}

// ---- Tables of groups ----

// The first of a list; what has no name is a group like others, unless there is no other.
function ranked(parent, head, list, most, figures) {
  if (!list.some(g => g.name !== '')) return;
  table(parent, head, list.slice(0, most).map(g => [g.name || '–', ...figures(g)]));
  if (list.length > most) d3.select(parent).append('p').attr('class', 'note').text(`${list.length - most} more are in summary.json.`);
}

function perRun(id, draw) {
  runs.forEach((run, i) => {
    if (several) d3.select(el(id)).append('h3').text(title(run));
    draw(run, d3.select(el(id)).append('div').node(), i);
  });
}

const names = list => JSON.stringify(list.map(g => [g.name, g.jobs]).sort());

function groups() {
  const kinds = [['Size in GPUs', s => s.by_size], ['Queue', s => s.by_queue], ['User', s => s.by_user], ['GPU model', s => s.by_model]]
    .filter(([word, of]) => word !== 'User' || names(of(runs[0].summary)) !== names(runs[0].summary.by_queue))
    .filter(([word, of]) => word !== 'GPU model' || of(runs[0].summary).length > 1);
  if (several) {
    kinds.forEach(([word, of]) => matrix(el('groups'), word, of));
    d3.select(el('groups')).append('p').attr('class', 'note').text('The p95 of waits, and below it their mean. The darker, the longer against the best variant of the row.');
    return;
  }
  const s = runs[0].summary;
  for (const [name, of] of kinds)
    ranked(el('groups'), [name, 'jobs', 'GPU-hours', 'share', 'wait mean', 'p50', 'p95', 'p99', 'completion mean', 'p95', 'slowdown'], of(s), 25,
      g => [count(g.jobs), amount(g.gpu_hours), percent(g.gpu_hours / (s.gpu_hours || 1)), time(g.wait_s.mean), time(g.wait_s.p50), time(g.wait_s.p95),
        time(g.wait_s.p99), time(g.jct_s.mean), time(g.jct_s.p95), amount(g.slowdown.mean)]);
  modelUse();
}

// A group of jobs in a row, variants side by side; eight in a table.
function matrix(parent, word, of) {
  const all = of(runs[0].summary).slice(0, 25).map(g => g.name);
  if (!all.some(name => name !== '')) return;
  for (let from = 0; from < runs.length; from += 8) {
    const some = runs.slice(from, from + 8);
    table(parent, [word, 'jobs', ...some.map(title)], all.map(name => {
      const groups = runs.map(run => of(run.summary).find(g => g.name === name));
      const best = d3.min(groups, g => g && g.wait_s.p95);
      return [name || '–', count((groups.find(g => g) || {jobs: 0}).jobs), ...some.map(run => {
        const g = groups[runs.indexOf(run)];
        if (!g) return '–';
        const worse = g.wait_s.p95 === null ? 0 : Math.log2((g.wait_s.p95 + 60) / ((best || 0) + 60));
        return Object.assign([time(g.wait_s.p95), time(g.wait_s.mean)], {shade: Math.round(Math.min(60, 9 * worse))});
      })];
    }));
  }
  const left = of(runs[0].summary).length - all.length;
  if (left > 0) d3.select(parent).append('p').attr('class', 'note').text(`${left} more are left out here.`);
}

// ---- Heat map and Gantt ----

function canvas(place, w, height, label) {
  const c = d3.select(place).append('canvas').attr('width', 2 * w).attr('height', 2 * height).attr('role', 'img').attr('aria-label', label).node();
  c.textContent = label;
  const g = c.getContext('2d');
  g.setTransform(2, 0, 0, 2, 0, 0);
  return [c, g];
}

const ABSENT = -1, FAILED = -2;

function heat() {
  d3.select(el('heat')).attr('class', several ? 'pair' : null);
  runs.forEach(run => {
    const h = run.picture.heat, rows = h.rows.length, steps = (h.percent[0] || []).length, end = h.step_s * steps;
    const heading = several ? title(run) : 'Share of GPUs in use' + (rows < run.summary.nodes ? ' (several nodes in a row)' : '');
    picture(el('heat'), heading, (place, w) => {
      const cell = Math.max(2, Math.min(16, (runs.length > 4 ? 120 : several ? 190 : 460) / rows)), left = w < 500 || several ? 92 : 150, height = Math.ceil(rows * cell) + 36;
      const [c, g] = canvas(place, w, height, `Share of GPUs in use, by node and time, ${title(run)}`);
      const scale = d3.scaleLinear([0, 1, 100], [css('--heat-none'), css('--heat-low'), css('--heat-high')]);
      const step = (w - left) / steps, tall = cell - (cell > 6 ? 1 : 0);
      h.percent.forEach((line, r) => line.forEach((v, k) => {
        if (v === ABSENT) return;
        g.fillStyle = v === FAILED ? css('--failed') : scale(Math.min(100, v));
        g.fillRect(left + k * step, r * cell, step + .5, v === FAILED ? Math.max(1, tall / 2) : tall);
      }));
      axes(g, left, rows * cell + 2, w, d3.scaleLinear([0, end], [left, w]));
      labels(g, h.rows, left, r => r * cell, cell);
      c.addEventListener('mousemove', e => {
        const [px, py] = d3.pointer(e, c), f = w / c.clientWidth;
        const r = Math.floor(py * f / cell), k = Math.floor((px * f - left) / step), v = h.percent[r] && h.percent[r][k];
        tip(e, v === undefined ? '' : `${h.rows[r]}, ${moment(k * h.step_s)}: ` + (v === ABSENT ? 'not there' : v === FAILED ? 'failed or in maintenance' : v + ' % in use'));
      });
      c.addEventListener('mouseleave', e => tip(e, ''));
    });
  });
  const all = runs.flatMap(run => run.picture.heat.percent.flat()), told = d3.select(el('heatkey'));
  told.append('span').text('GPUs in use, by node and time: from idle ');
  told.append('i').attr('class', 'scale'); // words for it would be wrong on a dark page, where full is pale
  told.append('span').text(' to full.');
  if (all.includes(FAILED)) { told.append('i').attr('class', 'failed'); told.append('span').text(' half a row high: failed or in maintenance.'); }
  if (all.includes(ABSENT)) { told.append('i').attr('class', 'absent'); told.append('span').text(' empty: a cloud node that is not there.'); }
}

function labels(g, names, left, y, cell) {
  g.fillStyle = css('--soft'); g.font = '10px system-ui, sans-serif'; g.textBaseline = 'middle'; g.textAlign = 'right';
  const every = Math.ceil(12 / cell), most = Math.floor((left - 6) / 5.6);
  names.forEach((n, r) => { if (r % every === 0) g.fillText(n.length > most ? '…' + n.slice(1 - most) : n, left - 6, y(r) + cell / 2); });
}

function axes(g, left, y, w, x) {
  g.fillStyle = css('--soft'); g.font = '11px system-ui, sans-serif'; g.textBaseline = 'top'; g.textAlign = 'center';
  const [from, to] = x.domain();
  when(from, to)(Math.max(2, Math.floor((w - left) / 90))).forEach(([v, text]) => {
    const at = x(v);
    g.fillRect(at, y, 1, 3);
    if (at > left + 16 && at < w - 16) g.fillText(text, at, y + 4);
  });
  g.textAlign = 'right';
  g.fillText(whenName, w - 2, y + 18);
}

// Of several variants one is drawn when it is opened: eight would be eight screens, and eight pages of paper.
function gantt() {
  runs.forEach((run, i) => {
    if (!several) return picture(el('gantt'), null, (place, w) => ganttOf(run, place, w));
    const more = d3.select(el('gantt')).append('details').attr('class', 'screen');
    more.append('summary').text(title(run));
    more.on('toggle', () => { if (more.node().open && !more.select('figure').node()) picture(more.node(), null, (place, w) => ganttOf(run, place, w)); });
  });
}

function ganttOf(run, place, w) {
  const ga = run.picture.gantt, left = w < 500 ? 92 : 150;
  const row = Math.max(6, Math.min(40, 560 / Math.max(1, ga.nodes.length))), height = Math.ceil(row * ga.nodes.length) + 36;
  const [c, g] = canvas(place, w, height, `Which job was on which node when, ${title(run)}; +, -, the arrows and 0 zoom and move it`);
  c.tabIndex = 0;
  caption(place, `${count(ga.stays)} of ${count(ga.all_stays)} stays of jobs on nodes, ${count(ga.nodes.length)} of ${count(ga.all_nodes)} nodes`
    + (ga.stays < ga.all_stays ? '; those that used most GPU time.' : '.') + ' Colours only tell neighbours apart.');
  const base = d3.scaleLinear([0, ga.end_s || 1], [left, w]);
  let x = base.copy();
  const draw = () => {
    g.clearRect(0, 0, w, height);
    g.fillStyle = css('--heat-none');
    ga.nodes.forEach((n, r) => g.fillRect(left, r * row, w - left, row - 1));
    g.save(); g.beginPath(); g.rect(left, 0, w - left, row * ga.nodes.length); g.clip();
    const colours = [0, 1, 2, 3, 4, 5].map(colour);
    for (const [r, lane, wide, from, to, job] of ga.bars) {
      const px = x(from), long = Math.max(.7, x(to) - px);
      if (px > w || px + long < left) continue;
      const unit = (row - 1) / Math.max(1, ga.gpus[r]);
      g.fillStyle = colours[(job * 7 + (job >> 3)) % 6];
      g.globalAlpha = .55 + .4 * ((job * 13) % 5) / 5;
      g.fillRect(px, r * row + lane * unit, Math.max(.5, long - (long > 3 ? .8 : 0)), Math.max(1, wide * unit - (unit > 2 ? .5 : 0)));
    }
    g.restore(); g.globalAlpha = 1;
    axes(g, left, row * ga.nodes.length + 2, w, x);
    labels(g, ga.nodes, left, r => r * row, row);
  };
  draw();
  // The zoom counts pixels of the screen. One finger is left to scroll the page.
  const at = d3.select(c), scale = () => w / c.clientWidth, whole = () => at.call(zoom.transform, d3.zoomIdentity);
  const zoom = d3.zoom().scaleExtent([1, 5000]).extent(() => [[left / scale(), 0], [c.clientWidth, c.clientHeight]])
    .constrain((t, [[from], [to]]) => d3.zoomIdentity.translate(Math.max(to * (1 - t.k), Math.min(from * (1 - t.k), t.x)), 0).scale(t.k))
    .filter(e => (!e.ctrlKey || e.type === 'wheel') && !e.button && (!e.touches || e.touches.length > 1))
    .on('zoom', e => { x = d3.zoomIdentity.translate(e.transform.x * scale(), 0).scale(e.transform.k).rescaleX(base); draw(); });
  at.call(zoom).on('dblclick.zoom', whole);
  const step = pixels => at.call(zoom.translateBy, pixels / d3.zoomTransform(c).k, 0), times = factor => at.call(zoom.scaleBy, factor);
  const keys = {'+': () => times(1.5), '=': () => times(1.5), '-': () => times(1 / 1.5), ArrowLeft: () => step(100), ArrowRight: () => step(-100), 0: whole};
  c.addEventListener('keydown', e => {
    if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
    keys[e.key]();
    e.preventDefault();
  });
  c.addEventListener('mousemove', e => {
    const [px, py] = d3.pointer(e, c), f = w / c.clientWidth, t = x.invert(px * f), r = Math.floor(py * f / row);
    const lane = (py * f - r * row) / ((row - 1) / Math.max(1, ga.gpus[r] || 1));
    const hit = ga.bars.find(b => b[0] === r && t >= b[3] && t < b[4] && lane >= b[1] && lane < b[1] + Math.max(1, b[2]));
    tip(e, hit ? `${ga.jobs[hit[5]]}: ${hit[6]} GPU on ${ga.nodes[r]}, ${moment(hit[3])} to ${moment(hit[4])}` : '');
  });
  c.addEventListener('mouseleave', e => tip(e, ''));
}

function tip(event, text) {
  const t = el('tip');
  t.textContent = text; t.style.display = text ? 'block' : 'none';
  t.style.left = Math.min(innerWidth - 260, event.clientX + 14) + 'px'; t.style.top = event.clientY + 14 + 'px';
}

// ---- The rest ----

// Two columns, preemptors and victims; a band for each pair, as wide as its number of stops.
function flow(parent, flows, word) {
  const width = 1100, left = 250, right = 850, gap = 10, thick = 14;
  const column = side => d3.rollups(flows, list => d3.sum(list, f => f.stops), f => f[side]).sort((a, b) => b[1] - a[1]);
  const [by, of] = [column('by'), column('of')], rows = Math.max(by.length, of.length);
  const height = Math.max(90, 34 * rows), scale = (height - gap * (rows - 1)) / d3.sum(flows, f => f.stops);
  const place = list => { let y = 0; return new Map(list.map(([name, n]) => { const at = {y, n, used: 0}; y += n * scale + gap; return [name, at]; })); };
  const [from, to] = [place(by), place(of)];
  const shade = new Map(by.map(([name], i) => [name, `var(--c${i % 6})`]));
  const figure = d3.select(parent).append('figure').node();
  const svg = d3.select(figure).append('svg').attr('viewBox', `0 -24 ${width} ${height + 40}`).attr('role', 'img').attr('class', 'flow')
    .attr('aria-label', `Preemptors and victims, by ${word}; the table below has these figures`);
  const band = d3.area().x(p => p[0]).y0(p => p[1]).y1(p => p[2]).curve(d3.curveBumpX);
  d3.sort(flows, (a, b) => by.findIndex(e => e[0] === a.by) - by.findIndex(e => e[0] === b.by) || of.findIndex(e => e[0] === a.of) - of.findIndex(e => e[0] === b.of)).forEach(f => {
    const a = from.get(f.by), b = to.get(f.of), w = f.stops * scale, ya = a.y + a.used, yb = b.y + b.used;
    a.used += w; b.used += w;
    svg.append('path').attr('d', band([[left + thick, ya, ya + w], [right, yb, yb + w]])).attr('fill', shade.get(f.by)).attr('fill-opacity', .4)
      .attr('stroke', shade.get(f.by)).attr('stroke-width', .8)
      .append('title').text(`${f.by} preempted ${f.of} ${count(f.stops)} times; ${amount(f.lost_gpu_hours)} GPU-hours lost`);
  });
  const bars = (places, x, anchor, at) => places.forEach((p, name) => {
    svg.append('rect').attr('x', x).attr('y', p.y).attr('width', thick).attr('height', Math.max(1, p.n * scale)).attr('fill', anchor === 'end' ? shade.get(name) : 'var(--soft)');
    svg.append('text').attr('x', at).attr('y', p.y + Math.max(6, p.n * scale / 2)).attr('dy', '.35em').attr('text-anchor', anchor).text(`${name}: ${count(p.n)}`);
  });
  bars(from, left, 'end', left - 8); bars(to, right, 'start', right + thick + 8);
  svg.append('text').attr('x', left + thick).attr('y', -10).attr('text-anchor', 'end').text('preemptors, by ' + word);
  svg.append('text').attr('x', right).attr('y', -10).text('victims, by ' + word);
  caption(figure, `Preemptors and victims, by ${word}: the width of a band is the number of stops.`);
  table(parent, [`Preemptor: ${word}`, `victim: ${word}`, 'times', 'GPU-hours lost'], flows.slice(0, 20).map(f => [f.by, f.of, count(f.stops), amount(f.lost_gpu_hours)]));
  if (flows.length > 20) d3.select(parent).append('p').attr('class', 'note').text(`${flows.length - 20} rarer pairs are left out here; point at a band to see them.`);
}

function preemptions() {
  const stopped = runs.filter(run => run.summary.preemptions);
  if (!stopped.length) { d3.select(el('preemptions')).append('p').text('No job was stopped.'); return; }
  if (several) table(el('preemptions'), ['', 'jobs stopped', 'preemptions', 'stops by lost nodes', 'GPU-hours lost', 'goodput'],
    runs.map(({summary: s}, i) => [title(runs[i]), count(s.preempted_jobs), count(s.preemptions - s.node_losses), count(s.node_losses), amount(s.lost_gpu_hours), percent(s.goodput)]));
  stopped.forEach(run => {
    const s = run.summary;
    const parent = several ? d3.select(el('preemptions')).append('details').attr('class', 'screen').node() : el('preemptions');
    if (several) d3.select(parent).append('summary').text(title(run));
    else d3.select(parent).append('p').text(`${count(s.preempted_jobs)} jobs were stopped: ${count(s.preemptions - s.node_losses)} preemptions and ${count(s.node_losses)} losses of a node. ${amount(s.lost_gpu_hours)} GPU-hours were lost to that, to moves and to restarts; goodput ${percent(s.goodput)}.`);
    for (const [key, word] of [['queue', 'queue'], ['priority', 'priority'], ['size', 'size in GPUs']])
      if (run.picture.flows[key].length > 1 || key === 'queue') flow(parent, run.picture.flows[key], word);
    table(parent, ['Size in GPUs', 'jobs', 'times stopped', 'GPU-hours lost'],
      s.by_size.filter(g => g.preemptions).map(g => [g.name, count(g.jobs), count(g.preemptions), amount(g.lost_gpu_hours)]));
  });
}

// What jobs of a size held on a model, and what the fastest model that they accept would save.
function modelUse() {
  const uses = runs[0].summary.model_use;
  if (!uses.length) return;
  const known = (use, figure) => use.faster ? amount(figure) : '–';
  d3.select(el('groups')).append('h3').text('GPU-hours by size and model, and what moving would save');
  table(el('groups'), ['Size in GPUs', 'model', 'jobs', 'GPU-hours', 'completion mean', 'faster on', 'GPU-hours there', 'saved', 'idle there'],
    uses.map(u => [u.size, u.model, count(u.jobs), amount(u.gpu_hours), time(u.jct_s.count ? u.jct_s.mean : null), u.faster || '–',
      known(u, u.faster_gpu_hours), known(u, u.saved_gpu_hours), known(u, u.idle_gpu_hours)]));
}

function accounting() {
  const parent = el('accounting'), s = runs[0].summary;
  if (several) {
    const levels = s.locality.filter(l => l.gangs).map(l => l.level);
    table(parent, ['Gangs in one domain', ...levels], runs.map(run => [title(run), ...levels.map(name => {
      const l = run.summary.locality.find(each => each.level === name);
      return l ? [percent(l.one_domain), amount(l.mean_domains) + ' on average'] : '–';
    })]));
    return;
  }
  table(parent, ['Level of the fabric', 'gangs', 'domains spanned, mean', 'in one domain'],
    s.locality.map(l => [l.level, count(l.gangs), amount(l.mean_domains), percent(l.one_domain)]));
  for (const [name, list] of [['GPU model', s.usage.by_model], ['Project', s.usage.by_project]])
    ranked(parent, [name, 'GPU-hours', 'share'], list, 15, h => [amount(h.gpu_hours), percent(h.gpu_hours / (s.gpu_hours || 1))]);
  if (s.usage.budgets.length) table(parent, ['Budget', 'GPU-hours', 'used', 'consumed'],
    s.usage.budgets.map(b => [b.of + ' ' + b.name, amount(b.budget_gpu_hours), amount(b.gpu_hours), percent(b.consumed)]));
}

function assumptions() {
  const parent = d3.select(el('assumptions')), all = [...new Set(runs.flatMap(r => r.summary.assumptions))];
  const under = text => runs.filter(r => r.summary.assumptions.includes(text)).map(title).join(', ');
  const common = runs.map(title).join(', ');
  for (const [who, texts] of d3.groups(all, under).filter(([who]) => who !== common)) {
    parent.append('h3').text('Only ' + who);
    parent.append('ul').selectAll('li').data(texts).join('li').text(d => d);
  }
  parent.append('p').attr('class', 'note').text((dated ? 'Times count from ' + runs[0].start + '. ' : '') + 'The figures are those of summary.json, version ' + runs[0].summary.version + '.');
}

// ---- The verdict ----

function verdict() {
  el('answer').textContent = headline.answer;
  const tile = d3.select(el('tiles')).selectAll('div').data(headline.figures).join('div');
  tile.append('b').text(d => d.value);
  tile.append('span').text(d => d.label);
  if (headline.plot && headline.plot.points.length) plot(headline.plot);
  d3.select(el('notes')).selectAll('li').data(headline.notes).join('li').text(d => d);
  const common = runs.length ? runs[0].summary.assumptions.filter(a => runs.every(r => r.summary.assumptions.includes(a))) : headline.assumes;
  const assumes = d3.select(el('assumes'));
  assumes.append('h3').text('What it assumes');
  assumes.append('ul').selectAll('li').data(common).join('li').text(d => d);
  headline.tables.forEach(t => { const at = d3.select(el('tables')).append('section'); at.append('h2').text(t.title); table(at.node(), t.head, t.rows); });
}

// Cost against wait. Points that no other one beats in both are the frontier, and joined by a line.
function plot(p) {
  const shown = v => p.times ? time(v) : v.toFixed(2), lowest = d3.min(p.points, q => q.y), least = p.times ? Math.max(1, lowest / 4) : Math.min(1, lowest);
  const best = d3.sort(p.points.filter(q => !p.points.some(o => o.x <= q.x && o.y <= q.y && (o.x < q.x || o.y < q.y))), q => q.x);
  const xs = p.points.map(q => q.x), span = (d3.max(xs) - d3.min(xs)) || d3.max(xs) || 1;
  const whole = !p.points.some(q => q.x % 1), amountOf = d3.format(d3.max(xs) >= 10000 ? '.3~s' : whole ? ',.0f' : ',.2~f');
  picture(el('picture'), p.goal === null ? 'Cost against wait; the line joins the variants that no other one beats in both' : 'Waits by number of nodes; the dashed line is the goal', (place, w) => {
    const x = d3.scaleLinear().domain([Math.max(0, d3.min(xs) - .08 * span), d3.max(xs) + (p.goal === null && w > 500 ? .3 : .08) * span]);
    const top = Math.max(2 * least, d3.max(p.points, q => q.y), p.goal || 0), y = d3.scaleLog().domain([least, top * 1.5]).clamp(true);
    const stops = p.times ? [1, 60, 600, 3600, 21600, 86400, 604800, 2592000].filter(v => v >= least && v <= top * 1.5) : null;
    const ticks = n => d3.ticks(...x.domain(), n).filter(v => !whole || v % 1 === 0).map(v => [v, amountOf(v)]);
    const svg = frame(place, w, paper ? 170 : 300, x, y, {x: p.x, y: p.y, yTicks: stops, ticks, label: `${p.y} against ${p.x}: ` + p.points.map(q => `${q.name} ${shown(q.y)} at ${amountOf(q.x)}`).join('; ')}, v => shown(v).replace(/\.0 /, ' '));
    if (p.low !== null) svg.append('rect').attr('x', x(p.low)).attr('width', Math.max(2, x(p.high === null ? x.domain()[1] : p.high) - x(p.low)))
      .attr('y', y.range()[1]).attr('height', y.range()[0] - y.range()[1]).attr('fill', 'var(--shade)').attr('fill-opacity', .25);
    if (p.goal !== null) svg.append('line').attr('x1', x.range()[0]).attr('x2', x.range()[1]).attr('y1', y(p.goal)).attr('y2', y(p.goal)).attr('stroke', 'var(--warn)').attr('stroke-dasharray', '6 3');
    svg.append('path').attr('d', d3.line()((p.goal === null ? best : p.points).map(q => [x(q.x), y(q.y)]))).call(line(0));
    for (const q of p.points) svg.append('circle').attr('cx', x(q.x)).attr('cy', y(q.y)).attr('r', q.chosen ? 7 : 4).attr('fill', q.chosen ? 'var(--c1)' : best.includes(q) || p.goal !== null ? 'var(--c0)' : 'var(--soft)')
      .append('title').text(`${q.name}: ${shown(q.y)} at ${amountOf(q.x)}`);
    const heaps = [];
    for (const q of d3.sort(p.points, q => !q.chosen)) {
      const heap = heaps.find(h => Math.hypot(x(h[0].x) - x(q.x), y(h[0].y) - y(q.y)) < 6);
      heap ? heap.push(q) : heaps.push([q]);
    }
    nameHeaps(svg, d3.sort(heaps, h => y(h[0].y)).map(h => ({x: x(h[0].x), y: y(h[0].y), names: h.map(q => q.name), chosen: h[0].chosen})), [x.range()[0], w], y.range());
  });
}

// One label for each heap of points that lie on each other: right of it, left of it, or above. A label that finds no free
// place within 60 pixels is left out; the point's title and the tables have it.
function nameHeaps(svg, heaps, [left, right], [bottom, top]) {
  const taken = heaps.map(h => ({y: h.y + 4, from: h.x - 9, to: h.x + 9}));
  for (const h of heaps) {
    const text = svg.append('text').attr('class', h.chosen ? 'name chosen' : 'name');
    const lengthOf = n => text.text(h.names.slice(0, n).join(', ') + (n < h.names.length ? ` and ${h.names.length - n} more` : '')).node().getComputedTextLength();
    const space = Math.max(right - h.x, h.x - left) - 11;
    let n = Math.min(12, h.names.length), length = lengthOf(n); // a sweep may have thousands
    while (length > space && n > 1) length = lengthOf(--n);
    const from = [h.x + 11, h.x - 11 - length].find(x => x >= left && x + length <= right) ?? right - length;
    const free = y => y > top + 6 && y < bottom && !taken.some(o => Math.abs(o.y - y) < 12 && o.from < from + length && from < o.to);
    const y = d3.range(0, 60, 2).flatMap(d => [h.y + 4 + d, h.y + 4 - d]).find(free);
    if (y === undefined) { text.remove(); continue; }
    taken.push({y, from, to: from + length});
    text.attr('x', from).attr('y', y);
  }
}

document.body.classList.toggle('several', several);
if (headline.about) el('about').textContent = headline.about;
if (!runs.length) el('details').remove();
verdict();
if (runs.length) { heads(); inFigures(); course(); shares(); groups(); heat(); gantt(); preemptions(); accounting(); assumptions(); allFigures(); }
const hints = () => document.querySelectorAll('.wide').forEach(w => w.classList.toggle('cut', w.scrollWidth > w.clientWidth + 1));
hints();
let width = innerWidth;
addEventListener('resize', () => { if (innerWidth !== width) { width = innerWidth; redrawAll(); hints(); } });
matchMedia('screen and (prefers-color-scheme: dark)').addEventListener('change', redrawAll);
const onPaper = is => { if (paper !== is) { paper = is; redrawAll(); } };
addEventListener('beforeprint', () => onPaper(true)); // before the pages are counted
addEventListener('afterprint', () => onPaper(false));
matchMedia('print').addEventListener('change', e => onPaper(e.matches));
