// The search of the pages: the index is loaded when somebody begins to search.
import MiniSearch from "minisearch";

import { INDEX } from "../words.mjs";

const MOST = 12;
const box = document.querySelector(".search");
const input = document.querySelector("#search");
const results = document.querySelector("#results");
const { index: address, base, none, failed } = box.dataset;
let loading;

function load() {
  loading ??= fetch(address)
    .then(async (answer) => {
      if (!answer.ok) throw new Error(String(answer.status));
      return MiniSearch.loadJSON(await answer.text(), INDEX);
    })
    .catch((error) => {
      loading = undefined; // the next letter tries again
      throw error;
    });
  return loading;
}

async function show() {
  const asked = input.value.trim();
  if (asked === "") return hide();
  let rows;
  try {
    const found = (await load()).search(asked).slice(0, MOST);
    rows = found.length === 0 ? [textRow(none)] : found.map(linkRow);
  } catch {
    rows = [textRow(failed)];
  }
  if (input.value.trim() !== asked) return; // a later letter was faster
  results.replaceChildren(...rows);
  results.hidden = false;
}

function linkRow({ id, title, heading }) {
  const link = document.createElement("a");
  link.href = `${base}${id}`;
  const strong = document.createElement("strong");
  strong.textContent = heading;
  link.append(strong, heading === title ? "" : ` ${title}`);
  return link;
}

function textRow(text) {
  const row = document.createElement("p");
  row.textContent = text;
  return row;
}

function hide() {
  results.hidden = true;
  results.replaceChildren();
}

/** Arrow keys walk through what was found. */
function walk(event) {
  const rows = [input, ...results.querySelectorAll("a")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Escape") {
    hide();
    input.focus();
  } else if (step !== undefined && rows.length > 1) {
    event.preventDefault();
    rows[(rows.indexOf(document.activeElement) + step + rows.length) % rows.length].focus();
  } else if (event.key === "Enter" && document.activeElement === input) rows[1]?.click();
}

input.addEventListener("focus", () => void load().catch(() => {}));
input.addEventListener("input", () => void show());
box.addEventListener("keydown", walk);
document.addEventListener("click", (event) => {
  if (!box.contains(event.target)) hide();
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || /^(?:INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? "")) return;
  event.preventDefault();
  input.focus();
});
