// What stands around the panels: verdict, facts, what is not here, and where all comes from.


const STATES = { right: "RIGHT", wrong: "WRONG", failed: "FAILED", "not compared": "NOT COMPARED", "no run": "NO RUN", measured: "MEASURED" };

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

function facts(data) {
  return html("dl", { class: "facts" }, FACTS.map(({ path, title, unit }) => {
    const value = path.reduce((inner, key) => inner?.[key], data) ?? null;
    return value !== null && html("div", {}, html("dt", {}, title),
      html("dd", { "data-key": path.slice(1).join("."), "data-value": String(value) }, written(value, unit)));
  }));
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
