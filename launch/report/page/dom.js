// Elements, numbers as text, and the tooltip.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

const html = (tag, attributes = {}, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes = {}, ...children) => fill(document.createElementNS(SVG, tag), attributes, children);

const digits = (value) => String(Number(value.toPrecision(4)));

function scaled(value, units) {
  const [size, unit] = units.find(([least]) => Math.abs(value) >= least) || units[units.length - 1];
  return `${digits(value / size)} ${unit}`;
}

const TIMES = [[1e12, "s"], [1e9, "ms"], [1e6, "µs"], [1e3, "ns"], [1, "ps"]];
const ENERGIES = [[1e12, "J"], [1e9, "mJ"], [1e6, "µJ"], [1e3, "nJ"], [1, "pJ"]];
const SIZES = [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];
const COUNTS = { format: (value) => value.toLocaleString("en-US") };

// How a value of each unit is written; the exact one is always in `data-value`.
const WRITE = {
  ps: (value) => scaled(value, TIMES),
  pj: (value) => scaled(value, ENERGIES),
  bytes: (value) => scaled(value, SIZES),
  count: (value) => COUNTS.format(value),
  share: (value) => `${digits(value * 100)} %`,
  seconds: (value) => scaled(value * 1e12, TIMES),
  number: (value) => (typeof value === "number" ? digits(value) : String(value)),
  text: (value) => String(value),
};

const UNKNOWN = "–";
const written = (value, unit) => (value === null || value === undefined ? UNKNOWN : WRITE[unit](value));

// 0-3, 7: neighbours joined.
function ranges(numbers) {
  const parts = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = parts[parts.length - 1];
    if (last && last[1] === number - 1) last[1] = number;
    else parts.push([number, number]);
  }
  return parts.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`)).join(", ");
}

const tip = document.getElementById("tip");

function showTip(text, x, y) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 8))}px`;
  tip.style.top = `${y + 18 + box.height > innerHeight ? y - box.height - 10 : y + 18}px`;
}

const hideTip = () => { tip.hidden = true; };

// Everything in `root` that carries `data-tip` tells it under the pointer, and at the focus.
function tips(root, textOf) {
  root.addEventListener("pointermove", (event) => {
    const text = textOf(event.target);
    if (text) showTip(text, event.clientX, event.clientY);
    else hideTip();
  });
  root.addEventListener("pointerleave", hideTip);
  root.addEventListener("focusin", (event) => {
    const text = event.target.matches(":focus-visible") && textOf(event.target);
    const box = event.target.getBoundingClientRect();
    if (text) showTip(text, box.right, box.bottom);
  });
  root.addEventListener("focusout", hideTip);
}
