// Two compilations side by side: totals, nodes, and both chips on one scale.

const sign = (a, b) => (a === null || b === null || a === b ? "" : b > a ? "less" : "more");  // less is better, of all that is compared

function ratio(a, b) {
  if (a === null || b === null || a === undefined || b === undefined) return UNKNOWN;
  return a === b ? "=" : a === 0 ? "new" : `×${digits(b / a)}`;
}

function comparison(data) {
  const [a, b] = data.reports;
  head.append(html("h1", {}, "Two compilations"), html("dl", { class: "plain" }, ["A", "B"].map((name, place) => {
    const one = data.reports[place];
    return [html("dt", {}, name), html("dd", {}, `${one.out}: ${one.model || "programs written by hand"} on ${one.arch}; ${Object.entries(one.options).map(([key, value]) => `${key} ${value}`).join(", ")}`)];
  })), ...data.reports.flatMap((one) => [verdictPart(one), findingPart(one)]), data.same_network ? "" : html("p", {}, "A and B are of different networks."));
  const figures = [
    { key: "figure", title: "figure", unit: "text", of: (row) => row.title },
    { key: "a", title: "A", unit: "number", of: (row) => row.a, show: (row) => written(row.a, row.unit) },
    { key: "b", title: "B", unit: "number", of: (row) => row.b, show: (row) => written(row.b, row.unit) },
    { key: "ratio", title: "B : A", unit: "number", of: (row) => row.ratio, show: (row) => ratio(row.a, row.b), mark: (row) => (row.less_is_better && row.fair ? sign(row.a, row.b) : null) },
  ];
  const links = [section("figures", "Figures", table({ name: "figures-table", caption: "The whole chip, per sample", columns: figures, rows: data.figures, filter: false }), html("ul", {}, data.notes.map((note) => html("li", {}, note)))), chips(data, a, b),
    section("nodes", "Nodes", table({ name: "compared-nodes", caption: "Nodes by their names; A, B and their ratio", columns: nodeColumns(data), rows: data.nodes })),
    section("missing", "What is not here", data.reports.map((one, place) => [html("h3", {}, "AB"[place]), absentSection({ absent: one.absent })]))];
  nav.append(html("ul", {}, links));
}

function nodeColumns(data) {
  const columns = [{ key: "node", title: "node", unit: "text", of: (row) => row.node }];
  for (const { name, title, unit } of data.node_figures) {
    for (const side of ["a", "b"]) {
      columns.push({ key: `${name}_${side}`, title: `${title} ${side.toUpperCase()}`, unit, of: (row) => row[side]?.[name] ?? null });
    }
    columns.push({ key: `${name}_ratio`, title: "B : A", unit: "number", of: (row) => row.ratio[name], show: (row) => ratio(row.a?.[name], row.b?.[name]) });
  }
  return columns;
}

function chips(data, a, b) {
  const known = a.metrics.filter((metric) => data.reports.every((one) => one.cores.some((core) => amount(metric, core) !== null)));
  const holder = html("div", { class: "two" });
  const selections = data.reports.map((one) => selectionOver(one)), followers = [];
  selections.forEach((selection, place) => selection.follow((now) => followers[place]?.(now)));
  const draw = (metric) => {
    const most = Math.max(...data.reports.flatMap((one) => one.cores.map((core) => amount(metric, core) ?? 0)));
    holder.replaceChildren(...data.reports.map((one, place) => {
      const made = chip({ data: one, selection: selections[place], metrics: known, metric, most, whole: false, links: true, name: `chip-${"ab"[place]}` });
      followers[place] = made.follower;
      return html("figure", {}, html("h3", {}, "AB"[place]), made.drawing, html("figcaption", {}, `${one.cores.length} of ${one.chip.cores} cores; strongest: ${written(most, metric.unit)}`));
    }));
  };
  const choice = html("select", { onchange: (event) => draw(known[event.target.selectedIndex]) }, known.map((metric) => html("option", { value: metric.name }, metric.title)));
  draw(known[0]);
  return section("chip", "Chips", html("div", { class: "controls" }, html("label", {}, "colour ", choice)), holder);
}
