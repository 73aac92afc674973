// Search over everything that has a place: pages, learners, bounds, words, lectures. A dialog with
// a box and a list; `/` opens it, and the button (search.py) does. The index is fetched the first
// time; a result is a plain link, which takes the setting of this page along. Results
// that share kind and title, in several classes, are one row with a link for each class.
//
// Part of the chart's program (static_files.py puts them together, with CARRIED and VERSION).

const MOST = 40; // results that are listed

let search; // {dialog, box, list, note, hits, rows, at} once it was opened

/** What is compared: small letters without accents; Greek letters also by name. */
const GREEK = { ε: "epsilon", δ: "delta", α: "alpha", β: "beta" };
const lowered = (text) =>
  text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
const spoken = (text) => lowered(text).replace(/[εδαβ]/g, (sign) => `${sign} ${GREEK[sign]} `);

/** How well a word of the query fits: 0 is best, Infinity is not at all. */
function fit(word, { name, all }) {
  if (name.startsWith(word)) return 0;
  const starts = (text) => text.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word));
  if (starts(name)) return 1;
  if (name.includes(word)) return 2;
  if (starts(all)) return 3;
  return all.includes(word) ? 4 : Infinity;
}

/** Whether the letters of a word stand in a text in their order: a forgotten one is forgiven. */
function scattered(word, text) {
  let from = 0;
  return [...word].every((letter) => (from = text.indexOf(letter, from) + 1));
}

function found(query) {
  const words = lowered(query).split(/\s+/).filter(Boolean);
  if (!words.length) return search.hits.filter(({ kind }) => kind === "page");
  const score = (hit) => words.reduce((sum, word) => sum + fit(word, hit), 0);
  const rated = search.hits.map((hit) => ({ hit, rank: score(hit) })).filter(({ rank }) => rank < Infinity);
  if (rated.length) return rated.sort((a, b) => a.rank - b.rank || a.hit.name.length - b.hit.name.length).map(({ hit }) => hit);
  return search.hits.filter(({ name }) => words.every((word) => scattered(word, name)));
}

/** The address of a hit, with the setting of now. */
function addressOf({ link, whole }) {
  const url = new URL(link, document.baseURI);
  const from = new URLSearchParams(location.search);
  for (const key of whole ? [] : CARRIED) {
    if (from.has(key) && !url.searchParams.has(key)) url.searchParams.set(key, from.get(key));
  }
  if (url.search && !url.searchParams.has("v")) url.searchParams.set("v", VERSION);
  return url;
}

/** The link of a hit, as something to choose in the list. */
function option(hit, className, parent) {
  const row = element("a", className, parent);
  row.setAttribute("role", "option");
  row.tabIndex = -1;
  row.href = addressOf(hit);
  return row;
}

/** A row of the list: a hit, or the hits that have a kind and a title in common, one a class. */
function rowOf(hits) {
  const [{ kind, title, text }] = hits;
  const one = hits.length === 1;
  const row = one ? option(hits[0], "pv-hit") : element("div", "pv-hit");
  element("strong", "", row, title);
  element("small", "", row, kind);
  const more = element("span", "", row, one ? text : "");
  if (one) return row;
  row.setAttribute("role", "group");
  row.setAttribute("aria-label", `${title}, ${kind}`);
  for (const hit of hits) option(hit, "pv-hit-class", more).textContent = hit.within;
  return row;
}

function listHits() {
  const hits = found(search.box.value);
  const groups = new Map();
  for (const hit of hits) {
    const key = hit.within ? `${hit.kind} ${hit.title}` : hit;
    groups.set(key, [...(groups.get(key) ?? []), hit]);
  }
  const shown = [...groups.values()].slice(0, MOST).map(rowOf);
  search.list.replaceChildren(...shown);
  search.rows = [...search.list.querySelectorAll("[role=option]")];
  search.rows.forEach((row, number) => (row.id = `pv-hit-${number}`));
  search.list.scrollTop = 0;
  const more = hits.length > search.rows.length ? `, the first ${search.rows.length} are listed` : "";
  write(search.note, hits.length ? `${hits.length} found${more}` : "No results. Try a shorter word.");
  search.box.setAttribute("aria-expanded", String(shown.length > 0));
  choose(0);
}

/** Make one row the chosen one, and have it in view. */
function choose(at) {
  const { rows } = search;
  search.at = rows.length ? (at + rows.length) % rows.length : -1;
  rows.forEach((row, number) => row.setAttribute("aria-selected", String(number === search.at)));
  const row = rows[search.at];
  if (row) search.box.setAttribute("aria-activedescendant", row.id);
  else search.box.removeAttribute("aria-activedescendant");
  row?.scrollIntoView({ block: "nearest" });
}

function furnishSearch() {
  const dialog = element("dialog", "pv-searching", document.body);
  dialog.setAttribute("aria-label", "Search");
  const top = element("div", "pv-searching-top", dialog);
  const box = element("input", "", top);
  Object.assign(box, { type: "text", placeholder: "Pages, learners, bounds, words, lectures", autocomplete: "off", spellcheck: false });
  const said = {
    role: "combobox", "aria-label": "Search", "aria-expanded": "false", "aria-controls": "pv-hits",
    "aria-autocomplete": "list", enterkeyhint: "go",
  };
  for (const [name, value] of Object.entries(said)) box.setAttribute(name, value);
  const close = element("button", "", top, "Close");
  close.type = "button";
  close.onclick = () => dialog.close();
  const note = element("p", "", dialog, "One moment …");
  note.setAttribute("role", "status");
  const list = element("div", "pv-hits", dialog);
  list.id = "pv-hits";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Found");
  search = { dialog, box, list, note, hits: [], rows: [], at: -1 };
  box.oninput = listHits;
  box.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) choose(search.at + step);
    else if (event.key === "Enter" && !event.isComposing) search.rows[search.at]?.click();
    else return;
    event.preventDefault();
  };
  dialog.onclick = ({ target }) => {
    if (target === dialog) dialog.close(); // beside it
  };
  // A link that differs from this page in its # only would load nothing.
  list.addEventListener("click", (event) => {
    const row = event.target.closest("a");
    if (!row || event.ctrlKey || event.metaKey || event.shiftKey) return;
    dialog.close();
    if (row.href.split("#")[0] !== location.href.split("#")[0]) return;
    event.preventDefault();
    history.replaceState(history.state, "", row.href);
    location.reload();
  });
}

async function openSearch() {
  const name = document.getElementById("pv-page")?.dataset.index;
  if (!name || document.querySelector("dialog[open], [role=dialog]:not(.pv-tour)")) return;
  if (!search) furnishSearch();
  const { dialog, box } = search;
  // The theme's variables exist inside components only.
  const { backgroundColor, color } = getComputedStyle(document.querySelector("[data-testid=stApp]"));
  dialog.style.setProperty("--pv-paper", backgroundColor);
  dialog.style.setProperty("--pv-ink", color);
  dialog.showModal();
  box.focus();
  box.select();
  try {
    const rows = search.hits.length ? [] : (await import(new URL(name, import.meta.url))).default;
    for (const [kind, title, text, words, link, whole, within] of rows) {
      const all = spoken(`${title} ${kind} ${text} ${words}`);
      search.hits.push({ kind, title, text, link, whole, within, name: spoken(title), all });
    }
    listHits();
  } catch {
    write(search.note, "The list could not be loaded. Close the search, and try again.");
  }
}

// Once for a visit, as connection.js.
if (document.querySelector("[data-testid=stApp]") && !document.documentElement.dataset.pvSearch) {
  document.documentElement.dataset.pvSearch = "";
  document.addEventListener("click", ({ target }) => {
    if (target.closest?.(".pv-search")) openSearch();
  });
  document.addEventListener("keydown", (event) => {
    const { key, target, ctrlKey, metaKey, altKey } = event;
    if (key !== "/" || ctrlKey || metaKey || altKey) return;
    if (target.closest?.("input:not([type=range], [type=checkbox], [type=radio]), textarea, [contenteditable=true]")) return;
    if (document.getElementById("pv-page")?.dataset.mode !== "full") return;
    event.preventDefault();
    openSearch();
  });
}
