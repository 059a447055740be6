// Tables that can be sorted by their heads and filtered by text; cells keep the exact value in `data-value`.

const LONGEST = 90;  // characters of a cell; the rest is in its title

// `columns`: {key, title, unit, of(row)}; `head`: the column whose cells name the row, with `pick` as buttons.
// Columns of which nothing is known are left out. `keep(row, selection)` says what stays while something is selected.
function table({ name, caption, columns, rows, limit = Infinity, pick, chosen, keep, follow, filter = true }) {
  const shown = columns.filter((column) => rows.some((row) => column.of(row) !== null && column.of(row) !== undefined));
  const body = html("tbody");
  const note = html("p", { class: "faint", "aria-live": "polite" });
  let order = null, backwards = false, wanted = "", selection = null;

  const lines = rows.map((row) => {
    const cells = shown.map((column, place) => {
      const value = column.of(row), numeric = column.unit !== "text";
      const whole = column.show ? column.show(row, value) : written(value, column.unit);
      const text = whole.length > LONGEST ? `${whole.slice(0, LONGEST)}…` : whole;
      const attributes = { class: [numeric && "number", column.mark?.(row)].filter(Boolean).join(" ") || null,
        "data-key": column.key, "data-value": value === null || value === undefined ? null : String(value), title: text === whole ? null : whole };
      if (place) return html("td", attributes, text);
      const label = pick ? html("button", { type: "button", "aria-pressed": "false", onclick: () => pick(row) }, text) : text;
      return html("th", { ...attributes, scope: "row" }, label);
    });
    const line = html("tr", {}, cells);
    const words = cells.map((cell) => cell.textContent).join(" ").toLowerCase();
    return { row, line, words };
  });

  function draw() {
    const fits = lines.filter(({ row, words }) =>
      words.includes(wanted) && !(selection?.only && selection.kind && keep && !keep(row, selection)));
    if (order) {
      const key = (entry) => order.of(entry.row) ?? (order.unit === "text" ? "" : -Infinity);
      const compare = (a, b) => (order.unit === "text" ? String(key(a)).localeCompare(String(key(b)), "en", { numeric: true })
        : key(a) - key(b));
      fits.sort((a, b) => (backwards ? -compare(a, b) : compare(a, b)));
    }
    body.replaceChildren(...fits.slice(0, limit).map(({ line }) => line));
    const fewer = fits.length < rows.length || fits.length > limit;
    note.textContent = fewer ? `${Math.min(limit, fits.length)} of ${rows.length} rows` : "";
  }

  const heads = shown.map((column) => {
    const button = html("button", { type: "button", title: column.hint || null, onclick: () => {
      backwards = order === column ? !backwards : column.unit !== "text";
      order = column;
      heads.forEach((head, place) => head.setAttribute("aria-sort", shown[place] !== order ? "none" : backwards ? "descending" : "ascending"));
      draw();
    } }, column.title);
    return html("th", { scope: "col", class: column.unit === "text" ? null : "number", "aria-sort": "none" }, button);
  });
  const search = filter && rows.length > 5 && html("div", { class: "controls" }, html("label", {}, "filter ",
    html("input", { type: "search", oninput: (event) => { wanted = event.target.value.toLowerCase(); draw(); } })));
  draw();
  follow?.((now) => {
    selection = now;
    for (const { row, line } of lines) {
      const lit = Boolean(now.kind && keep?.(row, now));
      line.classList.toggle("chosen", lit);
      if (chosen) line.querySelector("button")?.setAttribute("aria-pressed", String(chosen(row, now)));
    }
    draw();
  });
  return html("div", {}, search, html("div", { class: "scroll", tabindex: rows.length > 12 ? "0" : null, role: "group",
    "aria-label": caption }, html("table", { id: name }, html("caption", {}, caption), html("thead", {}, html("tr", {}, heads)), body)), note);
}

// Words and amounts with bars as long as their part of the greatest.
function bars(name, caption, entries, unit) {
  const most = Math.max(1e-300, ...entries.map(([, value]) => value));
  return html("table", { id: name, class: "bars" }, html("caption", {}, caption), html("tbody", {}, entries.map(([text, value, hint]) =>
    html("tr", { title: hint || null }, html("th", { scope: "row" }, text), html("td", { class: "number", "data-value": String(value) }, written(value, unit)),
      html("td", { "aria-hidden": "true" }, html("span", { class: "cell-bar", style: { width: `${(100 * value) / most}%` } }))))));
}
