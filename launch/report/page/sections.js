// Text and tables: verdict, facts, nodes, cores, instruction mix, critical path, time and energy, what is absent.

const STATES = { right: "RIGHT", wrong: "WRONG", failed: "FAILED", "not compared": "NOT COMPARED", "no run": "NO RUN" };

function verdictPart(data) {
  return html("p", { class: `verdict ${data.verdict.state.replace(" ", "-")}`, "data-value": data.verdict.state },
    html("b", {}, STATES[data.verdict.state]), data.verdict.sentence);
}

// What a search for the first wrong node has found; `selection`, if there is one, follows the buttons.
function findingPart(data, selection) {
  const found = data.verdict.bisect;
  if (!found) return "";
  const known = selection ? [["node", found.node], ["core", found.core]].filter(([kind, id]) => selection[`${kind}s`].has(id)) : [];
  return html("div", { class: "finding", role: "group", "aria-label": "First wrong node" }, html("pre", {}, found.lines.join("\n")),
    known.map(([kind, id]) => html("button", { type: "button", onclick: () => selection.select(kind, id) }, `select ${kind} ${id}`)));
}

function facts(entries) {
  return html("dl", { class: "facts" }, entries.filter(([, value]) => value !== null && value !== undefined).map(([key, value, unit, title]) =>
    html("div", {}, html("dt", {}, title), html("dd", { "data-key": key, "data-value": String(value) }, written(value, unit)))));
}

const factsOf = (data) => [
  ["latency_ps", data.time?.latency_ps, "ps", "latency, simulated"],
  ["period_ps", data.time?.period_ps, "ps", "per sample, simulated"],
  ["seconds_per_sample", data.real?.seconds_per_sample, "seconds", "per sample, this run on the host"],
  ["energy_pj", data.time?.energy_pj, "pj", "energy of a sample"],
  ["power_mw", data.time?.power_mw, "number", "average power, mW"],
  ["peak_power_mw", data.time?.peak_power?.power_mw, "number", "peak power, mW"],
  ["area_mm2", data.time?.area_mm2, "number", "area, mm²"],
  ["cores", data.totals.cores, "count", "cores with a program"],
  ["crossbars", data.totals.crossbars, "count", "crossbars in use"],
  ["crossbar_share", data.totals.crossbar_share, "share", "of the crossbars of these cores"],
  ["cell_share", data.totals.cell_share, "share", "of the cells of these crossbars"],
  ["macs", data.totals.macs, "count", "multiplications per sample"],
  ["cell_writes", data.wear?.cell_writes, "count", "cells of crossbars written per sample"],
  ["lifetime_years", data.wear?.lifetime_years, "number", "lifetime of written crossbars, years"],
  ["balance", data.totals.balance, "share", "balance: mean load over highest"],
  ["messages", data.totals.messages, "count", "messages per sample"],
  ["bytes", data.totals.bytes, "bytes", "bytes sent per sample"],
  ["byte_hops", data.totals.byte_hops, "bytes", "bytes × links"],
  ["memory", data.totals.memory, "bytes", "local memory, at most"],
];

const NODE_COLUMNS = [
  { key: "node", title: "node", unit: "text", of: (node) => node.node },
  { key: "kind", title: "operator", unit: "text", of: (node) => node.kind || null },
  { key: "where", title: "runs on", unit: "text", of: (node) => node.where || node.note || null },
  { key: "cores", title: "cores", unit: "count", of: (node) => node.cores.length, show: (node) => ranges(node.cores) || UNKNOWN },
  { key: "crossbars", title: "crossbars", unit: "count", of: (node) => node.crossbars },
  { key: "cell_share", title: "cells used", unit: "share", of: (node) => (node.crossbars ? node.cell_share : null), hint: "share of the cells of its crossbars that hold weights" },
  { key: "macs", title: "MACs", unit: "count", of: (node) => node.macs },
  { key: "messages", title: "messages", unit: "count", of: (node) => node.messages },
  { key: "bytes", title: "bytes", unit: "bytes", of: (node) => node.bytes },
  { key: "compute_ps", title: "operations", unit: "ps", of: (node) => node.compute_ps, hint: "simulated time of its operations, all cores together" },
  { key: "transfer_ps", title: "transfers", unit: "ps", of: (node) => node.transfer_ps, hint: "simulated time of its messages and requests" },
  { key: "path_ps", title: "on the path", unit: "ps", of: (node) => node.path_ps, hint: "its part of the critical path" },
  { key: "slack_ps", title: "slack", unit: "ps", of: (node) => node.slack_ps, hint: "how much later it could be at no cost" },
  { key: "energy_pj", title: "energy", unit: "pj", of: (node) => node.energy_pj, hint: "dynamic energy of a sample" },
  { key: "real_seconds", title: "real time", unit: "seconds", of: (node) => node.real_seconds, hint: "of its operations on this host, all cores together" },
  { key: "real_request_seconds", title: "real transfers", unit: "seconds", of: (node) => node.real_request_seconds, hint: "of its messages and requests on this host, waiting included" },
  { key: "error", title: "error", unit: "number", of: (node) => node.error?.relative, mark: (node) => node.error && !node.error.passed && "wrong",
    show: (node) => (node.error ? `${written(node.error.relative, "number")}${node.error.passed ? "" : " WRONG"}` : UNKNOWN),
    hint: "largest difference from the golden values, relative to their largest magnitude" },
];

function nodesSection(data, selection) {
  return table({ name: "nodes-table", caption: "Per node and sample; simulated times of all its cores together", columns: NODE_COLUMNS, rows: data.nodes,
    pick: (node) => selection.select("node", node.node), chosen: (node, now) => now.kind === "node" && now.id === node.node,
    keep: (node, now) => now.nodes?.has(node.node), follow: selection.follow });
}

function coresSection(data, selection, metrics) {
  const columns = [{ key: "core", title: "core", unit: "count", of: (core) => core.core },
    { key: "nodes", title: "nodes", unit: "text", of: (core) => core.nodes.join(", ") },
    { key: "crossbar_share", title: "crossbars used", unit: "share", of: (core) => core.crossbar_share },
    ...metrics.map((metric) => ({ key: metric.name, title: metric.title, unit: metric.unit, of: (core) => amount(metric, core) })),
    { key: "end_ps", title: "ends at", unit: "ps", of: (core) => core.end_ps, hint: "end of the first sample" }];
  return table({ name: "cores-table", caption: "Per core and sample", columns, rows: data.cores,
    pick: (core) => selection.select("core", core.core), chosen: (core, now) => now.kind === "core" && now.id === core.core,
    keep: (core, now) => now.cores?.has(core.core), follow: selection.follow });
}

function wearSection(data, selection) {
  const { wear } = data, worst = wear.most_worn;
  const columns = [
    { key: "name", title: "crossbar", unit: "text", of: (row) => row.name },
    { key: "events", title: "writes", unit: "count", of: (row) => row.events },
    { key: "rows", title: "rows", unit: "count", of: (row) => row.rows },
    { key: "cells", title: "cells", unit: "count", of: (row) => row.cells, hint: "bit slices and both halves of differential pairs counted" },
    { key: "writes_per_cell", title: "per cell", unit: "number", of: (row) => row.writes_per_cell, hint: "if writes are spread evenly over its cells" },
    { key: "lifetime_years", title: "years", unit: "number", of: (row) => row.lifetime_years, hint: "endurance × cells / writes of cells per second" },
  ];
  const groups = [
    { key: "core", title: "core", unit: "count", of: (row) => row.core },
    { key: "group", title: "group", unit: "count", of: (row) => row.group },
    { key: "nodes", title: "nodes", unit: "text", of: (row) => row.nodes.join(", ") },
    { key: "events", title: "writes", unit: "count", of: (row) => row.events },
    { key: "rows", title: "rows", unit: "count", of: (row) => row.rows },
    { key: "cells", title: "cells", unit: "count", of: (row) => row.cells },
    { key: "time_ps", title: "time", unit: "ps", of: (row) => row.time_ps },
    { key: "energy_pj", title: "energy", unit: "pj", of: (row) => row.energy_pj },
  ];
  const shared = { pick: (row) => selection.select("core", row.core), chosen: (row, now) => now.kind === "core" && now.id === row.core,
    keep: (row, now) => now.cores?.has(row.core), follow: selection.follow };
  const years = worst.lifetime_years === null ? "" : `: ${written(worst.lifetime_years, "number")} years`;
  return [html("p", { class: "faint" }, `Most worn: ${worst.name}, ${written(worst.writes_per_cell, "number")} writes per cell and sample${years}.`),
    html("div", { class: "two" }, table({ name: "wear-crossbars", caption: "Crossbars that are written, per sample", columns, rows: wear.crossbars, limit: 300, ...shared }),
      table({ name: "wear-groups", caption: "Array groups that are written, per sample", columns: groups, rows: wear.groups, limit: 300, ...shared }))];
}

function mixSection(data, selection) {
  const holder = html("div"), family = new Map(data.instructions.map((row) => [row.instruction, row.family]));
  const all = Object.fromEntries(data.instructions.map((row) => [row.instruction, row.executed]));
  selection.follow((now) => {
    const [of, counts] = now.kind === "core" ? [`core ${now.id}`, selection.cores.get(now.id).executed]
      : now.kind === "node" ? [now.id, selection.nodes.get(now.id).executed] : ["all cores", all];
    holder.replaceChildren(bars("mix", `Instructions that run in a sample: ${of}`, Object.entries(counts).map(([name, count]) => [name, count, family.get(name)]), "count"));
  });
  return html("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Instruction mix" }, holder);
}

function pathSection(data, selection) {
  const path = data.critical_path;
  const columns = [
    { key: "core", title: "core", unit: "count", of: (link) => link.core },
    { key: "begin_ps", title: "from", unit: "ps", of: (link) => link.begin_ps },
    { key: "ps", title: "for", unit: "ps", of: (link) => link.end_ps - link.begin_ps },
    { key: "what", title: "what", unit: "text", of: (link) => (link.peer !== null ? `message of core ${link.peer}` : link.request ? "request" : "operations") },
    { key: "nodes", title: "nodes", unit: "text", of: (link) => Object.keys(link.nodes).join(", ") },
  ];
  const kinds = Object.entries(path.kinds).sort((a, b) => b[1] - a[1]);
  return html("div", { class: "two" }, bars("path-kinds", `What the latency of ${written(path.latency_ps, "ps")} is made of`, kinds, "ps"),
    table({ name: "path-chain", caption: "The path in order: no part of it can be later", columns, rows: path.chain, limit: 300,
      pick: (link) => selection.select("core", link.core), chosen: (link, now) => now.kind === "core" && now.id === link.core,
      keep: (link, now) => (now.kind === "core" ? now.id === link.core : Object.hasOwn(link.nodes, now.id)), follow: selection.follow }));
}

function timeSection(data) {
  const time = data.time;
  const columns = [
    { key: "component", title: "component", unit: "text", of: (row) => row.component },
    { key: "dynamic_pj", title: "dynamic", unit: "pj", of: (row) => row.dynamic_pj },
    { key: "static_pj", title: "static", unit: "pj", of: (row) => row.static_pj },
    { key: "counts", title: "actions in a sample", unit: "text", of: (row) => Object.entries(row.counts).map(([name, count]) => `${name} ${written(count, "count")}`).join(", ") },
  ];
  const rows = [...time.components].sort((a, b) => (b.dynamic_pj ?? 0) + b.static_pj - (a.dynamic_pj ?? 0) - a.static_pj);
  const blocked = Object.entries(time.blocked_ps).sort((a, b) => b[1] - a[1]);
  return [html("p", { class: "faint" }, `On ${time.arch}, by the model "${time.model}" (${time.source}); ${time.flow}, window ${time.window}, ${time.samples} samples back to back.`),
    html("div", { class: "two" }, rows.length ? table({ name: "components", caption: "Energy of a sample in the steady state", columns, rows, filter: false }) : null,
      bars("blocked", "What cores wait for: all cores, mean of all samples", blocked, "ps"))];
}

function tensorsSection(data) {
  const columns = [
    { key: "name", title: "tensor", unit: "text", of: (row) => row.name },
    { key: "node", title: "node", unit: "text", of: (row) => row.node },
    { key: "passed", title: "verdict", unit: "text", of: (row) => (row.passed ? "pass" : "FAIL"), mark: (row) => !row.passed && "wrong" },
    { key: "max_abs", title: "max|diff|", unit: "number", of: (row) => row.max_abs },
    { key: "relative", title: "relative", unit: "number", of: (row) => row.relative },
    { key: "tolerance", title: "limit", unit: "number", of: (row) => row.tolerance },
    { key: "mismatches", title: "beyond it", unit: "count", of: (row) => row.mismatches },
    { key: "elements", title: "elements", unit: "count", of: (row) => row.elements },
    { key: "worst", title: "worst at", unit: "text", of: (row) => (row.worst?.length ? `[${row.worst.join(", ")}]` : null) },
    { key: "got", title: "got", unit: "number", of: (row) => row.got },
    { key: "want", title: "golden", unit: "number", of: (row) => row.want },
  ];
  return table({ name: "tensors", caption: `Compared with ${data.verdict.source}`, columns, rows: data.verdict.tensors });
}

function absentSection(data) {
  return html("dl", { class: "plain", id: "absent" }, data.absent.map(({ what, why }) => [html("dt", {}, what), html("dd", {}, why)]));
}

function provenance(data) {
  const options = Object.entries(data.options).map(([key, value]) => `${key} ${value}`).join(", ");
  const entries = [["directory", data.out], ["architecture", data.arch], ["options", options], ["manifest sha256", data.manifest_sha256], ["run", data.run], ["trace", data.trace && `${data.trace.file}, ${data.trace.samples} samples`],
    ["warnings", data.warnings.join("; ")]];
  return html("dl", { class: "plain" }, entries.filter(([, text]) => text).map(([key, text]) => [html("dt", {}, key), html("dd", {}, text)]));
}
