// The network's graph from top to bottom, each node linked to its cores.

const BOX = [152, 34], GAP = [18, 30];

// Rows of nodes: each below all that it reads; within a row near what it reads.
function layers(nodes, edges) {
  const before = new Map(nodes.map((name) => [name, []]));
  for (const [from, to] of edges) if (before.has(from) && before.has(to) && from !== to) before.get(to).push(from);
  const depth = new Map();
  for (const start of nodes) {  // without recursion: networks are deep
    const open = [start];
    while (open.length) {
      const name = open[open.length - 1];
      if (depth.has(name)) { open.pop(); continue; }
      const waiting = before.get(name).filter((other) => !depth.has(other) && !open.includes(other));
      if (waiting.length) { open.push(...waiting); continue; }
      depth.set(name, Math.max(-1, ...before.get(name).map((other) => depth.get(other) ?? -1)) + 1);
      open.pop();
    }
  }
  const rows = [];
  for (const name of nodes) (rows[depth.get(name)] ??= []).push(name);
  const place = new Map();
  for (const row of rows) {
    const middle = (name) => {
      const found = before.get(name).map((other) => place.get(other)).filter((x) => x !== undefined);
      return found.length ? found.reduce((sum, x) => sum + x, 0) / found.length : 0;
    };
    row.sort((a, b) => middle(a) - middle(b));
    row.forEach((name, index) => place.set(name, index - (row.length - 1) / 2));
  }
  return { rows, place, depth };
}

DRAWINGS.network = (data, selection) => {
  const names = data.nodes.map((node) => node.node), { rows, place, depth } = layers(names, data.graph.edges);
  const widest = Math.max(1, ...rows.map((row) => row.length));
  const size = [widest * (BOX[0] + GAP[0]) + GAP[0], rows.length * (BOX[1] + GAP[1]) + GAP[1]];
  const x = (name) => size[0] / 2 + place.get(name) * (BOX[0] + GAP[0]), y = (name) => GAP[1] / 2 + depth.get(name) * (BOX[1] + GAP[1]);
  const edges = data.graph.edges.filter(([from, to]) => place.has(from) && place.has(to)).map(([from, to]) => {
    const [x1, y1, x2, y2] = [x(from), y(from) + BOX[1], x(to), y(to)], bend = (y2 - y1) / 2;
    return { from, to, line: svg("path", { class: "edge", d: `M${x1},${y1} C${x1},${y1 + bend} ${x2},${y2 - bend} ${x2},${y2}` }) };
  });
  const most = Math.max(1e-300, ...data.nodes.map((node) => node.compute_ps ?? node.macs));
  const cut = (text, length) => (text.length > length ? `${text.slice(0, length - 1)}…` : text);
  const options = data.nodes.map((node) => {
    const [left, top] = [x(node.node) - BOX[0] / 2, y(node.node)], told = node.compute_ps ?? node.macs;
    const under = node.cores.length ? `${node.kind ? `${node.kind}, ` : ""}cores ${ranges(node.cores)}` : node.kind || "no core";
    const text = [node.node, node.kind, node.cores.length ? `cores ${ranges(node.cores)}` : node.note,
      node.compute_ps === null ? "" : `operations ${written(node.compute_ps, "ps")}`, `multiplications ${written(node.macs, "count")}`].filter(Boolean);
    const element = svg("g", { class: `box${node.cores.length ? "" : " fused"}`, role: "option", "aria-selected": "false",
      "aria-label": text.join(", "), "data-node": node.node, "data-tip": text.join("\n") },
    svg("rect", { x: left, y: top, width: BOX[0], height: BOX[1], rx: 4 }),
    svg("rect", { class: "bar", x: left, y: top + BOX[1] - 3, width: (BOX[0] * told) / most, height: 3 }),
    svg("text", { x: left + 6, y: top + 13, style: { "font-size": "11px", "font-weight": 600 } }, cut(node.node, 20)),
    svg("text", { class: "axis", x: left + 6, y: top + 26 }, cut(under, 26)));
    return { element, node, x: x(node.node), y: top };
  });
  const boxes = svg("g", { role: "listbox", "aria-label": "Nodes of the network; arrow keys move, Enter selects" }, options.map(({ element }) => element));
  const drawing = svg("svg", { id: "graph", viewBox: `0 0 ${size[0]} ${size[1]}`, style: { width: `${size[0]}px`, "max-width": size[0] < 900 ? "100%" : "none" } },
    svg("g", { "aria-hidden": "true" }, edges.map(({ line }) => line)), boxes);
  const holder = html("div", { class: "scroll" }, drawing);
  if (options.length) roving(boxes, options, (index) => selection.select("node", options[index].node.node));
  tips(drawing, (target) => target.closest("[data-tip]")?.dataset.tip);
  selection.follow((now) => {
    for (const { element, node } of options) {
      const lit = now.nodes?.has(node.node) ?? false;
      element.classList.toggle("chosen", lit);
      element.classList.toggle("dim", Boolean(now.kind) && !lit);
      element.setAttribute("aria-selected", String(now.kind === "node" && now.id === node.node));
    }
    const first = options.find(({ node }) => now.nodes?.has(node.node));
    const top = first ? (first.y / size[1]) * drawing.getBoundingClientRect().height : 0;
    if (first && (top < holder.scrollTop || top > holder.scrollTop + holder.clientHeight - BOX[1])) holder.scrollTop = top - 60;
    for (const { from, to, line } of edges) line.classList.toggle("lit", Boolean(now.nodes?.has(from) || now.nodes?.has(to)));
  });
  const source = data.graph.source === "model" ? "Edges as in the ONNX file" : "Edges: whose results the programs read";
  return [html("p", { class: "faint" }, `${source}. The bar is the node's ${data.time ? "time of operations" : "multiplications"}; dashed: fused into another node, or on no core.`),
    holder];
};
