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

