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

