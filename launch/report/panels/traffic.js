// Who sends whom how much: a square per pair, and the same as a table.

DRAWINGS.traffic = (data, selection) => {
  const cores = data.cores.map((core) => core.core), place = new Map(cores.map((core, index) => [core, index]));
  const count = Math.max(1, cores.length), cell = 600 / count, edge = 34, labels = count <= 64;
  const most = Math.max(1, ...data.traffic.map((pair) => pair.bytes));
  const level = (bytes) => 0.12 + 0.88 * (Math.log1p(bytes) / Math.log1p(most));
  const side = Math.max(cell, 2.4);  // so that a pair of a thousand cores can be seen
  const squares = data.traffic.filter((pair) => place.has(pair.from) && place.has(pair.to)).map((pair) => svg("rect", { class: "scaled",
    x: (edge + place.get(pair.to) * cell).toFixed(2), y: (edge + place.get(pair.from) * cell).toFixed(2), width: side.toFixed(2), height: side.toFixed(2), style: { "--v": level(pair.bytes).toFixed(4) },
    "data-from": pair.from, "data-bytes": pair.bytes,
    "data-tip": `core ${pair.from} to core ${pair.to}: ${written(pair.messages, "count")} messages, ${written(pair.bytes, "bytes")} per sample` }));
  const names = !labels ? [] : cores.flatMap((core, index) => [
    svg("text", { class: "axis", x: edge + (index + 0.5) * cell, y: edge - 4, "text-anchor": "middle", style: { "font-size": `${Math.min(11, cell * 0.7)}px` } }, String(core)),
    svg("text", { class: "axis", x: edge - 4, y: edge + (index + 0.65) * cell, "text-anchor": "end", style: { "font-size": `${Math.min(11, cell * 0.7)}px` } }, String(core))]);
  const bands = svg("g");
  const drawing = svg("svg", { id: "matrix", viewBox: `0 0 ${edge + 606} ${edge + 606}`, role: "img", style: { "max-width": "640px" },
    "aria-label": `Traffic of ${data.traffic.length} pairs of cores; the table below has the same` },
  svg("rect", { x: edge, y: edge, width: 600, height: 600, fill: "none", stroke: "var(--line)" }), bands, squares,
  svg("text", { class: "axis", x: edge + 300, y: 10, "text-anchor": "middle" }, "receiver →"),
  svg("text", { class: "axis", x: 10, y: edge + 300, "text-anchor": "middle", transform: `rotate(-90 10 ${edge + 300})` }, "← sender"), names);
  drawing.addEventListener("click", (event) => {
    if (event.target.dataset.from) selection.select("core", Number(event.target.dataset.from));
  });
  tips(drawing, (target) => target.dataset.tip);
  selection.follow((now) => bands.replaceChildren(...(now.cores ? [...now.cores].filter((core) => place.has(core)) : []).flatMap((core) => {
    const at = edge + place.get(core) * cell;
    return [svg("rect", { class: "band", x: edge, y: at, width: 600, height: side }), svg("rect", { class: "band", x: at, y: edge, width: side, height: 600 })];
  })));
  return html("figure", {}, drawing, html("figcaption", {}, `Stronger is more, up to ${written(most, "bytes")} per sample, on a scale of logarithms`));
};
