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
