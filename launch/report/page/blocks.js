// The blocks of panels, as `panels/panel.py` describes them: tables, bars, sentences and drawings.

// What scripts of panels draw, by name: functions of the report and the selection.
const DRAWINGS = {};

const found = (data, path) => path.split(".").reduce((inner, key) => inner?.[key], data) ?? null;
const empty = (value) => value === null || value === undefined || value === "";

// How values are written which are no numbers, words or units of `WRITE`.
const LISTS = {
  core: String,
  cores: ranges,
  names: (names) => (Array.isArray(names) ? names : Object.keys(names)).join(", "),
  counts: (counts) => Object.entries(counts).map(([name, count]) => `${name} ${written(count, "count")}`).join(", "),
  place: (place) => (place.length ? `[${place.join(", ")}]` : ""),
  passed: (passed) => (passed ? "pass" : "FAIL"),
  flag: (value) => (value ? "yes" : ""),
  error: (error) => `${written(error.relative, "number")}${error.passed ? "" : " WRONG"}`,
};
const EXACT = { cores: (cores) => cores.length, error: (error) => error.relative, core: (core) => core };  // what is sorted, and stands in `data-value`
const NUMBERS = ["core", "cores", "error"];

// A field of an entry, the first known one of `a|b`, a sum `a+b` or a difference `a-b`.
function valueOf(entry, of) {
  for (const [sign, factor] of [["+", 1], ["-", -1]]) {
    if (!of.includes(sign)) continue;
    const [first, ...more] = of.split(sign).map((key) => entry[key] ?? null);
    return first === null || more.includes(null) ? null : more.reduce((sum, part) => sum + factor * part, first);
  }
  return of.split("|").map((key) => entry[key]).find((value) => !empty(value)) ?? null;
}

// A column as `table` takes it.
function columnOf({ key, title, unit, of, hint }) {
  const value = (entry) => valueOf(entry, of || key);
  if (!(unit in LISTS)) return { key, title, unit, hint, of: value };
  const exact = EXACT[unit] || LISTS[unit], known = (entry) => !empty(value(entry));
  return { key, title, hint, unit: NUMBERS.includes(unit) ? "number" : "text",
    of: (entry) => (known(entry) ? exact(value(entry)) : null), show: (entry) => (known(entry) ? LISTS[unit](value(entry)) || UNKNOWN : UNKNOWN),
    mark: (entry) => known(entry) && (value(entry) === false || value(entry).passed === false) && "wrong" };
}

// Which rows of a table stay while something is selected, and what a click on one selects.
function following({ core, node }, selection) {
  const nodes = (row) => [row[node]].flatMap((value) => (value && typeof value === "object" ? Object.keys(value) : value));
  const byNode = (now) => node && (now.kind === "node" || !core.length);
  const keep = (row, now) => (byNode(now) ? nodes(row).some((name) => now.nodes?.has(name)) : core.some((field) => now.cores?.has(row[field])));
  const [kind, field] = core.length ? ["core", core[0]] : ["node", node];
  if (!field) return {};
  return { keep, follow: selection.follow, pick: (row) => selection.select(kind, row[field]), chosen: (row, now) => now.kind === kind && now.id === row[field] };
}

function entriesOf({ rows, order }, data) {
  const list = found(data, rows) ?? [];
  if (!Array.isArray(list)) return Object.entries(list).map(([word, amount]) => ({ word, amount })).sort((a, b) => b.amount - a.amount);
  return order ? [...list].sort((a, b) => b[order] - a[order]) : list;
}

// A sentence with values of the report in braces; null if one of them is not known.
function sentence(text, data) {
  let whole = true;
  const filled = text.replace(/\{([\w.]+)\|?(\w*)\}/g, (_, path, unit) => {
    const value = found(data, path);
    whole &&= value !== null;
    return written(value, unit || "text");
  });
  return whole ? filled : null;
}

function listing(block, data, selection) {
  const rows = entriesOf(block, data);
  const made = rows.length ? table({ name: block.name, caption: block.caption, columns: block.columns.map(columnOf), rows, limit: block.limit || Infinity,
    filter: block.filtered, ...following(block, selection) }) : null;
  return made && block.folded ? html("details", {}, html("summary", {}, `${block.folded} (${rows.length})`), made) : made;
}

// All entries, or the ones of the core or the node that is selected.
function barsBlock(block, data, selection) {
  const [word, amount, more] = block.columns, all = entriesOf(block, data), hints = new Map(more ? all.map((row) => [row[word.key], row[more.key]]) : []);
  const drawn = (caption, entries) => bars(block.name, caption, entries.map(([text, value]) => [text, value, hints.get(text)]), amount.unit);
  const whole = all.map((row) => [row[word.key], row[amount.key]]);
  if (!block.follows) return drawn(block.caption, whole);
  const holder = html("div");
  selection.follow((now) => {
    const one = now.kind && selection[`${now.kind}s`].get(now.id);
    const of = now.kind === "core" ? `core ${now.id}` : now.id ?? "all cores";
    holder.replaceChildren(drawn(`${block.caption}: ${of}`, one ? Object.entries(one[block.follows]) : whole));
  });
  return html("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": block.caption }, holder);
}

const BLOCKS = {
  listing,
  bars: barsBlock,
  note: ({ sentences }, data) => html("p", { class: "faint" }, sentences.map((text) => sentence(text, data)).filter(Boolean).join(" ")),
  drawing: ({ name }, data, selection) => DRAWINGS[name](data, selection),
};

// What a panel shows: its sentences above all else.
function panelContent(panel, data, selection) {
  const made = panel.blocks.map((block) => [block.kind, BLOCKS[block.kind](block, data, selection)]);
  if (!panel.wide) return made.map(([, element]) => element);
  return [made.filter(([kind]) => kind === "note").map(([, element]) => element), html("div", { class: "two" }, made.filter(([kind]) => kind !== "note").map(([, element]) => element))];
}
