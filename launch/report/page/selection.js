// What is selected - a core, a node, or nothing - and who follows. The address (#core=3) holds it, too.

const report = JSON.parse(document.getElementById("report").textContent);

// What the address of the page names; nothing if somebody has damaged it.
function named(hash) {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return "";
  }
}

function selectionOver(data) {
  const cores = new Map(data.cores.map((core) => [core.core, core]));
  const nodes = new Map(data.nodes.map((node) => [node.node, node]));
  const partners = new Map(data.cores.map((core) => [core.core, new Set()]));
  for (const pair of data.traffic) {
    partners.get(pair.from)?.add(pair.to);
    partners.get(pair.to)?.add(pair.from);
  }
  const followers = [];
  const state = { kind: null, id: null, only: false };

  function current() {
    if (state.kind === "core") {
      const core = cores.get(state.id);
      return { ...state, cores: new Set([core.core]), nodes: new Set(core.nodes), peers: partners.get(core.core) };
    }
    if (state.kind === "node") {
      const node = nodes.get(state.id);
      return { ...state, cores: new Set(node.cores), nodes: new Set([node.node]), peers: new Set() };
    }
    return { ...state, only: false, cores: null, nodes: null, peers: new Set() };
  }

  function tell() {
    const now = current();
    for (const follow of followers) follow(now);
    const hash = state.kind ? `#${state.kind}=${encodeURIComponent(state.id)}` : "#";
    try {
      history.replaceState(null, "", hash);
    } catch { /* a page without an address of its own */ }
  }

  return {
    cores, nodes,
    follow(follower) { followers.push(follower); follower(current()); },
    select(kind, id) {
      const known = kind === "core" ? cores : nodes;
      const same = state.kind === kind && state.id === id;
      Object.assign(state, same || !known.has(id) ? { kind: null, id: null } : { kind, id });
      tell();
    },
    clear() { Object.assign(state, { kind: null, id: null }); tell(); },
    only(value) { state.only = value; tell(); },
    fromAddress() {
      const [kind, text] = named(location.hash).split(/=(.*)/s);
      if (kind === "core" && cores.has(Number(text))) Object.assign(state, { kind, id: Number(text) });
      else if (kind === "node" && nodes.has(text)) Object.assign(state, { kind, id: text });
      else return;
      tell();
    },
  };
}

// Arrow keys among the options of a list in two dimensions: one stop for Tab, Enter and Space select.
// `options` are {element, x, y}; going somewhere takes the nearest option in that direction.
function roving(list, options, chosen) {
  let here = 0;
  const go = (place) => {
    options[here].element.setAttribute("tabindex", "-1");
    here = place;
    options[here].element.setAttribute("tabindex", "0");
    options[here].element.focus();
  };
  const toward = (dx, dy) => {
    const from = options[here];
    let best = -1, least = Infinity;
    options.forEach((to, place) => {
      const along = (to.x - from.x) * dx + (to.y - from.y) * dy;
      const aside = Math.abs((to.x - from.x) * dy) + Math.abs((to.y - from.y) * dx);
      if (along > 0.01 && along + 4 * aside < least) [best, least] = [place, along + 4 * aside];
    });
    return best < 0 ? here : best;
  };
  const moves = {
    ArrowRight: () => toward(1, 0), ArrowLeft: () => toward(-1, 0), ArrowDown: () => toward(0, 1), ArrowUp: () => toward(0, -1),
    Home: () => 0, End: () => options.length - 1,
  };
  options.forEach(({ element }, place) => {
    element.setAttribute("tabindex", place ? "-1" : "0");
    element.addEventListener("click", () => { go(place); chosen(place); });
  });
  list.addEventListener("keydown", (event) => {
    if (event.key in moves) go(moves[event.key]());
    else if (event.key === "Enter" || event.key === " ") chosen(here);
    else return;
    event.preventDefault();
  });
}
