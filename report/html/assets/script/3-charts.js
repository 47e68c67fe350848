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

