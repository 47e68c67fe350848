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

