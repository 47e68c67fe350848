'use strict';
// What a report can do beside being read: tables that sort and filter, charts to zoom into, flame graphs, links that
// last. All of it stands in the page without this script too; what it works on is the JSON of #memtide-data.
(() => {
  const data = JSON.parse(document.getElementById('memtide-data').textContent);

  // ---- words ----

  const words = data.words ?? {};
  const phrases = (data.phrases ?? []).map(([from, to]) => [new RegExp(`^${from.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('%s', '(.+?)').replaceAll('%d', '([\\d,]+)')}$`, 's'), to]);
  /** Says a text of this script in the language of the page; what it has no words for stays as it is. */
  const tr = (text) => {
    if (typeof text !== 'string' || Object.hasOwn(words, text)) return words[text] ?? text;
    for (const [from, to] of phrases) {
      const found = from.exec(text);
      if (found) return found.slice(1).reduce((all, part) => all.replace(/%[sd]/, () => (Object.hasOwn(words, part) ? words[part] : part)), to);
    }
    return text;
  };
  const spoken = ['aria-label', 'aria-roledescription', 'title', 'placeholder'];

  // ---- small tools ----

  /** Makes an element; a property that starts with "on" is a listener, one that is true an empty attribute. */
  const el = (tag, props = {}, ...children) => {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(props)) {
      if (k.startsWith('on')) e.addEventListener(k.slice(2), v);
      else if (v === true) e.setAttribute(k, '');
      else if (v !== false && v != null) e.setAttribute(k, spoken.includes(k) ? tr(v) : v);
    }
    e.append(...(tag === 'code' ? children : children.map(tr)));
    return e;
  };
  const status = el('p', { class: 'vh', role: 'status' });
  const say = (text) => { status.textContent = tr(text); };
  const number = (v, digits) => Math.abs(v).toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

  /** Writes a size or a count as the tables do. */
  const quantity = (v, count, plus = '') => {
    if (v == null) return '–';
    const sign = v < 0 ? '−' : v > 0 ? plus : '';
    if (count) return sign + number(v, Number.isInteger(v) ? 0 : 1);
    let step = 0;
    for (let a = Math.abs(v); a >= 1023.95 && step < units.length - 1; a /= 1024) step++;
    return `${sign}${number(v / 1024 ** step, step ? 1 : 0)} ${units[step]}`;
  };
  const duration = (s) => {
    const a = Math.abs(s);
    const [per, name] = a < 120 ? [1, 's'] : a < 7200 ? [60, 'min'] : a < 172800 ? [3600, 'h'] : [86400, 'd'];
    return `${+(s / per).toPrecision(4)} ${name}`.replace('-', '−');
  };
  const copy = async (text, what) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const box = el('textarea', { class: 'vh', 'aria-hidden': 'true' });
      box.value = text;
      document.body.append(box);
      box.select();
      document.execCommand('copy');
      box.remove();
    }
    say(`${what} copied`);
  };
  const button = (text, press, props = {}) => el('button', { type: 'button', onclick: press, ...props }, text);
  const remember = (hash) => {
    try { history.replaceState(null, '', `#${hash}`); } catch { /* some viewers forbid it */ }
  };
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const themed = [];
  dark.addEventListener('change', () => themed.forEach((f) => f()));

  // ---- tables ----

  const pageRows = 100;
  const pagedFrom = 200;
  /** A cell of CSV; one that a spreadsheet would take for a formula is disarmed. */
  const csvCell = (v) => {
    let text = String(v ?? '');
    if (typeof v !== 'number' && /^[=+\-@\t]/.test(text) && Number.isNaN(Number(text))) text = `'${text}`;
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };

  /** Sorts, filters, pages and copies the rows of a table. An item has text, keys (one a column) and nodes(). */
  class Grid {
    constructor(table, heads, items, place, caption, size = pageRows, from = pagedFrom) {
      Object.assign(this, { table, heads, items, caption, size, query: '', keep: () => true, page: 0, column: -1, down: false });
      this.tools = el('div', { class: 'tools' });
      this.count = el('span', { class: 'count' });
      this.field = el('input', { type: 'search', placeholder: 'Filter', 'aria-label': `Filter: ${caption}`, size: 16, oninput: () => { this.query = this.field.value.toLowerCase(); this.page = 0; this.draw(); this.tell(); } });
      const find = button('Filter', () => { this.field.hidden = false; find.remove(); this.field.focus(); }, { class: 'quiet', 'aria-label': `Filter: ${caption}` });
      this.field.hidden = items.length < 12;
      this.tools.append(this.count, ...(items.length < 12 ? [find] : []), this.field,
        button('Copy CSV', () => copy(this.csv(), `${this.shown().length} rows`), { class: 'quiet', 'aria-label': `Copy CSV: ${caption}` }));
      place(this.tools);
      if (items.length > from) this.addPager();
      heads.forEach((h, i) => this.addSort(h, i));
    }

    addSort(head, i) {
      if (!head.textContent.trim() || head.querySelector('.hidden')) return;
      const b = el('button', { type: 'button', class: 'sort', title: 'Sort', onclick: () => this.sort(i) });
      b.append(...head.childNodes);
      head.append(b);
    }

    addPager() {
      this.back = button('‹ Previous', () => this.turn(-1), { 'aria-label': `‹ Previous rows: ${this.caption}` });
      this.forth = button('Next ›', () => this.turn(1), { 'aria-label': `Next › rows: ${this.caption}` });
      this.where = el('span', { class: 'count' });
      this.table.parentElement.after(el('div', { class: 'tools' }, this.back, this.where, this.forth));
    }

    turn(by) { this.page += by; this.draw(); this.tell(); }
    tell() { say(this.where ? this.where.textContent : `${this.shown().length} of ${this.items.length} rows`); }

    /** The first press sorts, the next the other way round, the third as it was. Numbers begin with the greatest. */
    sort(i) {
      const numeric = this.items.some((x) => typeof x.keys[i] === 'number');
      if (this.column !== i) [this.column, this.down] = [i, numeric];
      else if (this.down === numeric) this.down = !this.down;
      else this.column = -1;
      this.heads.forEach((h, k) => (k === this.column ? h.setAttribute('aria-sort', this.down ? 'descending' : 'ascending') : h.removeAttribute('aria-sort')));
      this.page = 0;
      this.draw();
      say(this.column < 0 ? 'order as written' : `sorted by ${this.heads[i].textContent}, ${this.down ? 'descending' : 'ascending'}`);
    }

    shown() {
      let out = this.items.filter((x) => this.keep(x) && (!this.query || x.text.includes(this.query)));
      const i = this.column;
      if (i >= 0) {
        const turn = this.down ? -1 : 1;
        const by = (a, b) => {
          const [x, y] = [a.keys[i], b.keys[i]];
          const gone = (v) => (v == null || v === '' ? 1 : 0);
          if (gone(x) || gone(y)) return gone(x) - gone(y);
          return (typeof x === 'number' && typeof y === 'number' ? x - y : String(x).localeCompare(String(y), 'en', { numeric: true })) * turn;
        };
        out = out.slice().sort(by);
      }
      return out;
    }

    draw(all = false) {
      const rows = this.shown();
      const paged = this.back && !all;
      this.page = Math.max(0, Math.min(this.page, Math.ceil(rows.length / this.size) - 1));
      const from = paged ? this.page * this.size : 0;
      const part = paged ? rows.slice(from, from + this.size) : rows;
      if (this.body) this.body.replaceChildren(...part.flatMap((x) => x.nodes()));
      else {
        this.items.forEach((x) => x.nodes().forEach((n) => n.remove()));
        this.table.append(...part.flatMap((x) => x.nodes()));
      }
      this.count.textContent = rows.length < this.items.length ? tr(`${number(rows.length, 0)} of ${number(this.items.length, 0)}`) : '';
      if (!paged) return;
      this.where.textContent = tr(rows.length ? `${number(from + 1, 0)}–${number(from + part.length, 0)} of ${number(rows.length, 0)}` : 'no row fits');
      this.back.disabled = this.page === 0;
      this.forth.disabled = from + this.size >= rows.length;
    }

    /** Turns to the page of a row that is not in the document now; false if it is none of this table. */
    show(id) {
      const has = (x) => x.id === id;
      if (!this.items.some(has)) return false;
      if (!this.shown().some(has)) { this.query = this.field.value = ''; this.keep = () => true; }
      this.page = Math.floor(this.shown().findIndex(has) / this.size);
      this.draw();
      return true;
    }

    csv() {
      const kept = this.heads.map((h, i) => i).filter((i) => !this.heads[i].querySelector('.hidden'));
      const rows = [this.heads.map(rawHead), ...this.shown().map((x) => x.keys)];
      return rows.map((r) => kept.map((i) => csvCell(r[i])).join(',')).join('\r\n') + '\r\n';
    }
  }

  /** The value of a cell: the number it stands for, or its text without what is there for narrow screens only. */
  const keyOf = (cell) => {
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    return [...cell.childNodes].filter((n) => !n.classList?.contains('narrow')).map((n) => n.textContent).join(' ').replace(/\s+/g, ' ').trim();
  };
  /** The head of a column of raw values: sizes are bytes there. */
  const rawHead = (head) => {
    const unit = head.querySelector('.unit')?.textContent || '';
    const title = head.textContent.slice(0, head.textContent.length - unit.length).trim();
    const raw = unit.replace(/^([KMGTPE]i)?B\b/, 'bytes').replace(/^bytes\/.*/, 'bytes/s');
    return raw ? `${title} (${raw})` : title;
  };
  const grids = [];
  const enhance = (table) => {
    const bodies = [...table.tBodies];
    const wide = bodies.length > 1 || bodies[0]?.classList.contains('rec');
    const parts = wide ? bodies : [...(bodies[0]?.rows || [])];
    if (parts.length < 2) return;
    const items = parts.map((u) => {
      const row = wide ? u.rows[0] : u;
      return { id: row.id, text: u.textContent.toLowerCase(), keys: [...row.cells].map(keyOf), nodes: () => [u] };
    });
    const caption = document.getElementById(`${table.id}-caption`);
    const bar = el('div', { class: 'bar-of-table' });
    table.parentElement.before(bar);
    bar.append(caption);
    const grid = new Grid(table, [...table.tHead.rows[0].cells], items, (tools) => bar.append(tools), caption.textContent);
    if (!wide) grid.body = bodies[0];
    if (grid.back) grid.draw();
    grids.push(grid);
  };

  // ---- charts ----

  const unpack = (p) => {
    const out = { t: [], mid: [], lo: [], hi: [], gaps: new Set(p.gap || []) };
    let steps = 0;
    let level = 0;
    for (let i = 0; i < p.n; i++) {
      if (i) steps += p.dt[p.dt.length === 1 ? 0 : i - 1];
      level += p.mid[i];
      out.t.push(p.t0 + steps * (p.tick ?? 0.001));
      out.mid.push(p.base + level * p.q);
      out.lo.push(p.base + (level - (p.lo ? p.lo[i] : 0)) * p.q);
      out.hi.push(p.base + (level + (p.hi ? p.hi[i] : 0)) * p.q);
    }
    return out;
  };
  /** What stands at y where a rising list xs is at x, between two of them in proportion; NaN outside. */
  const between = (xs, ys, x) => {
    if (!xs?.length || x < xs[0] || x > xs[xs.length - 1]) return NaN;
    let [a, b] = [0, xs.length - 1];
    while (b - a > 1) { const m = (a + b) >> 1; if (xs[m] > x) b = m; else a = m; }
    return xs[b] > xs[a] && b > a ? ys[a] + ((x - xs[a]) / (xs[b] - xs[a])) * (ys[b] - ys[a]) : ys[a];
  };

  /**
   * Where the lines of all charts are laid on one another: start, end, iteration:5 or mark:NAME; or the axis counts iterations
   * in place of time. A chart that cannot keeps the way it is drawn in the file.
   */
  const alignment = { at: data.align || 'start', charts: new Set() };
  const alignAll = (at) => {
    if (alignment.at === at) return;
    alignment.at = at;
    alignment.charts.forEach((p) => p.realign());
  };
  const alignHash = () => (alignment.at === (data.align || 'start') ? '' : `&align=${encodeURIComponent(alignment.at)}`);
  const inks = ['#4f83c2', '#d9772b', '#3d9166', '#a06cc0', '#cf5a45', '#7d93ad', '#b5973a', '#4aa3a3'];
  const nearest = (t, x, from = 0, to = t.length - 1) => {
    let [a, b] = [from, to];
    while (b - a > 1) { const m = (a + b) >> 1; if (t[m] > x) b = m; else a = m; }
    return x - t[a] <= t[b] - x ? a : b;
  };

  /** A chart that can be zoomed and measured, in place of the drawing of its figure. */
  class Plot {
    constructor(figure, spec) {
      Object.assign(this, { figure, spec, log: false, off: new Set(), range: null, cursor: -1 });
      this.lines = spec.lines.map((l) => ({ ...l, ...(l.t ? {} : unpack(l)), anchors: data.anchors?.[l.anchors - 1] }));
      this.points = this.choices();
      this.at = this.able(alignment.at);
      this.measure();
      this.box = el('div', { class: 'live', tabindex: 0, role: 'application', 'aria-roledescription': 'chart', 'aria-label': `${spec.title}. Left and right move along the line, with shift they select, z zooms to the selection, plus and minus zoom, Escape shows all.`, onkeydown: (e) => this.key(e) });
      this.out = el('output', { 'aria-label': `Selection in ${spec.title}` }, this.hint());
      this.tools = this.bar();
      const caption = figure.querySelector('figcaption');
      caption.after(this.box, this.tools, this.out);
      figure.classList.add('on');
      this.chart = echarts.init(this.box, null, { renderer: 'canvas' });
      this.chart.on('brushEnd', (e) => this.select(e.areas[0]?.coordRange));
      this.chart.on('datazoom', () => this.zoomed());
      this.draw();
      new ResizeObserver(() => this.chart.resize()).observe(this.box);
      themed.push(() => this.draw());
      alignment.charts.forEach((p) => { if (!p.figure.isConnected) alignment.charts.delete(p); });
      alignment.charts.add(this);
    }

    // ---- where the lines are laid on one another ----

    /** What all lines have in common to be aligned at: marks, and a range of iterations. */
    choices() {
      const lines = this.lines.filter((l) => l.side !== 'trend');
      const has = lines.map((l) => l.anchors ?? {});
      const marks = (has[0]?.marks ?? []).map(([name]) => name).filter((name) => has.every((a) => a.marks?.some(([other]) => other === name)));
      const first = Math.max(...has.map((a) => a.n?.[0] ?? Infinity));
      const last = Math.min(...has.map((a) => a.n?.[a.n.length - 1] ?? -Infinity));
      const ends = lines.map((l) => this.end(l));
      return { marks, first, last, ends: lines.length > 1 && Math.max(...ends) - Math.min(...ends) > 0.01 * Math.max(...ends) };
    }

    /** A way to align, or that of the file if the lines do not have what it takes. */
    able(at) {
      const { marks, first, last } = this.points;
      const [, kind, rest] = /^(\w+):?(.*)$/s.exec(at) ?? [];
      const good = { start: true, end: true, mark: marks.includes(rest), iteration: Number(rest) >= first && Number(rest) <= last, iterations: last > first }[kind];
      return good ? at : data.align || 'start';
    }

    /** The time of a line that stands at 0. */
    zero(l) {
      if (l.side === 'trend') return this.zero(this.lines[0]);
      if (this.at === (data.align || 'start')) return 0;
      const [, kind, rest] = /^(\w+):?(.*)$/s.exec(this.at);
      if (kind === 'end') return l.t[l.n - 1];
      if (kind === 'mark') return l.anchors.marks.find(([name]) => name === rest)[1];
      if (kind === 'iteration') return between(l.anchors.n, l.anchors.t, Number(rest));
      return l.began ?? 0;
    }

    /** What stands at 0 in words; empty for the start of each run. */
    zeroText() {
      if (this.at === (data.align || 'start')) return this.spec.zero || '';
      const [, kind, rest] = /^(\w+):?(.*)$/s.exec(this.at);
      return { end: tr('end'), mark: rest, iteration: tr(`iteration ${rest}`) }[kind] ?? '';
    }

    get counted() { return this.at === 'iterations' ? 'iteration' : this.spec.per === 'sample' ? 'sample' : ''; }

    /** The places of a line on the axis; what lies before the first iteration or behind the last has none. */
    lay(l) {
      const a = (l.side === 'trend' ? this.lines[0] : l).anchors;
      const zero = this.at === 'iterations' ? 0 : this.zero(l);
      l.xs = l.t.map((t) => (this.at === 'iterations' ? between(a.t, a.n, t) : (t - zero) / this.per));
      l.from = Math.max(0, l.xs.findIndex((x) => !Number.isNaN(x)));
      l.to = Math.max(l.from, l.xs.findLastIndex((x) => !Number.isNaN(x)));
    }

    /** Lays out all lines and chooses the unit of the axis. */
    measure() {
      this.per = 1;
      this.time = '';
      this.lines.forEach((l) => this.lay(l));
      const xs = this.lines.flatMap((l) => [l.xs[l.from], l.xs[l.to]]).filter((x) => !Number.isNaN(x));
      this.span = Math.max(...xs) - Math.min(...xs);
      if (this.counted) return;
      if (this.spec.per) {
        const [per, prefix] = [[1e3, 'T'], [1, 'G'], [1e-3, 'M'], [1e-6, 'k'], [1e-9, '']].find(([p]) => this.span >= p) ?? [1e-9, ''];
        [this.per, this.time] = [per, this.spec.per === 'GB allocated' ? `${prefix}B` : tr(`${prefix}${prefix ? ' ' : ''}instructions`)];
      } else [this.per, this.time] = this.span <= 120 ? [1, 's'] : this.span <= 7200 ? [60, 'min'] : this.span <= 172800 ? [3600, 'h'] : [86400, 'd'];
      this.lines.forEach((l) => this.lay(l));
      this.span /= this.per;
    }

    /** A place on the axis in words, or a length of it. */
    place(x) {
      const v = +x.toPrecision(4);
      if (this.counted) return tr(`${this.counted} ${v}`.replace('-', '−'));
      const text = this.spec.per ? `${v} ${this.time}`.replace('-', '−') : duration(x * this.per);
      return this.zeroText() ? tr(`${text} from ${this.zeroText()}`) : text;
    }
    when(x) { return tr(`at ${this.place(x)}`); }
    length(d) {
      if (this.counted) return tr(`${+d.toPrecision(4)} ${this.counted}s`);
      return this.spec.per ? `${+d.toPrecision(4)} ${this.time}` : duration(d * this.per);
    }

    /** What the axis shows, in words: from where to where each line goes, and the marks. */
    axisText() {
      const bare = (x) => (this.counted ? `${+x.toPrecision(4)}` : this.spec.per ? `${+x.toPrecision(4)} ${this.time}` : duration(x * this.per)).replace('-', '−');
      const ends = this.lines.filter((l) => l.side !== 'trend').map((l) => tr(`${l.label.slice(0, 60)} from ${bare(l.xs[l.from])} to ${bare(l.xs[l.to])}`));
      const crossed = this.lines.flatMap((l) => this.marks(l, -1).map((m) => `${m.name} ${bare(m.x)}`));
      const what = this.at === 'iterations' ? tr('the axis counts iterations') : tr(`aligned at ${this.zeroText() || tr('start')}`);
      return [what, ...ends, ...new Set(crossed)].join('; ');
    }

    aligner() {
      const { marks, first, last, ends } = this.points;
      const options = [['start', 'start'], ...(ends || this.at === 'end' ? [['end', 'end']] : []), ...(first <= last ? [['iteration', 'iteration …']] : []), ...marks.map((m) => [`mark:${m}`, `mark ${m.slice(0, 40)}`]),
        ...(first < last ? [['iterations', 'every iteration']] : [])];
      if (options.length < 2) return [];
      this.choice = el('select', { 'aria-label': `Align at: ${this.spec.title}`, onchange: () => this.align() }, ...options.map(([v, t]) => el('option', { value: v }, t)));
      this.which = el('input', { type: 'number', 'aria-label': `Iteration to align at: ${this.spec.title}`, min: first, max: last, step: 1, value: first, onchange: () => this.align() });
      this.chosen();
      return [el('label', {}, el('span', {}, 'Align at'), ' ', this.choice, this.which)];
    }

    /** Shows in the controls what is so. */
    chosen() {
      if (!this.choice) return;
      const [, kind, rest] = /^(\w+):?(.*)$/s.exec(this.at);
      this.choice.value = kind === 'mark' ? this.at : kind;
      this.which.hidden = kind !== 'iteration';
      if (kind === 'iteration') this.which.value = rest;
    }

    /** Aligns all charts as this one's controls say. */
    align() {
      const { first, last } = this.points;
      const n = Math.min(last, Math.max(first, Math.round(Number(this.which.value)) || 0));
      alignAll(this.choice.value === 'iteration' ? `iteration:${n}` : this.choice.value);
      this.chosen();
      if (this.figure.id) remember(`${this.figure.id}${alignHash()}`);
      say(this.axisText());
    }

    /** Lays the lines out anew. What was zoomed or selected is another place now. */
    realign() {
      const at = this.able(alignment.at);
      if (at === this.at) return;
      this.at = at;
      this.cursor = -1;
      this.anchor = undefined;
      this.measure();
      this.chosen();
      this.draw(false);
      this.clear();
    }

    bar() {
      const toggle = (text, press, on = false) => {
        const b = button(text, () => { b.setAttribute('aria-pressed', String(press())); }, { 'aria-pressed': String(on) });
        return b;
      };
      this.into = button('Zoom to selection', () => this.zoom(...this.range), { disabled: true });
      const bar = el('div', { class: 'tools', role: 'group', 'aria-label': `Controls of ${this.spec.title}` }, this.into, button('Whole', () => this.whole()),
        toggle('Log', () => { this.log = !this.log; this.draw(); return this.log; }));
      bar.append(...this.aligner());
      if (this.lines.length > 1 && !this.spec.small) {
        for (const l of this.lines) {
          const b = toggle(l.side || (l.label === this.spec.title ? 'samples' : l.label.slice(0, 40)), () => { this.off.has(l) ? this.off.delete(l) : this.off.add(l); this.draw(); return !this.off.has(l); }, true);
          const swatch = el('span', { class: 'ink' });
          swatch.style.background = l.colour;
          b.prepend(swatch);
          bar.append(b);
        }
      }
      return bar;
    }

    end(l) { return l.t[l.n - 1] - l.t[0]; }
    x(l, i) { return l.xs[i]; }
    nearestTo(l, x) { return nearest(l.xs, x, l.from, l.to); }
    y(v) { const s = v / this.spec.factor; return this.log && s <= 0 ? null : s; }
    write(v) { return `${(v / this.spec.factor).toLocaleString('en', { maximumFractionDigits: 2 })} ${this.spec.unit}`.trim().replace('-', '−'); }
    shownLines() { return this.lines.filter((l) => !this.off.has(l)); }

    draw(keep = true) {
      const [fg, muted, rule, bg] = ['--fg', '--muted', '--line', '--bg'].map(colour);
      const o = structuredClone(this.spec.option || data.sample);
      const font = { color: muted, fontSize: 11 };
      o.aria = { enabled: false };
      o.grid = { left: 8, right: 18, top: 30, bottom: this.spec.small ? 8 : 40, containLabel: true };
      Object.assign(o.xAxis[0], { min: (v) => (v.min > 0 && v.min < 0.05 * v.max ? 0 : v.min), max: 'dataMax', minInterval: this.counted ? 1 : 0, axisLabel: { ...font, formatter: (v) => this.label(v), hideOverlap: true, alignMaxLabel: 'right' }, axisLine: { lineStyle: { color: muted } }, splitLine: { show: false } });
      Object.assign(o.yAxis[0], { type: this.log ? 'log' : 'value', ...this.yRange(), axisLine: { onZero: false }, name: this.spec.unit + (this.log ? ' (log)' : ''), nameTextStyle: { ...font, align: 'left' }, axisLabel: { ...font, hideOverlap: true, formatter: (v) => (+v.toPrecision(6)).toLocaleString('en', { maximumFractionDigits: 6 }).replace('-', '−') }, splitLine: { lineStyle: { color: rule } } });
      Object.assign(o.tooltip, { renderMode: 'richText', confine: true, backgroundColor: bg, borderColor: muted, textStyle: { color: fg, fontSize: 12 }, formatter: (p) => this.tip(p) });
      o.dataZoom.forEach((z) => Object.assign(z, z.type === 'inside' ? { zoomOnMouseWheel: 'ctrl', moveOnMouseMove: false, moveOnMouseWheel: false } : { height: 16, bottom: 6, brushSelect: false, showDataShadow: false, showDetail: false, borderColor: rule, fillerColor: `${muted}33`, handleStyle: { color: bg, borderColor: muted } }));
      Object.assign(o.brush, { seriesIndex: [], brushStyle: { borderWidth: 1, color: `${muted}2b`, borderColor: muted }, throttleType: 'debounce', throttleDelay: 60, inBrush: {}, outOfBrush: { colorAlpha: 1 } });
      o.series = this.stacked ? this.stackedSeries() : this.shownLines().flatMap((l, i) => this.series(l, i, fg));
      this.finish(o, { fg, muted, font });
      const old = keep && this.chart.getOption()?.dataZoom?.[0];
      if (old) o.dataZoom.forEach((z) => Object.assign(z, { start: old.start, end: old.end }));
      this.chart.setOption(o, { notMerge: true });
      this.box.setAttribute('aria-description', this.axisText());
      if (old && (old.start > 0 || old.end < 100)) this.chart.setOption({ yAxis: this.yRange(this.chart.getOption().dataZoom[0]) });
      this.chart.dispatchAction({ type: 'takeGlobalCursor', key: 'brush', brushOption: { brushType: 'lineX', brushMode: 'single' } });
    }

    /** For charts of another kind: what they have otherwise. */
    finish() {}

    /** A label of the axis: what stands at 0 has its name. */
    label(v) {
      if (v === 0 && this.zeroText()) return this.zeroText().slice(0, 14);
      if (Math.abs(v - +v.toPrecision(3)) > 1e-9 * Math.abs(v) && !this.counted) return '';
      if (v === 0 && this.spec.per && !this.counted) return '0'; // its unit would not fit there
      return this.counted ? tr(`${this.counted} ${+v.toPrecision(6)}`) : `${+v.toPrecision(3)} ${this.time}`.replace('-', '−');
    }

    /** Marks of a line as lines across the chart, and with the first line what stands at 0; named where there is room. */
    marks(l, i, ink, muted) {
      const most = 8;
      const own = this.at === 'iterations' ? [] : (l.anchors?.marks ?? []).map(([name, t]) => ({ name, x: (t - this.zero(l)) / this.per, ink }));
      const all = own.length > most ? [] : own.filter((m) => m.name !== this.zeroText());
      if (i === 0 && this.zeroText()) all.push({ name: this.zeroText(), x: 0, ink: muted });
      return all.filter((m) => m.x >= Math.min(...this.lines.map((o) => o.xs[o.from])) && m.x <= Math.max(...this.lines.map((o) => o.xs[o.to])));
    }

    /** All marks of the chart in order of place, those that would stand on one another without their names. */
    named(fg, muted) {
      const all = this.shownLines().flatMap((l, i) => this.marks(l, i, l.colour === 'currentColor' ? fg : l.colour, muted)).sort((a, b) => a.x - b.x);
      let free = -Infinity;
      for (const m of all) {
        m.show = m.x >= free && !this.spec.small;
        if (m.show) free = m.x + this.span * Math.min(0.3, 0.02 + m.name.slice(0, 20).length * 0.011);
      }
      return all;
    }

    series(l, i, fg) {
      const ink = l.colour === 'currentColor' ? fg : l.colour;
      const points = [];
      l.index = [];
      for (let k = l.from; k <= l.to; k++) {
        if (Number.isNaN(this.x(l, k))) continue;
        if (l.gaps.has(k)) points.push([this.x(l, k), null]);
        l.index[k] = points.length;
        points.push([this.x(l, k), this.y(l.mid[k])]);
      }
      const line = { type: 'line', name: l.label, id: `line-${i}`, data: points, showSymbol: points.length === 1, symbolSize: 5, itemStyle: { color: ink }, lineStyle: { color: ink, width: 1.7, type: l.dash || 'solid' }, z: 3 };
      if (i === 0) {
        const muted = colour('--muted');
        line.markLine = {
          silent: true, symbol: 'none', lineStyle: { color: '#cf5a45', type: [7, 4], width: 1.4 },
          label: { position: 'insideStartTop', color: '#cf5a45', fontSize: 11, formatter: (p) => p.name },
          data: [...(this.spec.limits ?? []).map((m) => ({ name: `${m.label} ${this.write(m.value)}`, yAxis: m.value / this.spec.factor })),
            ...this.named(fg, muted).map((m) => ({ name: m.name.slice(0, 20), xAxis: m.x, lineStyle: { color: m.ink, type: [2, 3], width: 1 }, label: { show: m.show, position: 'end', rotate: 0, align: 'left', distance: [0, 3], color: muted, fontSize: 11 } }))],
        };
      }
      return l.lo.some((v, k) => v < l.hi[k]) ? [this.band(l, ink), line] : [line];
    }

    /** The band from the least to the greatest value: a shape for each piece without a gap. */
    band(l, ink, opacity = 0.16) {
      const pieces = [[]];
      for (let k = l.from; k <= l.to; k++) {
        if (l.gaps.has(k)) pieces.push([]);
        if (!Number.isNaN(this.x(l, k)) && this.y(l.lo[k]) !== null) pieces[pieces.length - 1].push(k);
      }
      const shape = (piece, api) => ({
        type: 'polygon', z2: 0, style: { fill: ink, opacity }, silent: true,
        shape: { points: [...piece.map((k) => api.coord([this.x(l, k), this.y(l.hi[k])])), ...piece.toReversed().map((k) => api.coord([this.x(l, k), this.y(l.lo[k])]))] },
      });
      const low = l.lo.filter((v) => this.y(v) !== null);
      return {
        type: 'custom', name: `${l.label} range`, silent: true, clip: true, tooltip: { show: false }, z: 1, zlevel: 0,
        renderItem: (_, api) => ({ type: 'group', children: pieces.filter((p) => p.length > 1).map((p) => shape(p, api)) }),
        encode: { x: [0, 1], y: [2, 3] }, data: [[this.x(l, l.from), this.x(l, l.to), this.y(low.reduce((a, b) => Math.min(a, b), Infinity)), this.y(l.hi.reduce((a, b) => Math.max(a, b)))]],
      };
    }

    /** One area for each part on top of the one before, on the times of the first. */
    stackedSeries() {
      const t = this.stacked[0].line.t;
      const below = t.map(() => 0);
      const out = this.stacked.flatMap((s, i) => {
        const lo = below.slice();
        t.forEach((at, k) => { below[k] += s.line.mid[nearest(s.line.t, at)]; });
        const area = { label: s.name, n: t.length, t, anchors: s.line.anchors, began: s.line.began, lo, hi: below.slice(), mid: below.slice(), gaps: new Set() };
        s.area = area;
        this.lay(area);
        return [this.band(area, inks[i % inks.length], 0.5), this.series({ ...area, lo: area.hi }, i + 1, inks[i % inks.length])[0]].map((x) => ({ ...x, lineStyle: { width: 1, color: inks[i % inks.length] } }));
      });
      return out;
    }

    /** Stacks parts, or goes back to the line; the legend says what is what. */
    stack(parts) {
      this.stacked = parts;
      this.legend?.remove();
      this.draw();
      this.out.textContent = tr(this.hint());
      if (!parts) return;
      this.legend = el('p', { class: 'links' }, ...parts.map((s, i) => {
        const swatch = el('span', { class: 'ink' });
        swatch.style.background = inks[i % inks.length];
        return el('span', {}, swatch, s.name.slice(0, 60));
      }));
      this.box.after(this.legend);
    }

    tip(params) {
      const x = params[0]?.axisValue ?? 0;
      const rows = [this.when(x)];
      if (this.stacked) {
        const at = this.nearestTo(this.stacked[0].area, x);
        this.stacked.toReversed().forEach((s) => rows.push(`${s.name.slice(0, 40)}: ${this.write(s.area.hi[at] - s.area.lo[at])}`));
        return rows.join('\n');
      }
      for (const l of this.there(x)) rows.push(this.value(l, this.nearestTo(l, x)));
      return rows.join('\n');
    }

    /** The lines that are known at a place. */
    there(x) {
      const near = 0.01 * this.span;
      return this.shownLines().filter((l) => x >= l.xs[l.from] - near && x <= l.xs[l.to] + near);
    }

    value(l, i) {
      const band = l.lo[i] < l.hi[i] ? ` (${this.write(l.lo[i])}${tr(' to ')}${this.write(l.hi[i])})` : '';
      return `${l.label.slice(0, 60)}: ${this.write(l.mid[i])}${band}`;
    }

    select(range) {
      this.range = range || null;
      if (this.stacked) range = null;
      this.into.disabled = !range;
      this.out.textContent = tr(range ? `${this.length(range[1] - range[0], range)} selected. ${this.measured(range)}` : this.hint());
    }

    hint() { return this.spec.small ? '' : 'Drag over the chart to measure a span; Ctrl and the wheel zoom.'; }

    /** Each line within a span, and how far the medians of two sides differ there. */
    measured(range) {
      const lines = this.shownLines().filter((l) => l.side !== 'trend');
      const parts = lines.map((l) => this.within(l, range)).filter(Boolean);
      const [before, after] = ['before', 'after'].map((side) => lines.find((l) => l.side === side)).map((l) => l && this.median(l, range));
      if (before != null && after != null) parts.push(tr(`medians differ by ${after > before ? '+' : ''}${this.write(after - before)}`));
      return parts.join('; ');
    }

    /** The middle value of a line within a span; null if it has none there. */
    median(l, [from, to]) {
      const values = l.mid.filter((_, i) => this.x(l, i) >= from && this.x(l, i) <= to).sort((a, b) => a - b);
      const half = values.length >> 1;
      return values.length ? (values.length % 2 ? values[half] : (values[half - 1] + values[half]) / 2) : null;
    }

    within(l, [from, to]) {
      const inside = l.t.map((_, i) => i).filter((i) => this.x(l, i) >= from && this.x(l, i) <= to);
      if (!inside.length || l.side === 'trend') return '';
      const [a, b] = [inside[0], inside[inside.length - 1]];
      const d = l.mid[b] - l.mid[a];
      const lo = Math.min(...inside.map((i) => l.lo[i]));
      const hi = Math.max(...inside.map((i) => l.hi[i]));
      return tr(`${l.label.slice(0, 60)}: from ${this.write(l.mid[a])} to ${this.write(l.mid[b])} (${d > 0 ? '+' : ''}${this.write(d)}), between ${this.write(lo)} and ${this.write(hi)}, median ${this.write(this.median(l, [from, to]))}`);
    }

    zoom(from, to) {
      this.chart.dispatchAction({ type: 'dataZoom', startValue: from, endValue: to });
      this.clear();
    }

    clear() {
      this.chart.dispatchAction({ type: 'brush', areas: [] });
      this.select(null);
    }

    whole() {
      this.chart.dispatchAction({ type: 'dataZoom', start: 0, end: 100 });
      this.clear();
      say('the whole chart is shown');
    }

    /** The axis of values: as in the file while all is shown, else around what is. */
    yRange(zoom) {
      const ends = (lo, hi) => {
        const raw = Math.max(hi - lo, 1e-9 * Math.abs(hi), 1e-9) / 4;
        const power = 10 ** Math.floor(Math.log10(raw));
        const step = power * [1, 2, 5, 10].find((m) => raw <= m * power * 1.0000001);
        return { min: +(Math.floor(lo / step) * step).toPrecision(8), max: +(Math.ceil(hi / step) * step).toPrecision(8) };
      };
      if (this.log) return { min: (v) => +(v.min * 0.95).toPrecision(2), max: (v) => +(v.max * 1.05).toPrecision(2) };
      if (this.stacked) return { min: 0, max: null };
      if (!zoom) return { min: +this.spec.low.toPrecision(9), max: +this.spec.high.toPrecision(9) };
      let [lo, hi] = [Infinity, -Infinity];
      for (const l of this.shownLines()) {
        l.t.forEach((_, i) => {
          if (!(this.x(l, i) >= zoom.startValue && this.x(l, i) <= zoom.endValue)) return;
          lo = Math.min(lo, l.lo[i] / this.spec.factor);
          hi = Math.max(hi, l.hi[i] / this.spec.factor);
        });
      }
      return lo > hi ? {} : ends(lo, hi);
    }

    /** The zoom stands in the address, so that a link leads to what is seen. */
    zoomed() {
      const z = this.chart.getOption().dataZoom[0];
      const part = z.start > 0 || z.end < 100;
      this.chart.setOption({ yAxis: this.yRange(part ? z : null) });
      if (!this.figure.id) return;
      remember((part ? `${this.figure.id}:${+z.startValue.toPrecision(6)}-${+z.endValue.toPrecision(6)}` : this.figure.id) + alignHash());
    }

    key(e) {
      const l = this.shownLines().find((x) => x.side === 'after') || this.shownLines()[0];
      if (!l || e.ctrlKey || e.metaKey || e.altKey) return;
      const old = this.cursor < 0 ? l.from : this.cursor;
      const steps = { ArrowRight: 1, ArrowLeft: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };
      if (e.key in steps) {
        this.cursor = Math.max(l.from, Math.min(l.to, old + steps[e.key]));
        const i = this.chart.getOption().series.findIndex((s) => s.name === l.label);
        this.chart.dispatchAction({ type: 'showTip', seriesIndex: i, dataIndex: l.index[this.cursor] });
        if (e.shiftKey) {
          this.anchor ??= this.x(l, old);
          const range = [this.anchor, this.x(l, this.cursor)].sort((a, b) => a - b);
          this.chart.dispatchAction({ type: 'brush', areas: [{ brushType: 'lineX', xAxisIndex: 0, coordRange: range }] });
          this.select(range);
          say(this.out.textContent);
        } else {
          this.anchor = undefined;
          const x = this.x(l, this.cursor);
          say(`${this.when(x)}: ${this.there(x).map((o) => this.value(o, this.nearestTo(o, x))).join(', ')}`);
        }
      } else if (e.key === 'z' && this.range) this.zoom(...this.range);
      else if (e.key === 'Escape' || e.key === '0') this.whole();
      else if (e.key === '+' || e.key === '-') {
        const z = this.chart.getOption().dataZoom[0];
        const mid = this.cursor < 0 ? (z.start + z.end) / 2 : ((this.x(l, this.cursor) - Math.min(...this.lines.map((o) => o.xs[o.from]))) / Math.max(this.span, 1e-9)) * 100;
        const half = ((z.end - z.start) / 2) * (e.key === '+' ? 0.6 : 1.6);
        this.chart.dispatchAction({ type: 'dataZoom', start: Math.max(0, mid - half), end: Math.min(100, mid + half) });
      } else return;
      e.preventDefault();
    }
  }

  /** A chart over builds: its axis counts them, a build without data is a gap, changes of level are drawn in. */
  class Course extends Plot {
    constructor(figure, spec) {
      const known = spec.builds.map((_, i) => i).filter((i) => spec.builds[i].mid != null);
      const pick = (k) => known.map((i) => spec.builds[i][k]);
      const line = { label: spec.title, colour: '#4f83c2', n: known.length, t: known, mid: pick('mid'), lo: pick('lo'), hi: pick('hi'), gaps: new Set(known.map((_, k) => k).filter((k) => k && known[k] > known[k - 1] + 1)) };
      super(figure, { ...spec, lines: [line] });
    }

    bar() {
      const bar = super.bar();
      for (const c of this.spec.changes) {
        const b = this.spec.builds[c.at];
        if (b.row) bar.append(el('a', { href: `#${b.row}` }, `${b.name} ${c.text}`));
      }
      return bar;
    }

    hint() { return this.spec.small ? '' : 'Drag over the chart to measure; Ctrl and the wheel zoom; Enter leads to the row of a build.'; }
    place(x) { return this.spec.builds[Math.round(x)].name; }
    when(x) { return this.place(x); }
    length(_, [from, to]) { return `${Math.floor(to) - Math.ceil(from) + 1} builds`; }
    axisText() { return `${this.spec.builds[0].name} – ${this.spec.builds.at(-1).name}`; }

    measure() {
      [this.per, this.time] = [1, ''];
      this.lay(this.lines[0]);
      this.span = this.spec.builds.length - 1;
    }

    key(e) {
      const row = this.spec.builds[this.lines[0].t[this.cursor]]?.row;
      if (e.key !== 'Enter' || !row) { super.key(e); return; }
      location.hash = row;
      e.preventDefault();
    }

    finish(o, { fg, muted, font }) {
      const { builds, changes, limits = [], release, factor } = this.spec;
      this.lines[0].index = this.lines[0].t; // a build without data is a point too
      const { min, max } = this.yRange();
      const top = this.log ? Math.max(...this.lines[0].hi) / factor : max;
      o.xAxis = [{ ...o.xAxis[0], min: null, max: null, boundaryGap: true, axisTick: { alignWithLabel: true }, axisLabel: { ...font, formatter: briefly, showMinLabel: true, showMaxLabel: true, hideOverlap: true } }];
      const [labels, lines] = this.heights(changes);
      const longest = Math.max(...[builds[0], builds.at(-1)].map((b) => briefly(b.name).length));
      Object.assign(o.grid, { top: 24 + 14 * lines, left: 8 + Math.max(0, 3 * longest - 24), right: 8 + 3 * longest });
      const level = (m, ink, type) => ({ yAxis: m.value / factor, lineStyle: { color: ink, type, width: 1.4 }, label: { position: 'insideStartTop', color: ink, fontSize: 11, formatter: `${m.label} ${this.write(m.value)}` } });
      const values = builds.map((b) => (b.mid == null ? null : this.y(b.mid)));
      o.series = [
        { type: 'custom', silent: true, clip: true, tooltip: { show: false }, z: 0, encode: { x: 0, y: 1 }, data: builds.flatMap((b, i) => (b.mid == null ? [[i, top]] : [])), renderItem: (_, api) => shade(api, muted) },
        { type: 'custom', silent: true, clip: true, tooltip: { show: false }, z: 2, encode: { x: 0, y: [1, 2] }, data: builds.flatMap((b, i) => (b.mid != null && b.lo < b.hi ? [[i, this.y(b.lo), this.y(b.hi)]] : [])), renderItem: (_, api) => whisker(api) },
        {
          type: 'line', name: this.spec.title, data: values, showSymbol: true, symbol: 'circle', symbolSize: builds.length > 60 ? 3 : 6, itemStyle: { color: '#4f83c2' }, lineStyle: { color: '#4f83c2', width: 1.7 }, z: 3,
          markLine: {
            symbol: 'none', silent: true, animation: false,
            data: [
              ...changes.map((c, k) => ({ xAxis: c.at, lineStyle: { color: c.colour, type: [3, 2], width: 1.3 }, label: { show: labels[k] >= 0, position: 'end', distance: 4 + 14 * Math.max(labels[k], 0), color: fg, fontSize: 11, formatter: `${briefly(builds[c.at].name)} ${c.text}` } })),
              ...(release ? [level({ ...release, label: `${tr('release')} ${release.label}` }, '#3d9166', [2, 3])] : []),
              ...limits.map((m) => level(m, '#cf5a45', [7, 4])),
            ],
          },
        },
      ];
      if (!this.log) Object.assign(o.yAxis[0], { min, max });
    }

    /** In which line over the drawing the name of each change stands; -1 where there is no room. */
    heights(changes) {
      const room = (this.box.clientWidth - 86) / this.spec.builds.length;
      const ends = [];
      const rows = changes.map((c) => {
        const half = (briefly(this.spec.builds[c.at].name).length + c.text.length + 1) * 3.2;
        const k = [0, 1, 2].find((r) => (ends[r] ?? -Infinity) < c.at * room - half);
        if (k === undefined) return -1;
        ends[k] = c.at * room + half + 6;
        return k;
      });
      return [rows, ends.length];
    }

    tip(params) {
      const i = params[0]?.dataIndex ?? 0;
      const b = this.spec.builds[i];
      const rows = [b.date ? `${b.name} (${b.date})` : b.name];
      if (b.mid == null) return [...rows, tr('no data')].join('\n');
      const before = this.spec.builds[i - 1]?.mid;
      rows.push(this.value(this.lines[0], this.lines[0].t.indexOf(i)), tr(`runs: ${b.runs}`));
      if (before != null) rows.push(tr(`to the build before: ${this.signed(b.mid - before)}`));
      for (const c of this.spec.changes) if (c.at === i) rows.push(tr(`change of level: ${c.text}`));
      return rows.join('\n');
    }

    signed(v) { return (v > 0 ? '+' : '') + this.write(v); }
  }
  const whisker = (api) => {
    const [x, y] = api.coord([api.value(0), api.value(1)]);
    return { type: 'line', shape: { x1: x, y1: y, x2: x, y2: api.coord([api.value(0), api.value(2)])[1] }, style: { stroke: '#4f83c2', opacity: 0.55, lineWidth: 1.4 } };
  };
  /** What stands for a build without data: its share of the width. */
  const shade = (api, ink) => {
    const [x] = api.coord([api.value(0), api.value(1)]);
    const [w] = api.size([1, 0]);
    return { type: 'rect', shape: { x: x - w / 2, y: 0, width: w, height: api.getHeight() }, style: { fill: ink, opacity: 0.2 } };
  };
  /** A name as under the axis of the drawing in the file. */
  const briefly = (name) => (name.length <= 14 ? name : /^[0-9a-f]+$/.test(name) ? name.slice(0, 8) : `${name.slice(0, 4)}…${name.slice(-8)}`);

  const plots = new Map();
  const plotOf = (id) => {
    const figure = document.getElementById(id);
    if (!plots.has(id) && figure && data.charts[id]?.lines.length) plots.set(id, new Plot(figure, data.charts[id]));
    if (!plots.has(id) && figure && data.courses?.[id]?.builds.some((b) => b.mid != null)) plots.set(id, new Course(figure, data.courses[id]));
    return plots.get(id);
  };
  const startCharts = () => {
    if (typeof echarts === 'undefined') return;
    const near = new IntersectionObserver((seen) => seen.filter((s) => s.isIntersecting).forEach((s) => { near.unobserve(s.target); plotOf(s.target.id); }), { rootMargin: '300px' });
    Object.keys({ ...data.charts, ...data.courses }).forEach((id) => { const f = document.getElementById(id); if (f) near.observe(f); });
  };

  // ---- every series ----

  const startExplore = () => {
    const section = document.getElementById('explore');
    const e = data.explore;
    if (!section || !e) return null;
    const rows = e.rows.map(([id, process, scope, name, metric, count, from, to, change, verdict, mark, tone, chart]) => ({
      id, process: e.strings[process], scope: e.strings[scope], name: e.strings[name], metric: e.strings[metric], count, from, to, change,
      verdict: e.strings[verdict], mark: e.strings[mark], tone: e.strings[tone], chart,
    }));
    const many = new Set(rows.map((r) => r.process)).size > 1;
    const titles = [...(many ? ['process'] : []), 'kind', 'name', 'metric', ...(e.sides ? ['before', 'after'] : ['first', 'last']), 'change', 'verdict'];
    const isNumber = (t) => ['before', 'after', 'first', 'last', 'change'].includes(t);
    const heads = titles.map((t) => el('th', { scope: 'col', class: isNumber(t) ? 'n' : null }, t));
    const body = el('tbody');
    const table = el('table', { id: 'explore-table', 'aria-label': 'Every series' }, el('thead', {}, el('tr', {}, ...heads)), body);
    const row = (r) => {
      const cells = {
        process: () => el('td', {}, el('code', {}, r.process)), kind: () => el('td', { class: 'kind' }, r.scope),
        name: () => el('th', { scope: 'row' }, el('a', { href: `#${r.id}` }, el('code', {}, r.name || r.scope))), metric: () => el('td', {}, r.metric),
        change: () => el('td', { class: `n ${r.tone}` }, quantity(r.change, r.count, '+')),
        verdict: () => el('td', {}, r.verdict ? el('span', { class: `nowrap ${r.tone}` }, `${r.mark} ${r.verdict}`) : '–'),
      };
      cells.before = cells.first = () => el('td', { class: 'n' }, quantity(r.from, r.count));
      cells.after = cells.last = () => el('td', { class: 'n' }, quantity(r.to, r.count));
      return el('tr', { 'aria-current': r === chosen ? 'true' : null }, ...titles.map((t) => cells[t]()));
    };
    let chosen = null;
    const values = { process: 'process', kind: 'scope', name: 'name', metric: 'metric', before: 'from', first: 'from', after: 'to', last: 'to', change: 'change', verdict: 'verdict' };
    const items = rows.map((r) => ({ r, text: `${r.process} ${r.scope} ${r.name} ${r.metric} ${r.verdict}`.toLowerCase(), keys: titles.map((t) => r[values[t]]), nodes: () => [row(r)] }));
    const panel = el('div', { class: 'chosen' });
    const bar = el('div', { class: 'bar-of-table' }, el('p', { class: 'caption', id: 'explore-table-caption' }, `${number(rows.length, 0)} series, what matters most first. Choose one to see it over time.${e.omitted ? ` ${e.omitted}` : ''}`));
    section.append(panel, bar, el('div', { class: 'scroll', role: 'group', tabindex: 0, 'aria-label': 'Every series, table' }, table));
    const grid = new Grid(table, heads, items, (tools) => bar.append(tools), 'every series', 20, 20);
    grid.body = body;
    const kinds = [...new Set(rows.map((r) => r.scope))];
    const kind = el('select', { 'aria-label': 'Kind of series', onchange: () => { grid.keep = (x) => !kind.value || x.r.scope === kind.value; grid.page = 0; grid.draw(); grid.tell(); } }, el('option', { value: '' }, 'all kinds'), ...kinds.map((k) => el('option', { value: k }, k)));
    grid.tools.prepend(kind);
    grid.draw();
    grids.push(grid);
    document.querySelector('main > section.folded')?.before(section);
    section.hidden = false;
    document.querySelector('nav ul')?.append(el('li', {}, el('a', { href: '#explore' }, 'Every series')));

    const filter = (text) => { grid.field.value = text; grid.field.hidden = false; kind.value = ''; grid.keep = () => true; grid.query = text.toLowerCase(); grid.page = 0; grid.draw(); grid.tell(); };
    const links = (r) => {
      const out = el('p', { class: 'links' });
      document.querySelectorAll('article.finding').forEach((f) => { if (f.dataset.series === r.id) out.append(el('a', { href: `#finding=${encodeURIComponent(f.dataset.print || f.id)}` }, `Finding: ${f.querySelector('h3').textContent.slice(0, 80)}`)); });
      if (r.name) out.append(button('All measures of this name', () => filter(r.name)));
      const drawn = [...document.querySelectorAll('figure')].find((f) => f.id === r.id.replace('series-', 'chart-'));
      if (drawn) out.append(el('a', { href: `#${drawn.id}` }, 'Its chart above'));
      out.append(button('Copy link', () => copy(`${location.href.split('#')[0]}#${r.id}${alignHash()}`, 'Link')));
      return out;
    };
    const stackable = (r) => rows.filter((x) => x.chart >= 0 && x.process === r.process && x.scope === r.scope && x.metric === r.metric);
    const show = (id) => {
      const r = rows.find((x) => x.id === id);
      if (!r) return false;
      chosen = r;
      const title = `${r.metric}${r.name ? `${tr(' of ')}${r.name}` : ''}${many ? ` · ${r.process}` : ''}`;
      const figure = el('figure', { id: 'explore-figure', tabindex: -1 }, el('figcaption', {}, el('b', {}, title), el('span', { class: 'key' }, `${quantity(r.from, r.count)} → ${quantity(r.to, r.count)} (${quantity(r.change, r.count, '+')}) ${r.verdict}`)));
      panel.replaceChildren(figure, links(r));
      figure.id = '';
      if (r.chart >= 0 && typeof echarts !== 'undefined') {
        const plot = new Plot(figure, { ...e.lines[r.chart], title });
        const all = stackable(r);
        if (e.sides && plot.lines.length === 1 && r.from != null && r.to != null) figure.append(el('p', { class: 'muted' }, `The line of the other side is not in this file.`));
        if (all.length > 2 && ['category', 'region'].includes(r.scope)) plot.tools.append(...stackButtons(plot, all));
      } else figure.append(el('p', { class: 'muted' }, 'It has no line over time in this file.'));
      grid.draw();
      figure.scrollIntoView({ block: 'center' });
      figure.focus({ preventScroll: true });
      say(figure.textContent.slice(0, 200));
      return true;
    };
    const stackButtons = (plot, all) => (e.sides ? ['before', 'after'] : ['']).map((side) => {
      const b = button(`Stack all${side ? ` ${side}` : ''}`, () => {
        const on = b.getAttribute('aria-pressed') !== 'true';
        plot.tools.querySelectorAll('.stack-button').forEach((x) => x.setAttribute('aria-pressed', 'false'));
        b.setAttribute('aria-pressed', String(on));
        const parts = all.map((x) => ({ name: x.name, line: e.lines[x.chart].lines.find((l) => !side || l.side === side) })).filter((x) => x.line).map((x) => ({ name: x.name, line: { ...unpack(x.line), began: x.line.began, anchors: data.anchors?.[x.line.anchors - 1] } }));
        plot.stack(on && parts.length ? parts : null);
      }, { 'aria-pressed': 'false', class: 'stack-button' });
      return b;
    });
    return { show, filter };
  };

  // ---- flame graphs ----

  const rowHeight = 18;
  /** A flame graph of call chains on a canvas. */
  class Flame {
    constructor(figure, f) {
      Object.assign(this, { figure, f, icicle: true, callees: false, width: f.sides ? 'both' : 'a', measure: f.bytes ? 0 : 1, query: '' });
      this.canvas = el('canvas', { 'aria-hidden': 'true' });
      this.box = el('div', { class: 'graph', tabindex: 0, role: 'application', 'aria-roledescription': 'flame graph', 'aria-label': 'Flame graph. Arrow keys go to callers, callees and neighbours, Enter zooms in, Escape zooms out, slash searches, n goes to the next match.', onkeydown: (e) => this.key(e) }, this.canvas);
      this.detail = el('div', { class: 'detail' });
      figure.append(this.bar(), this.box, this.detail);
      figure.classList.add('on');
      this.canvas.addEventListener('mousemove', (e) => this.point(e));
      this.canvas.addEventListener('mouseleave', () => { this.under = null; this.draw(); });
      this.canvas.addEventListener('click', (e) => { const n = this.hit(e); if (n) this.zoom(n); });
      this.build();
      new ResizeObserver(() => this.draw()).observe(this.box);
      themed.push(() => this.draw());
    }

    bar() {
      const choice = (label, options, set) => el('select', { 'aria-label': label, 'data-choice': label, onchange: (e) => { set(e.target.value); this.build(); } }, ...options.map(([v, t]) => el('option', { value: v }, t)));
      this.search = el('input', { type: 'search', placeholder: 'Search frames', 'aria-label': 'Search frames', size: 18, oninput: () => { this.query = this.search.value.toLowerCase(); this.draw(); this.matched(); } });
      this.found = el('span', { class: 'count' });
      const bar = el('div', { class: 'tools' }, this.search, this.found,
        choice('Layout', [['icicle', 'Icicle: callers on top'], ['flame', 'Flame: callers at the bottom']], (v) => { this.icicle = v === 'icicle'; }),
        choice('Direction', [['', 'From the root'], ['x', 'From the allocation']], (v) => { this.callees = v === 'x'; }));
      if (this.f.sides) bar.append(choice('Width', [['both', 'Both sides'], ['b', 'Before'], ['a', 'After'], ['d', 'Change only']], (v) => { this.width = v; }));
      if (this.f.bytes && this.f.objects) bar.append(choice('Measure', [[0, 'Bytes'], [1, 'Objects']], (v) => { this.measure = Number(v); }));
      bar.append(button('Whole', () => this.zoom(this.root)));
      return bar;
    }

    /** Joins the chains at their roots, or at their leaves. */
    build() {
      const root = { name: 'all', b: 0, a: 0, kids: new Map(), up: null, level: 0, ids: [] };
      for (const c of this.f.chains) {
        const [b, a] = [c.b[this.measure] || 0, c.a[this.measure] || 0];
        if (!b && !a) continue;
        let n = root;
        n.b += b; n.a += a;
        const path = this.callees ? c.f : c.f.toReversed();
        for (const i of path) {
          let k = n.kids.get(i);
          if (!k) n.kids.set(i, (k = { name: this.f.frames[i], b: 0, a: 0, kids: new Map(), up: n, level: n.level + 1, ids: [] }));
          n = k;
          n.b += b; n.a += a;
        }
        n.ids.push(c.id);
      }
      const finish = (n) => {
        n.list = [...n.kids.values()];
        n.list.forEach(finish);
        n.w = { both: Math.max(n.a, n.b), a: n.a, b: n.b, d: Math.abs(n.a - n.b) }[this.width];
        if (n.list.length) n.w = Math.max(n.w, n.list.reduce((s, k) => s + k.w, 0));
        n.list.sort((x, y) => y.w - x.w || (x.name < y.name ? -1 : 1));
      };
      finish(root);
      this.root = root;
      this.at = root;
      this.zoom(root, false);
      this.matched();
    }

    place(n, x, w, level, out) {
      out.push({ n, x, w, level });
      if (w < 0.4) return;
      for (const k of n.list) {
        const kw = (k.w / n.w) * w;
        if (kw >= 0.4) this.place(k, x, kw, level + 1, out);
        x += kw;
      }
    }

    layout(width) {
      const out = [];
      const line = [];
      for (let n = this.top; n.up; n = n.up) line.unshift(n.up);
      line.forEach((n, i) => out.push({ n, x: 0, w: width, level: i, above: true }));
      if (this.top.w > 0) this.place(this.top, 0, width, line.length, out);
      return out;
    }

    draw() {
      const width = this.box.clientWidth;
      if (!width) return;
      this.bars = this.layout(width);
      const rows = this.bars.reduce((m, b) => Math.max(m, b.level), 0) + 1;
      const height = rows * rowHeight;
      const ratio = devicePixelRatio || 1;
      this.canvas.width = width * ratio;
      this.canvas.height = height * ratio;
      this.canvas.style.width = `${width}px`;
      this.canvas.style.height = `${height}px`;
      const c = this.canvas.getContext('2d');
      const fg = colour('--fg');
      c.scale(ratio, ratio);
      c.font = '11.5px system-ui, sans-serif';
      c.textBaseline = 'middle';
      for (const b of this.bars) {
        b.y = this.icicle ? b.level * rowHeight : height - (b.level + 1) * rowHeight;
        this.paint(c, b, fg);
      }
    }

    paint(c, b, fg) {
      const hit = this.query && b.n.name.toLowerCase().includes(this.query);
      const [ink, alpha] = hit ? ['#a06cc0', 0.8] : this.ink(b.n);
      c.globalAlpha = b.above ? alpha * 0.5 : this.query && !hit ? alpha * 0.45 : alpha;
      c.fillStyle = ink;
      c.fillRect(b.x, b.y, Math.max(b.w - 0.6, 0.4), rowHeight - 1);
      c.globalAlpha = 1;
      if (b.n === this.at || b.n === this.under) {
        c.strokeStyle = fg;
        c.lineWidth = b.n === this.at ? 2 : 1;
        c.strokeRect(b.x + 1, b.y + 1, Math.max(b.w - 2.6, 0.5), rowHeight - 3);
      }
      if (b.w < 26) return;
      c.fillStyle = fg;
      let text = b.n.name.slice(0, 300);
      const room = b.w - 8;
      const full = c.measureText(text).width;
      if (full > room) text = `${text.slice(0, Math.max(1, Math.floor((room / full) * text.length) - 1))}…`;
      c.fillText(text, b.x + 4, b.y + rowHeight / 2);
    }

    /** By the change where there are two sides, else by name, so that a frame has one colour everywhere. */
    ink(n) {
      if (this.f.sides) {
        const d = n.a - n.b;
        if (!d) return ['#8a8f98', 0.28];
        return [d > 0 ? '#cf5a45' : '#4f83c2', 0.2 + 0.5 * Math.min(1, Math.abs(d) / Math.max(n.a, n.b, 1))];
      }
      let h = 0;
      for (let i = 0; i < n.name.length && i < 60; i++) h = (h * 31 + n.name.charCodeAt(i)) % 997;
      return [['#d9772b', '#cf5a45', '#c79a3c', '#b86f50'][h % 4], 0.28 + (h % 5) * 0.05];
    }

    hit(e) {
      const box = this.canvas.getBoundingClientRect();
      const [x, y] = [e.clientX - box.left, e.clientY - box.top];
      return this.bars.find((b) => x >= b.x && x < b.x + b.w && y >= b.y && y < b.y + rowHeight)?.n || null;
    }

    point(e) {
      const n = this.hit(e);
      if (n === this.under) return;
      this.under = n;
      this.canvas.title = n ? `${n.name}: ${this.words(n)}` : '';
      this.draw();
    }

    words(n) {
      const q = (v, plus) => quantity(v, this.measure === 1, plus);
      const whole = Math.max(this.root.a, 1);
      return tr(this.f.sides ? `${q(n.b)} before, ${q(n.a)} after, ${q(n.a - n.b, '+')}` : `${q(n.a)}, ${number((n.a / whole) * 100, 1)} % of all`);
    }

    zoom(n, tell = true) {
      this.top = n;
      this.go(n, tell);
    }

    go(n, tell = true) {
      this.at = n;
      const chain = [];
      for (let k = n; k.up; k = k.up) chain.push(k.name);
      const id = n.ids[0] || '';
      const shown = this.callees ? chain.toReversed() : chain;
      this.detail.replaceChildren(el('b', {}, n.name), ` ${this.words(n)} `,
        el('span', { class: 'links' }, ...(chain.length ? [button('Copy call chain', () => copy(shown.join('\n'), 'Call chain'))] : []), ...(id ? [button('Copy link', () => copy(`${location.href.split('#')[0]}#${id}`, 'Link'))] : [])),
        ...(chain.length > 1 ? [el('ol', { tabindex: 0, 'aria-label': 'Call chain, innermost first' }, ...shown.map((t) => el('li', {}, el('code', {}, t))))] : []));
      this.draw();
      this.reveal();
      if (!tell) return;
      if (id) remember(id);
      say(`${n.name}: ${this.words(n)}`);
    }

    reveal() {
      const b = this.bars?.find((x) => x.n === this.at);
      if (!b) return;
      if (b.y < this.box.scrollTop) this.box.scrollTop = b.y;
      if (b.y + rowHeight > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = b.y + rowHeight - this.box.clientHeight;
    }

    nodes(n = this.root, out = []) {
      out.push(n);
      n.list.forEach((k) => this.nodes(k, out));
      return out;
    }

    matches() { return this.query ? this.nodes().filter((n) => n.name.toLowerCase().includes(this.query)) : []; }

    /** How much of all is in frames that match; what is below a match counts once. */
    matched() {
      let sum = 0;
      let count = 0;
      const walk = (n) => {
        if (n.name.toLowerCase().includes(this.query)) { sum += n.w; count += 1; return; }
        n.list.forEach(walk);
      };
      if (this.query) walk(this.root);
      this.found.textContent = this.query ? tr(`${count} found, ${number((sum / Math.max(this.root.w, 1)) * 100, 1)} %`) : '';
      if (this.query) say(this.found.textContent);
    }

    /** Zooms to the chain of an ID; false if it is not here. */
    show(id) {
      const chain = this.f.chains.find((c) => c.id === id);
      if (!chain) return false;
      if (!(chain.a[this.measure] || chain.b[this.measure])) return false;
      if (this.callees) { this.callees = false; this.figure.querySelector('select[data-choice=Direction]').value = ''; this.build(); }
      const n = this.nodes().find((k) => k.ids.includes(id));
      if (!n) return false;
      let top = n;
      while (top.up && top.w < 0.02 * this.root.w) top = top.up;
      this.top = top.up && top.up.up ? top.up : this.root;
      this.go(n);
      this.figure.scrollIntoView({ block: 'center' });
      this.box.focus({ preventScroll: true });
      return true;
    }

    key(e) {
      if (e.ctrlKey || e.metaKey || e.altKey) return;
      const n = this.at;
      const kin = n.up ? n.up.list : [n];
      const i = kin.indexOf(n);
      const [up, down] = this.icicle ? ['ArrowUp', 'ArrowDown'] : ['ArrowDown', 'ArrowUp'];
      const hits = e.key === 'n' ? this.matches() : [];
      const to = { [up]: n.up, [down]: n.list[0], ArrowRight: kin[i + 1], ArrowLeft: kin[i - 1], Home: this.root }[e.key];
      if (to) {
        for (let k = this.top; k !== this.root && k !== to; k = k.up) if (k.up === to) this.top = to;
        this.go(to);
      } else if (e.key === 'Enter') this.zoom(n);
      else if (e.key === 'Escape' || e.key === 'Backspace') this.zoom(this.top.up || this.root);
      else if (e.key === '/') this.search.focus();
      else if (hits.length) this.go(hits[(hits.indexOf(n) + 1) % hits.length]);
      else if (!(e.key in { [up]: 1, [down]: 1, ArrowLeft: 1, ArrowRight: 1 })) return;
      e.preventDefault();
    }
  }

  // ---- links ----

  const flames = [];
  let explorer = null;
  const startFlames = () => {
    for (const [id, f] of Object.entries(data.flames || {})) {
      const figure = document.getElementById(id);
      if (figure && f.chains.length) flames.push(new Flame(figure, f));
    }
    document.querySelectorAll('code[data-chain]').forEach((c) => {
      if (!flames.length || c.closest('a')) return;
      const a = el('a', { href: `#${c.dataset.chain}` });
      c.replaceWith(a);
      a.append(c);
    });
  };
  const startFindings = () => {
    document.querySelectorAll('article.finding').forEach((f) => {
      const out = el('p', { class: 'links' });
      const series = explorer && f.dataset.series && data.explore.rows.find((r) => r[0] === f.dataset.series);
      if (series) {
        const scope = data.explore.strings[series[2]];
        out.append(el('a', { href: `#${f.dataset.series}` }, scope === 'mapping' || scope === 'region' ? 'Its mapping over time' : 'Its series over time'));
      }
      if (flames.length && f.dataset.chain) out.append(el('a', { href: `#${f.dataset.chain}` }, 'Its stack in the graph'));
      out.append(button('Copy link', () => copy(`${location.href.split('#')[0]}#finding=${encodeURIComponent(f.dataset.print || f.id)}`, 'Link')));
      f.append(out);
    });
  };
  const reveal = (target) => {
    for (let d = target.closest('details'); d; d = d.parentElement.closest('details')) d.open = true;
    target.querySelector(':scope > details')?.setAttribute('open', '');
    target.scrollIntoView({ block: target.offsetHeight > innerHeight ? 'start' : 'center' });
    if (!target.matches('a,button,input,[tabindex]')) target.tabIndex = -1;
    target.focus({ preventScroll: true });
    target.classList.remove('shown');
    void target.offsetWidth;
    target.classList.add('shown');
  };
  const follow = () => {
    const plain = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
    const [head, at] = location.hash.slice(1).split('&align=');
    const hash = plain(head);
    if (!hash) return;
    if (at !== undefined || hash.startsWith('chart-')) alignAll(at === undefined ? data.align || 'start' : plain(at));
    if (hash.startsWith('finding=')) {
      const print = hash.slice(8);
      const f = [...document.querySelectorAll('article.finding')].find((a) => a.dataset.print === print || a.id === print);
      if (f) reveal(f);
      return;
    }
    if (hash.startsWith('series-') && explorer?.show(hash)) return;
    if (hash.startsWith('stack-') && flames.some((f) => f.show(hash))) return;
    const zoom = /^((?:chart|course)-[0-9a-f]+):(-?[\d.e+]+)-(-?[\d.e+]+)$/.exec(hash);
    const id = zoom ? zoom[1] : hash;
    if (!document.getElementById(id)) grids.some((g) => g.show(id));
    const target = document.getElementById(id);
    if (!target) return;
    reveal(target);
    if (zoom && typeof echarts !== 'undefined') plotOf(zoom[1])?.zoom(Number(zoom[2]), Number(zoom[3]));
  };

  // ---- start ----

  document.body.append(status);
  document.querySelectorAll('main table[id]:not(.fall)').forEach(enhance);
  startCharts();
  explorer = startExplore();
  startFlames();
  startFindings();
  addEventListener('hashchange', follow);
  addEventListener('beforeprint', () => grids.forEach((g) => g.back && g.draw(true)));
  addEventListener('afterprint', () => grids.forEach((g) => g.back && g.draw()));
  follow();
  document.documentElement.dataset.ready = '1';
})();
