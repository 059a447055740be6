// The cores on the mesh, coloured by a metric, and the links between them by bytes.

const PITCH = 20, SIDE = 13.5;  // of a core, in units of the drawing
const WHOLE = 128;  // a mesh of more cores is cut to those in use

function amount(metric, core) {
  const parts = metric.fields.map((field) => core[field]);
  return parts.some((part) => part === null || part === undefined) ? null : parts.reduce((sum, part) => sum + part, 0);
}

// Column and row of a core in the drawing: on its chip, which stands beside others with a core's room between them.
function placeOf({ width, height, across, chip_cores: size }, core) {
  const number = Math.floor(core / size), there = core % size;
  return [(number % across) * (width + 1) + (there % width), Math.floor(number / across) * (height + 1) + Math.floor(there / width)];
}

function chipOf({ chips, chip_cores: size }, core) {
  const number = Math.floor(core / size);
  return number < chips ? `chip ${number}` : "the switch between chips";
}

// What of the mesh is drawn: [left, top, right, bottom], in cores.
function part(data, whole) {
  const { cores } = data.chip, all = whole || cores <= WHOLE || !data.cores.length;
  const used = [...(all ? Array(cores).keys() : data.cores.map((core) => core.core)), ...data.chip.links.flatMap((link) => [link.from, link.to])];
  const places = used.map((core) => placeOf(data.chip, core)), columns = places.map(([column]) => column), rows = places.map(([, row]) => row);
  const ends = (values) => values.reduce(([low, high], value) => [Math.min(low, value), Math.max(high, value)], [Infinity, -Infinity]);
  const [left, right] = ends(columns), [top, bottom] = ends(rows);
  return [left, top, right, bottom];
}

function coreText(data, metrics, core) {
  const { width, chips, chip_cores: size } = data.chip, there = core.core % size;
  const lines = [`core ${core.core} at column ${there % width}, row ${Math.floor(there / width)}${chips > 1 ? ` of ${chipOf(data.chip, core.core)}` : ""}`];
  for (const metric of metrics) {
    const value = amount(metric, core);
    if (value !== null) lines.push(`${metric.title}: ${written(value, metric.unit)}`);
  }
  lines.push(`nodes: ${core.nodes.join(", ") || "none"}`);
  return lines.join("\n");
}

function chip({ data, selection, metrics, metric, most, whole, links, name }) {
  const [left, top, right, bottom] = part(data, whole);
  const x = (core) => (placeOf(data.chip, core)[0] - left) * PITCH + PITCH / 2, y = (core) => (placeOf(data.chip, core)[1] - top) * PITCH + PITCH / 2;
  const ends = (link) => ["from", "to"].map((end) => chipOf(data.chip, link[end]));
  const linkText = (link) => {
    const [one, other] = ends(link);
    return one === other ? `core ${link.from} to core ${link.to}` : `${one} to ${other}`;
  };
  const greatest = most ?? Math.max(0, ...data.cores.map((core) => amount(metric, core) ?? 0));
  const heaviest = Math.max(1, ...data.chip.links.map((link) => link.bytes));
  const lines = !links ? [] : data.chip.links.map((link) => {
    const [x1, y1, x2, y2] = [x(link.from), y(link.from), x(link.to), y(link.to)];
    const [dx, dy] = [Math.sign(x2 - x1), Math.sign(y2 - y1)];  // both directions side by side
    const shift = 2.2, reach = SIDE / 2;
    return svg("line", { class: "link", x1: x1 + dx * reach - dy * shift, y1: y1 + dy * reach + dx * shift,
      x2: x2 - dx * reach - dy * shift, y2: y2 - dy * reach + dx * shift,
      "stroke-width": (0.3 + (data.cores.length > 300 ? 1.7 : 2.4) * Math.sqrt(link.bytes / heaviest)).toFixed(2), "data-bytes": link.bytes,
      "data-tip": `link from ${linkText(link)}: ${written(link.bytes, "bytes")} per sample` });
  });
  const numbered = data.cores.length <= 300;
  const options = data.cores.map((core) => {
    const value = amount(metric, core), level = value && greatest ? Math.sqrt(value / greatest) : 0;
    const label = `core ${core.core}, ${metric.title} ${written(value, metric.unit)}`;
    const element = svg("g", { class: `core${level > 0.5 ? " deep" : ""}${value === null ? " unknown" : ""}`, role: "option",
      "aria-selected": "false", "aria-label": label, "data-core": core.core, "data-value": value, "data-tip": coreText(data, metrics, core) },
      svg("rect", { class: value === null ? null : "scaled", x: x(core.core) - SIDE / 2, y: y(core.core) - SIDE / 2, width: SIDE, height: SIDE,
        rx: 1.5, style: { "--v": level.toFixed(4) } }),
      numbered ? svg("text", { x: x(core.core), y: y(core.core) + 2, style: { "font-size": "5.5px" }, "aria-hidden": "true" }, String(core.core)) : null);
    return { element, core, x: x(core.core), y: y(core.core) };
  });
  const used = new Set(data.cores.map((core) => core.core)), empty = [];
  const mark = (core, text) => empty.push(svg("g", { class: "core none", "data-tip": text },
    svg("rect", { x: x(core) - SIDE / 3, y: y(core) - SIDE / 3, width: SIDE / 1.5, height: SIDE / 1.5, rx: 1.5 })));
  for (let core = 0; core < data.chip.cores; core += 1) {
    const [column, row] = placeOf(data.chip, core);
    if (!used.has(core) && column >= left && column <= right && row >= top && row <= bottom) mark(core, `core ${core} holds no program`);
  }
  if (data.chip.links.some((link) => link.to >= data.chip.cores)) mark(data.chip.cores, chipOf(data.chip, data.chip.cores));
  const size = [(right - left + 1) * PITCH, (bottom - top + 1) * PITCH];
  const cores = svg("g", { role: "listbox", "aria-label": `Cores by ${metric.title}; arrow keys move, Enter selects` }, options.map(({ element }) => element));
  const drawing = svg("svg", { id: name, viewBox: `0 0 ${size[0]} ${size[1]}`, style: { "max-width": `${Math.max(300, Math.min(760, size[0] * 3))}px` } },
    svg("g", { "aria-hidden": "true" }, empty, lines), cores);
  roving(cores, options, (place) => selection.select("core", options[place].core.core));
  tips(drawing, (target) => target.closest("[data-tip]")?.dataset.tip);
  const follower = (now) => {
    for (const { element, core } of options) {
      const lit = now.cores?.has(core.core) ?? false;
      element.classList.toggle("chosen", lit);
      element.classList.toggle("peer", !lit && now.peers.has(core.core));
      element.classList.toggle("dim", Boolean(now.kind) && !lit && !now.peers.has(core.core));
      element.setAttribute("aria-selected", String(now.kind === "core" && now.id === core.core));
    }
  };
  return { drawing, follower, greatest };
}

DRAWINGS.chip = (data, selection) => {
  const known = data.metrics.filter((metric) => data.cores.some((core) => amount(metric, core) !== null));
  const settings = { metric: known[0], whole: false, links: true };
  const figure = html("figure"), legend = html("p", { class: "legend" });
  let follower = () => {}, last = null;
  const draw = () => {
    const made = chip({ data, selection, metrics: known, ...settings, name: "chip-map" });
    follower = made.follower;
    figure.replaceChildren(made.drawing, html("figcaption", {}, `${data.cores.length} of ${data.chip.cores} cores hold a program; a frame marks what is selected, a dashed one whom it exchanges messages with`));
    legend.replaceChildren("0 ", html("i", { "aria-hidden": "true" }), ` ${written(made.greatest, settings.metric.unit)} per sample (colour by its square root)`);
    if (last) follower(last);
  };
  const box = (label, key) => html("label", {}, html("input", { type: "checkbox", checked: settings[key],
    onchange: (event) => { settings[key] = event.target.checked; draw(); } }), ` ${label}`);
  const choice = html("select", { id: "metric", onchange: (event) => { settings.metric = known[event.target.selectedIndex]; draw(); } },
    known.map((metric) => html("option", { value: metric.name }, metric.title)));
  draw();
  selection.follow((now) => { last = now; follower(now); });
  const cut = data.chip.cores > WHOLE && data.cores.length < data.chip.cores;
  return [html("div", { class: "controls" }, html("label", {}, "colour ", choice), box("links", "links"), cut && box("whole chip", "whole")), legend, figure];
};
