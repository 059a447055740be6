// The first sample in simulated time: a row per core, slices per node, and below them the time in requests.

const WIDE = 1000, LABEL = 46, TOP = 16;

const hue = (place) => Math.round((place * 137.508) % 360);

function ticks(from, to) {
  const raw = (to - from) / 6, power = 10 ** Math.floor(Math.log10(Math.max(raw, 1)));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= raw) || 10 * power;
  const found = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) found.push(at);
  return found;
}

DRAWINGS.timeline = (data, selection) => {
  const told = data.timeline, places = new Map(data.nodes.map((node, place) => [node.node, place]));
  const hueOf = (name) => hue(places.get(name) ?? places.size);
  const view = { from: 0, to: told.end_ps };
  const holder = html("div", { class: "scroll" }), where = html("output", { class: "faint" });
  let now = null;

  function draw() {
    const cores = told.cores.filter((core) => !(now?.only && now.kind && !now.cores.has(core.core)));
    const height = cores.length <= 70 ? 12 : cores.length <= 300 ? 5 : Math.max(1.2, 900 / cores.length);
    const scale = (WIDE - LABEL) / (view.to - view.from), bottom = TOP + cores.length * height;
    const x = (ps) => LABEL + (Math.min(Math.max(ps, view.from), view.to) - view.from) * scale;
    const rect = ([begin, end, name], y, tall, style, core, what) => (end <= view.from || begin >= view.to ? null
      : svg("rect", { x: x(begin).toFixed(2), y: y.toFixed(2), width: Math.max(0.15, x(end) - x(begin)).toFixed(2), height: tall.toFixed(2), ...style,
        "data-core": core, "data-slice": `${begin}|${end}|${what} ${told.names[name]}` }));
    const rows = cores.map((core, place) => {
      const y = TOP + place * height, tall = height * 0.62;
      const dark = now?.kind && !now.cores.has(core.core);
      const faded = (name) => (now?.kind === "node" && !now.nodes.has(told.names[name]) ? "named dim" : "named");
      return svg("g", { class: dark ? "dim" : null, "data-row": core.core },
        cores.length <= 70 ? svg("text", { class: "axis", x: LABEL - 4, y: y + height * 0.7, "text-anchor": "end", style: { "font-size": "8px" } }, String(core.core)) : null,
        core.slices.map((cut) => rect(cut, y, tall, { class: faded(cut[2]), style: { "--h": hueOf(told.names[cut[2]]) } }, core.core, "works for")),
        core.requests.map((cut) => rect(cut, y + tall, height * 0.24, { class: "waits" }, core.core, "in a request:")));
    });
    const path = (data.critical_path?.chain || []).filter((link) => link.end_ps > view.from && link.begin_ps < view.to);
    const rowOf = new Map(cores.map((core, place) => [core.core, place]));
    const marks = path.filter((link) => rowOf.has(link.core)).map((link) => svg("line", { class: "mark", stroke: "var(--chosen)",
      "stroke-width": Math.max(0.8, height * 0.14), x1: x(link.begin_ps), x2: x(link.end_ps), y1: TOP + (rowOf.get(link.core) + 0.95) * height, y2: TOP + (rowOf.get(link.core) + 0.95) * height }));
    const axis = ticks(view.from, view.to).map((at) => [svg("line", { class: "grid", x1: x(at), x2: x(at), y1: TOP - 3, y2: bottom }),
      svg("text", { class: "axis", x: x(at), y: TOP - 5, "text-anchor": "middle" }, at ? written(at, "ps") : "0")]);
    const drawing = svg("svg", { id: "timeline", viewBox: `0 0 ${WIDE + 20} ${bottom + 4}`, role: "img",
      "aria-label": `Timeline of ${cores.length} cores over ${written(told.end_ps, "ps")} of simulated time; the tables below have the times of nodes and cores` }, axis, rows, marks);
    drawing.addEventListener("click", (event) => {
      const core = event.target.dataset.core;
      if (core !== undefined) selection.select("core", Number(core));
    });
    tips(drawing, (target) => {
      if (!target.dataset.slice) return "";
      const [begin, end, text] = target.dataset.slice.split(/\|(\d+)\|(.*)/s);
      return `core ${target.dataset.core} ${text}\nfrom ${written(Number(begin), "ps")} for ${written(end - begin, "ps")}`;
    });
    holder.replaceChildren(drawing);
    where.textContent = `${written(view.from, "ps")} to ${written(view.to, "ps")}`;
  }

  function zoom(factor, shift) {
    const span = Math.min(told.end_ps, Math.max(told.resolution_ps * 4, (view.to - view.from) * factor));
    const middle = (view.from + view.to) / 2 + shift * (view.to - view.from);
    view.from = Math.round(Math.max(0, Math.min(told.end_ps - span, middle - span / 2)));
    view.to = Math.round(view.from + span);
    draw();
  }

  const button = (text, label, factor, shift) => html("button", { type: "button", "aria-label": label, onclick: () => zoom(factor, shift) }, text);
  const legend = html("p", { class: "legend", style: { "flex-wrap": "wrap" } }, data.nodes.filter((node) => node.cores.length).slice(0, 60).map((node) => html("button", { type: "button",
    "data-node": node.node, onclick: () => selection.select("node", node.node) },
    html("span", { class: "swatch", style: { "--h": hueOf(node.node) } }), node.node)));
  selection.follow((selected) => {
    now = selected;
    for (const entry of legend.children) entry.setAttribute("aria-pressed", String(now.kind === "node" && now.id === entry.dataset.node));
    draw();
  });
  return [html("div", { class: "controls" }, button("+", "zoom in", 0.5, 0), button("−", "zoom out", 2, 0), button("←", "earlier", 1, -0.4), button("→", "later", 1, 0.4), where), holder, legend];
};
