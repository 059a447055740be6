// Puts the page together.

const head = document.getElementById("head"), main = document.getElementById("content"), nav = document.getElementById("nav"), bar = document.getElementById("bar");

function section(id, title, ...content) {
  const place = html("section", { id, "aria-labelledby": `${id}-title` }, html("h2", { id: `${id}-title` }, title), content);
  (section.into || main).append(place);
  return html("li", {}, html("a", { href: `#${id}`, onclick: (event) => {
    event.preventDefault();  // the address is the selection's
    place.setAttribute("tabindex", "-1");
    place.scrollIntoView();
    place.focus({ preventScroll: true });
  } }, title));
}

// Sections side by side where there is room.
function together(...sections) {
  if (sections.length === 1) return sections[0]();
  section.into = html("div", { class: "two" });
  const links = sections.map((make) => make());
  main.append(section.into);
  section.into = null;
  return links;
}

function selectionBar(data, selection) {
  const told = html("output", { id: "selected", "aria-live": "polite" });
  const clear = html("button", { type: "button", onclick: () => selection.clear() }, "clear (Esc)");
  const only = html("input", { type: "checkbox", id: "only", onchange: (event) => selection.only(event.target.checked) });
  const box = html("input", { list: "names", id: "find", placeholder: "core or node", "aria-label": "Select a core or a node", size: 22, onchange: (event) => {
    const text = event.target.value.trim(), number = Number(text.replace(/^core\s*/, ""));
    if (selection.nodes.has(text)) selection.select("node", text);
    else if (text && selection.cores.has(number)) selection.select("core", number);
    event.target.value = "";
  } });
  const names = html("datalist", { id: "names" }, data.nodes.filter((node) => node.cores.length).map((node) => html("option", { value: node.node })), data.cores.map((core) => html("option", { value: `core ${core.core}` })));
  bar.append(html("label", { class: "controls" }, "select ", box), names, html("label", { class: "controls" }, only, " only what is selected"),
    html("span", { class: "controls" }, clear), told);
  selection.follow((now) => {
    clear.disabled = !now.kind;
    only.disabled = !now.kind;
    const more = now.kind === "core" ? `works for ${now.nodes.size ? [...now.nodes].join(", ") : "no node"}; exchanges messages with ${now.peers.size} core${now.peers.size === 1 ? "" : "s"}`
      : now.kind === "node" ? (now.cores.size ? `on core${now.cores.size === 1 ? "" : "s"} ${ranges(now.cores)}` : "on no core") : "";
    const text = now.kind ? `${now.kind} ${now.id}: ${more}` : "nothing selected";
    told.textContent = text.length > 2 * LONGEST ? `${text.slice(0, 2 * LONGEST)}…` : text;
    told.title = text;
  });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") selection.clear(); });
}

// The panels of which there is something to show, those together that stand beside each other.
function panelsBeside(data) {
  const groups = [];
  for (const panel of PANELS) {
    if (panel.needs && !Object.keys(found(data, panel.needs) ?? {}).length) continue;
    if (panel.beside && groups.length) groups[groups.length - 1].push(panel);
    else groups.push([panel]);
  }
  return groups;
}

function single(data) {
  const selection = selectionOver(data);
  head.append(html("h1", {}, `${data.model || "programs written by hand"} on ${data.arch}`), verdictPart(data), findingPart(data, selection), facts(data));
  selectionBar(data, selection);
  const links = panelsBeside(data).map((panels) => together(...panels.map((panel) => () => section(panel.name, panel.title, panelContent(panel, data, selection)))));
  links.push(
    data.absent.length > 0 && section("missing", "What is not here", absentSection(data)),
    section("origin", "Where this comes from", provenance(data)),
  );
  nav.append(html("ul", {}, links));
  selection.fromAddress();
}

addEventListener("beforeprint", () => { for (const details of document.querySelectorAll("details")) details.open = true; });
if (report.reports) comparison(report);
else single(report);
document.documentElement.dataset.ready = "yes";
