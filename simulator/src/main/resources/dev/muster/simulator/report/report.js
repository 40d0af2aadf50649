'use strict';
const runs = JSON.parse(document.getElementById('data').textContent).runs;
const several = runs.length > 1;
const el = id => document.getElementById(id);
const css = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colour = i => css('--c' + (i % 6));
const dash = i => ['', '7 3', '2 3', '9 3 2 3', '4 2', '1 2'][(i + Math.floor(i / 6)) % 6];
const title = run => run.summary.policy + (run.summary.placement === run.summary.policy ? '' : ' / ' + run.summary.placement)
  + (several && new Set(runs.map(r => r.summary.fleet)).size > 1 ? ' on ' + run.summary.fleet : '')
  + (several && new Set(runs.map(r => r.summary.seed)).size > 1 ? ', seed ' + run.summary.seed : '');

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

function table(parent, head, rows) {
  const t = d3.select(parent).append('div').attr('class', 'wide').append('table');
  t.append('thead').append('tr').selectAll('th').data(head).join('th').attr('scope', 'col').text(d => d);
  t.append('tbody').selectAll('tr').data(rows).join('tr')
    .selectAll('td').data(d => d).join('td').attr('class', (d, i) => i ? null : 'name').each(cell);
}

// A figure and, below it, what is said of it: beside it, tables of many variants would be too wide.
function cell(content) {
  const [figure, beside] = [content].flat(), td = d3.select(this);
  td.append('span').text(figure);
  if (beside) td.append('small').text(beside);
}

// Of nothing there is no mean: not 0.
for (const s of runs.map(run => run.summary))
  for (const of of [s, ...s.by_queue, ...s.by_size, ...s.by_user])
    for (const figures of [of.wait_s, of.queued_s, of.jct_s, of.slowdown])
      if (figures && !figures.count) for (const key of ['mean', 'p50', 'p90', 'p95', 'p99', 'max']) figures[key] = null;

function heads() {
  const s = runs[0].summary;
  document.title = 'Muster simulation: ' + s.trace;
  const fleets = [...new Set(runs.map(r => `${r.summary.fleet} (${count(r.summary.nodes)} nodes, ${count(r.summary.gpus)} GPUs)`))];
  el('about').textContent = `${count(s.jobs)} jobs of ${s.trace} on ${fleets.join(', ')}; policy ${runs.map(title).join(' · ')}; seed ${s.seed}.`;
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
  ['Preemptions', s => s.preemptions, count, -1], ['GPU-hours lost to stops, moves and restarts', s => s.lost_gpu_hours, amount, -1],
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

function inFigures() {
  const first = runs[0].summary;
  const rows = figures.filter(([name, of]) => !/^(Cost|Cloud)/.test(name) || runs.some(r => of(r.summary) > 0))
    .map(([name, of, show]) => [name, ...runs.map((run, i) => {
      const value = of(run.summary), base = of(first);
      const change = i && base && value !== null ? (value / base - 1) * 100 : 0;
      return [show(value), i && base && Math.abs(change) >= 0.05 ? `(${change > 0 ? '+' : '−'}${Math.abs(change).toFixed(1)} %)` : ''];
    })]);
  table(el('figures'), ['', ...runs.map(title)], rows);
  if (several) d3.select(el('figures')).append('p').attr('class', 'note').text('In brackets: the change against the first column.');
}

// ---- Lines ----

function frame(parent, height, x, y, yFormat, xTicks) {
  const width = 1100, m = {t: 8, r: 14, b: 26, l: 58};
  const w = parent.parentElement.classList.contains('pair') ? 540 : width;
  const svg = d3.select(parent).append('svg').attr('viewBox', `0 0 ${w} ${height}`).attr('role', 'img');
  x.range([m.l, w - m.r]); y.range([height - m.b, m.t]);
  svg.append('g').attr('transform', `translate(0,${height - m.b})`).call(xTicks(d3.axisBottom(x)));
  svg.append('g').attr('transform', `translate(${m.l},0)`).call(d3.axisLeft(y).ticks(5).tickFormat(yFormat).tickSize(-(w - m.l - m.r)));
  return svg;
}

function days(end) {
  const unit = end > 2 * 86400 ? [86400, 'd'] : end > 7200 ? [3600, 'h'] : end > 120 ? [60, 'min'] : [1, 's'];
  return axis => axis.tickValues(d3.ticks(0, end / unit[0], 10).map(v => v * unit[0])).tickFormat(v => +(v / unit[0]).toFixed(2) + ' ' + unit[1]);
}

const caption = (parent, text) => d3.select(parent).append('figcaption').text(text);

function course() {
  const end = d3.max(runs, r => d3.max(r.picture.course.to_s) || 1);
  const draw = (id, of, top, format, text) => {
    const x = d3.scaleLinear().domain([0, end]), y = d3.scaleLinear().domain([0, Math.max(top || 0, id === 'queue' ? 10 : 0)]);
    const svg = frame(el(id), 190, x, y, format, days(end));
    runs.forEach((run, i) => {
      const c = run.picture.course;
      const points = c.to_s.flatMap((to, k) => [[k ? c.to_s[k - 1] : 0, of(c, k)], [to, of(c, k)]]);
      svg.append('path').attr('d', d3.line()(points.map(p => [x(p[0]), y(p[1])]))).attr('fill', 'none')
        .attr('stroke', `var(--c${i % 6})`).attr('stroke-width', 1.6).attr('stroke-dasharray', dash(i));
    });
    caption(el(id), text);
  };
  draw('utilisation', (c, k) => c.total_gpus[k] ? c.used_gpus[k] / c.total_gpus[k] : 0, 1, d3.format('.0%'), 'GPUs in use, share of those that are there.');
  draw('queue', (c, k) => c.waiting_gpus[k], d3.max(runs, r => d3.max(r.picture.course.waiting_gpus)), d3.format('.3~s'), 'GPUs that waiting gangs ask for.');
  if (several) runs.forEach((run, i) => {
    const key = d3.select(el('legend')).append('span').attr('class', 'key');
    key.append('svg').append('line').attr('x2', '100%').attr('y1', 3).attr('y2', 3)
      .attr('stroke', `var(--c${i % 6})`).attr('stroke-width', 3).attr('stroke-dasharray', dash(i));
    key.append('span').text(title(run));
  });
}

function shares() {
  for (const [id, text] of [['wait', 'Wait: the share of jobs that started within this time (log scale, up to 1 s at the left).'],
    ['jct', 'Completion time: the share of jobs that were done within this time.']]) {
    const top = Math.max(10, d3.max(runs, r => d3.max(r.picture[id], p => p[0]) || 1));
    const x = d3.scaleLog().domain([1, top]).clamp(true), y = d3.scaleLinear().domain([0, 1]);
    const stops = [1, 10, 60, 600, 3600, 21600, 86400, 604800, 2592000].filter(v => v <= top);
    const svg = frame(el(id), 240, x, y, d3.format('.0%'), axis => axis.tickValues(stops).tickFormat(v => time(v).replace(/\.0 /, ' ')));
    runs.forEach((run, i) => {
      const steps = run.picture[id].length ? [[1, 0], ...run.picture[id], [top, 1]] : [];
      const path = steps.map(([v, share]) => [x(Math.max(1, v)), y(share)]);
      svg.append('path').attr('d', d3.line().curve(d3.curveStepAfter)(path)).attr('fill', 'none').attr('stroke', `var(--c${i % 6})`)
        .attr('stroke-width', 2).attr('stroke-dasharray', dash(i));
    });
    caption(el(id), text);
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

function groups() {
  perRun('groups', (run, parent) => {
    for (const [name, list] of [['Size in GPUs', run.summary.by_size], ['Queue', run.summary.by_queue], ['User', run.summary.by_user]]) {
      ranked(parent, [name, 'jobs', 'GPU-hours', 'wait mean', 'p50', 'p95', 'p99', 'completion mean', 'p95', 'slowdown'], list, 25,
        g => [count(g.jobs), amount(g.gpu_hours), time(g.wait_s.mean), time(g.wait_s.p50), time(g.wait_s.p95),
          time(g.wait_s.p99), time(g.jct_s.mean), time(g.jct_s.p95), amount(g.slowdown.mean)]);
    }
  });
}

// ---- Heat map and Gantt ----

function canvas(parent, height) {
  const c = d3.select(parent).append('canvas').attr('width', 2200).attr('height', 2 * height).node();
  const g = c.getContext('2d');
  return [c, g];
}

function heat() {
  const all = [];
  perRun('heat', (run, parent) => {
    const h = run.picture.heat, rows = h.rows.length, left = 150, cell = Math.max(3, Math.min(16, 460 / rows));
    const height = Math.ceil(rows * cell) + 22;
    const [c, g] = canvas(parent, height);
    c.setAttribute('role', 'img');
    c.setAttribute('aria-label', 'Share of GPUs in use, by node and time');
    const told = caption(parent, `Share of GPUs in use, by node${rows < run.summary.nodes ? 's (several in a row)' : ''} and time, from idle `);
    told.append('i').attr('class', 'scale'); // words for it would be wrong on a dark page, where full is pale
    told.append('span').text(' to full.');
    const draw = () => {
      const scale = d3.scaleLinear([0, 1, 100], [css('--heat-none'), css('--heat-low'), css('--heat-high')]);
      g.setTransform(2, 0, 0, 2, 0, 0);
      g.clearRect(0, 0, 1100, height);
      const step = (1100 - left) / (h.percent[0] || []).length;
      h.percent.forEach((line, r) => line.forEach((v, k) => {
        g.fillStyle = scale(Math.min(100, v));
        g.fillRect(left + k * step, r * cell, step + .5, cell - (cell > 6 ? 1 : 0));
      }));
      axes(g, left, height - 18, h.step_s * (h.percent[0] || []).length, d3.scaleLinear([0, h.step_s * (h.percent[0] || []).length], [left, 1100]));
      labels(g, h.rows, left, r => r * cell, cell);
    };
    all.push(draw); draw();
    c.addEventListener('mousemove', e => {
      const [px, py] = d3.pointer(e, c), f = 1100 / c.clientWidth;
      const r = Math.floor(py * f / cell), k = Math.floor((px * f - left) / ((1100 - left) / h.percent[0].length));
      tip(e, h.percent[r] && h.percent[r][k] !== undefined ? `${h.rows[r]}, ${time(k * h.step_s)}: ${h.percent[r][k]} % in use` : '');
    });
    c.addEventListener('mouseleave', e => tip(e, ''));
  });
  return all;
}

function labels(g, names, left, y, cell) {
  g.fillStyle = css('--soft'); g.font = '10px system-ui, sans-serif'; g.textBaseline = 'middle'; g.textAlign = 'right';
  const every = Math.ceil(12 / cell);
  names.forEach((n, r) => { if (r % every === 0) g.fillText(n.length > 24 ? n.slice(0, 23) + '…' : n, left - 6, y(r) + cell / 2); });
}

function axes(g, left, y, end, x) {
  g.fillStyle = css('--soft'); g.strokeStyle = css('--line'); g.font = '11px system-ui, sans-serif'; g.textBaseline = 'top'; g.textAlign = 'center';
  const [from, to] = x.domain();
  const unit = to - from > 2 * 86400 ? [86400, 'd'] : to - from > 7200 ? [3600, 'h'] : to - from > 120 ? [60, 'min'] : [1, 's'];
  d3.ticks(from / unit[0], to / unit[0], 9).forEach(v => {
    const at = x(v * unit[0]);
    if (at > left + 8 && at < 1092) g.fillText(+v.toFixed(3) + ' ' + unit[1], at, y + 4);
    g.fillRect(at, y, 1, 3);
  });
}

function gantt() {
  const all = [];
  perRun('gantt', (run, parent, i) => {
    const ga = run.picture.gantt, left = 150;
    const row = Math.max(6, Math.min(40, 560 / Math.max(1, ga.nodes.length))), height = Math.ceil(row * ga.nodes.length) + 22;
    const [c, g] = canvas(parent, height);
    c.setAttribute('role', 'img'); c.setAttribute('aria-label', 'Which job was on which node when; +, -, the arrows and 0 zoom and move it');
    c.tabIndex = 0;
    caption(parent, `${count(ga.stays)} of ${count(ga.all_stays)} stays of jobs on nodes, ${count(ga.nodes.length)} of ${count(ga.all_nodes)} nodes`
      + (ga.stays < ga.all_stays ? '; those that used most GPU time.' : '.') + ' Colours only tell neighbours apart.');
    const base = d3.scaleLinear([0, ga.end_s || 1], [left, 1100]);
    let x = base.copy();
    const draw = () => {
      g.setTransform(2, 0, 0, 2, 0, 0);
      g.clearRect(0, 0, 1100, height);
      g.fillStyle = css('--heat-none');
      ga.nodes.forEach((n, r) => g.fillRect(left, r * row, 1100 - left, row - 1));
      g.save(); g.beginPath(); g.rect(left, 0, 1100 - left, height - 20); g.clip();
      const colours = [0, 1, 2, 3, 4, 5].map(colour);
      for (const [r, lane, wide, from, to, job] of ga.bars) {
        const px = x(from), w = Math.max(.7, x(to) - px);
        if (px > 1100 || px + w < left) continue;
        const unit = (row - 1) / Math.max(1, ga.gpus[r]);
        g.fillStyle = colours[(job * 7 + (job >> 3)) % 6];
        g.globalAlpha = .55 + .4 * ((job * 13) % 5) / 5;
        g.fillRect(px, r * row + lane * unit, Math.max(.5, w - (w > 3 ? .8 : 0)), Math.max(1, wide * unit - (unit > 2 ? .5 : 0)));
      }
      g.restore(); g.globalAlpha = 1;
      axes(g, left, height - 18, ga.end_s, x);
      labels(g, ga.nodes, left, r => r * row, row);
    };
    all.push(draw); draw();
    // The zoom counts pixels of the screen, the picture is 1100 wide. One finger is left to scroll the page.
    const at = d3.select(c), scale = () => 1100 / c.clientWidth, whole = () => at.call(zoom.transform, d3.zoomIdentity);
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
      const [px, py] = d3.pointer(e, c), f = 1100 / c.clientWidth, at = x.invert(px * f), r = Math.floor(py * f / row);
      const lane = (py * f - r * row) / ((row - 1) / Math.max(1, ga.gpus[r] || 1));
      const hit = ga.bars.find(b => b[0] === r && at >= b[3] && at < b[4] && lane >= b[1] && lane < b[1] + Math.max(1, b[2]));
      tip(e, hit ? `${ga.jobs[hit[5]]}: ${hit[6]} GPU on ${ga.nodes[r]}, ${time(hit[3])} to ${time(hit[4])}` : '');
    });
    c.addEventListener('mouseleave', e => tip(e, ''));
  });
  return all;
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
  perRun('preemptions', (run, parent) => {
    const s = run.summary;
    if (!s.preemptions) { d3.select(parent).append('p').text('No job was preempted.'); return; }
    d3.select(parent).append('p').text(`${count(s.preempted_jobs)} jobs were preempted ${count(s.preemptions)} times; ${amount(s.lost_gpu_hours)} GPU-hours were lost to that, to moves and to restarts.`);
    for (const [key, word] of [['queue', 'queue'], ['priority', 'priority'], ['size', 'size in GPUs']])
      if (run.picture.flows[key].length > 1 || key === 'queue') flow(parent, run.picture.flows[key], word);
    table(parent, ['Size in GPUs', 'jobs', 'times preempted', 'GPU-hours lost'],
      s.by_size.filter(g => g.preemptions).map(g => [g.name, count(g.jobs), count(g.preemptions), amount(g.lost_gpu_hours)]));
  });
}

function accounting() {
  perRun('accounting', (run, parent) => {
    const s = run.summary;
    table(parent, ['Level of the fabric', 'gangs', 'domains spanned, mean', 'in one domain'],
      s.locality.map(l => [l.level, count(l.gangs), amount(l.mean_domains), percent(l.one_domain)]));
    for (const [name, list] of [['GPU model', s.usage.by_model], ['Queue', s.usage.by_queue], ['User', s.usage.by_user], ['Project', s.usage.by_project]]) {
      ranked(parent, [name, 'GPU-hours', 'share'], list, 15, h => [amount(h.gpu_hours), percent(h.gpu_hours / (s.gpu_hours || 1))]);
    }
    if (s.usage.budgets.length) table(parent, ['Budget', 'GPU-hours', 'used', 'consumed'],
      s.usage.budgets.map(b => [b.of + ' ' + b.name, amount(b.budget_gpu_hours), amount(b.gpu_hours), percent(b.consumed)]));
  });
}

function assumptions() {
  perRun('assumptions', (run, parent) => {
    d3.select(parent).append('ul').selectAll('li').data(run.summary.assumptions).join('li').text(d => d);
    d3.select(parent).append('p').attr('class', 'note').text('Times count from ' + run.start + '. The figures are those of summary.json, version ' + run.summary.version + '.');
  });
}

heads(); inFigures(); course(); shares(); groups();
const redraw = [...heat(), ...gantt()];
preemptions(); accounting(); assumptions();
for (const media of ['screen and (prefers-color-scheme: dark)', 'print'])
  matchMedia(media).addEventListener('change', () => redraw.forEach(draw => draw()));
