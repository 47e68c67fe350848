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

