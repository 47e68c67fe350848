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

