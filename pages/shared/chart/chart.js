// The one chart of this dashboard: Plotly.react on a node that stays.
//
// Python sends a figure without colours of its own for text, grid and background; they come from
// Streamlit's theme here, at every draw. Static: served as a file, so that no change of a slider
// carries this program again. live.js, sketch.js, doors.js, turn.js, paper.js and STYLE are appended by
// static_files.py.

const ROW = 24; // px of an entry of the legend
const NARROW = 640; // px of plot below which the phone's layout holds
const REST = 150; // ms of rest until Plotly draws what was moved without it
const LIGHT = { text: "#1b2433", background: "#ffffff" };
const PRINT = matchMedia("print");
const FINGER = matchMedia("(pointer: coarse)");

let plotly; // one promise for all charts of the page
const charts = new WeakMap(); // parentElement -> Chart
const owners = new WeakMap(); // the chart's own node -> Chart

// --- loading -----------------------------------------------------------------------------------

/** Start fetching Plotly; called as soon as this file is there, before any figure. */
export function prepare(url) {
  plotly ??= new Promise((resolve, reject) => {
    if (window.Plotly) return resolve(window.Plotly);
    // The page may have asked for it already, before any program ran.
    const asked = document.querySelector(`script[src$="${url.split("/").at(-1)}"]`);
    const script = asked ?? Object.assign(document.createElement("script"), { src: url });
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => {
      script.remove();
      plotly = undefined;
      reject(new Error(`cannot load ${url}`));
    };
    if (!asked) document.head.append(script);
  });
  plotly.catch(() => {});
  if (!document.getElementById("pv-style")) {
    const style = document.createElement("style");
    style.id = "pv-style";
    style.textContent = STYLE;
    document.head.append(style);
  }
}

/** Streamlit calls this after every run that sent data, and whenever the theme changes. */
export default function render({ data, parentElement, setTriggerValue }) {
  if (!data || !data.length) {
    // Mounted to start the loading early, outside of all fragments: what it sends runs the page.
    runPage = () => setTriggerValue("again", true);
    return undefined;
  }
  let chart = charts.get(parentElement);
  if (!chart) {
    chart = new Chart(parentElement);
    charts.set(parentElement, chart);
  }
  chart.tell = setTriggerValue;
  const text = new TextDecoder().decode(data);
  // A figure that follows sliders says first which setting it shows; JSON itself has no new line.
  const cut = text.indexOf("\n");
  if (cut < 0) chart.receive(text);
  else chart.receive(text.slice(cut + 1), JSON.parse(text.slice(0, cut)));
  return () => {
    // Streamlit also calls this for a run that newer data overtook, while the figure lives on.
    setTimeout(() => {
      if (parentElement.isConnected || charts.get(parentElement) !== chart) return;
      chart.remove();
      charts.delete(parentElement);
    });
  };
}

// --- small helpers -----------------------------------------------------------------------------

function element(tag, className, parent, text) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  if (text !== undefined) node.textContent = text;
  parent?.append(node);
  return node;
}

/** The height of all that stands below a figure, down to the foot of the page: kept controls, bar, and what separates them. */
function hallFoot(figure) {
  const page = figure.closest('[data-testid="stMainBlockContainer"]');
  let below = 0;
  for (let node = figure; node && node !== page; node = node.parentElement) {
    const { flexDirection, rowGap, paddingBottom } = getComputedStyle(node.parentElement);
    below += parseFloat(paddingBottom);
    for (let next = node.nextElementSibling; next && flexDirection === "column"; next = next.nextElementSibling)
      if (next.getClientRects().length) below += next.getBoundingClientRect().height + (parseFloat(rowGap) || 0);
  }
  return below;
}

/** Set a text that may be the same. */
function write(node, text) {
  const { firstChild: inside } = node;
  if (node.childNodes.length !== 1 || inside.nodeType !== Node.TEXT_NODE) node.textContent = text;
  // Other characters change no style: the browser has less to do than for another node.
  else if (inside.data !== text) inside.data = text;
}

/** Set an attribute that may be the same: the browser would lay out and paint what it is of. */
function mark(node, name, value) {
  if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** Lay `defaults` under `target`, in place: what Python said always wins. */
function under(target, defaults) {
  for (const [key, value] of Object.entries(defaults)) {
    if (isObject(value)) target[key] = under(isObject(target[key]) ? target[key] : {}, value);
    else if (target[key] === undefined) target[key] = value;
  }
  return target;
}

const canvas = document.createElement("canvas").getContext("2d");

/** Red, green and blue of any CSS colour. */
function channels(colour) {
  canvas.fillStyle = "#808080";
  canvas.fillStyle = colour;
  return canvas.fillStyle.match(/[0-9a-f]{2}/gi).map((part) => parseInt(part, 16));
}

/** Any CSS colour as rgba with the given opacity, which Plotly's own parser understands. */
const faded = (colour, opacity) => `rgba(${channels(colour)},${opacity})`;

/** The colour of a curve for its words: nearer to the theme's text, for they are thin. */
function forWords(colour, { text }) {
  const other = channels(text);
  return `rgb(${channels(colour).map((part, i) => Math.round(0.6 * part + 0.4 * other[i]))})`;
}

function number(value) {
  if (typeof value !== "number") return value ?? "–";
  return Number.isInteger(value)
    ? value.toLocaleString("en-US")
    : String(Number(value.toPrecision(4)));
}

const SHAPES = {
  more: "M4 15c6 0 5-9 11-9M4 20c7 0 7-9 12-9M19 14v6M16 17h6",
  reset: "M4 10a8 8 0 1 1 1 7M4 4v6h6",
  full: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  svg: "M12 4v10M8 10l4 4 4-4M5 20h14",
  png: "M4 5h16v14H4zM4 16l5-5 4 4 2-2 5 4M15.5 9.5h.01",
  table: "M4 5h16v14H4zM4 10h16M4 14.5h16M10 5v14",
};

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", SHAPES[name]);
  svg.append(path);
  return svg;
}

const CONFIG = {
  displayModeBar: false,
  displaylogo: false,
  responsive: false, // a ResizeObserver does it
  scrollZoom: false, // the wheel belongs to the page
  doubleClick: "reset",
  showTips: false,
  showLink: false,
  plotlyServerURL: "", // nothing is ever sent anywhere
};

// --- the chart ---------------------------------------------------------------------------------

class Chart {
  constructor(parent) {
    this.revision = 0;
    this.zoom = {}; // axis -> the range that the user chose
    this.root = element("figure", "pv-chart", parent);
    owners.set(this.root, this);
    const head = element("div", "pv-head", this.root);
    this.title = element("p", "pv-title", head);
    this.tools = element("div", "pv-tools", head);
    this.tools.setAttribute("role", "toolbar");
    this.plot = element("div", "pv-plot", this.root);
    this.plot.setAttribute("role", "img");
    this.wait = element("div", "pv-wait", this.plot, "Drawing the figure …");
    this.caption = element("p", "pv-caption", this.root);
    this.summary = element("figcaption", "pv-unseen", this.root);
    this.table = element("div", "pv-scroll", this.root);
    this.table.hidden = true;
    this.table.tabIndex = 0;
    this.table.setAttribute("role", "region");

    this.more = this.button("more", "Draw more bounds", () => this.toggleMore());
    this.button("reset", "Reset zoom", () => this.reset());
    this.expand = this.button("full", "Full screen", () => this.toggleLarge());
    this.button("svg", "Download as SVG", () => this.download("svg"));
    this.button("png", "Download as PNG", () => this.download("png"));
    this.data = this.button("table", "Show the data as a table", () => this.toggleTable());

    this.observer = new ResizeObserver(() => {
      cancelAnimationFrame(this.frame);
      this.frame = requestAnimationFrame(() => (this.sketched ? this.rest() : this.draw()));
    });
    this.observer.observe(this.root);
    this.gone = new AbortController();
    const { signal } = this.gone;
    document.addEventListener("fullscreenchange", () => this.settle(), { signal });
    document.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && this.root.classList.contains("pv-over")) this.toggleLarge();
    }, { signal });
    // Paper is white: the event comes in time for printing, the media query for everything else.
    const print = (on) => {
      this.printing = on;
      this.draw();
    };
    window.addEventListener("beforeprint", () => print(true), { signal });
    window.addEventListener("afterprint", () => print(false), { signal });
    PRINT.addEventListener("change", (event) => print(event.matches), { signal });
  }

  button(name, label, action) {
    const button = element("button", "", this.tools);
    button.type = "button";
    button.dataset.action = name;
    button.setAttribute("aria-label", label);
    button.append(icon(name));
    button.onclick = action;
    return button;
  }

  /** Take what the server sends: a figure, and of one that follows sliders its setting. */
  receive(text, setting) {
    this.base = text;
    this.setting = setting;
    if (setting) follow(this);
    else unfollow(this);
    this.update(true);
  }

  /** Show what there is to show: the frame of a slider's place, or what the server sent last. */
  update(news = false) {
    const frame = this.setting && frameOf(this, news);
    const text = frame ?? this.base;
    const changed = text !== this.text;
    if (changed) {
      const first = this.text === undefined;
      this.text = text;
      const one = reading(text, this.setting);
      if (text === this.base) keepSimulated(this, one.sent);
      this.reading = withSimulated(this, one);
      this.earlier = new Set(this.reading.earlier);
      const { sent } = this.reading;
      this.sent = sent;
      write(this.title, sent.title);
      write(this.caption, sent.caption);
      write(this.summary, sent.summary);
      if (!first) tell(sent.summary);
      this.plot.setAttribute("aria-label", `${sent.title}. ${sent.summary}`);
      this.tools.setAttribute("aria-label", `Tools of the figure “${sent.title}”`);
      this.more.hidden = !sent.figure.data.some(waits);
      this.data.hidden = !sent.table;
      if (!sent.table) this.table.hidden = true;
      this.fill();
      hangDoors(this);
      hangTurn(this);
      this.drawn = undefined;
    }
    if (changed && this.setting) this.drawQuickly();
    else if (changed || !this.sketched) this.draw();
    if (this.sketched) this.rest();
  }

  /** Draw a figure that follows sliders: every stop counts, Plotly does the rest later. */
  drawQuickly() {
    if (this.painting && this.room) {
      let figure = dressed(this, this.reading);
      if (Object.keys(this.zoom).length) {
        figure = { ...figure, layout: structuredClone(figure.layout) };
        this.keepZoom(figure.layout);
      }
      if (sketch(this, figure)) {
        placeDoors(this, figure);
        this.drawn = undefined;
        this.count();
        return;
      }
    }
    this.draw();
  }

  /** Once the hand has left the slider, have Plotly draw what was moved by hand; see `letGo`. */
  rest() {
    clearTimeout(this.resting);
    this.resting = setTimeout(() => {
      if (this.sketched && !this.root.dataset.frame && !hand) this.draw();
    }, REST);
  }

  count() {
    this.plot.dataset.draws = String(Number(this.plot.dataset.draws ?? 0) + 1);
  }

  /** The figure that is shown, for code that changes it. */
  get figure() {
    return structuredClone(this.sent.figure);
  }

  get large() {
    return this.root.classList.contains("pv-large");
  }

  /** The room for the plot, in px. */
  space() {
    const width = Math.floor(this.plot.clientWidth);
    if (this.large) {
      return { width, height: Math.max(240, Math.floor(this.plot.clientHeight)),
        scale: Math.min(2.2, Math.max(1.15, width / 900)) };
    }
    const hall = document.querySelector('#pv-page[data-mode="present"]');
    if (hall && width >= NARROW) {
      // What stands above and below keeps its place; the figure takes the rest of the screen.
      this.watchAbove();
      const top = this.plot.getBoundingClientRect().top + (this.scroller()?.scrollTop ?? 0);
      const below = this.caption.offsetHeight + hallFoot(this.root);
      const most = Math.max(220, Math.floor(innerHeight - top - below));
      return { width, height: Math.min(most, innerHeight), hall: true,
        scale: Math.min(2, Math.max(0.9, width / 1000)) };
    }
    // A long legend does not get its room from the curves.
    const listed = (trace) => (this.all || !waits(trace)) && !this.sent.doors;
    const more = ROW * Math.max(0, rowsOf(namedIn(this.sent.figure.data).filter(listed), width) - 5);
    if (width < NARROW) {
      const most = Math.max(260, Math.round(innerHeight * 0.42));
      return { width, height: Math.min(this.sent.height, most) + more, scale: 1 };
    }
    // Python's height is for a window 720 px high; a projector has more room, and needs it.
    const grown = Math.min(1.5, Math.max(1, innerHeight / 720));
    const height = Math.max(Math.round(this.sent.height * grown) + more, doorsHeight(this));
    return { width, height, scale: 1 };
  }

  /** In the lecture hall the room depends on what stands above, and that may come later. */
  watchAbove() {
    const column = this.root.closest('[data-testid="stMainBlockContainer"] > *');
    if (this.watched === column) return;
    this.watched = column;
    for (const part of [column, ...column.querySelectorAll('.st-key-pv_above')]) {
      this.observer.observe(part);
    }
  }

  scroller() {
    return this.root.closest('[data-testid="stMain"]');
  }

  async draw() {
    if (!this.sent) return; // a slider moved before the first figure was there
    // Before Plotly is there the room is kept already, so that nothing jumps.
    if (this.large) this.plot.style.height = ""; // it fills the screen
    stepAside(this);
    const space = this.space();
    if (!this.large) this.plot.style.height = `${space.height}px`;
    if (space.width < 60) return; // in a closed tab; the observer calls again
    const theme = { ...themeOf(this.root), ...(this.printing ? LIGHT : {}) };
    const wanted = JSON.stringify([space, theme, this.revision, this.all]);
    if (wanted === this.drawn) return;
    this.drawn = wanted;
    let Plotly = window.Plotly;
    if (!Plotly) {
      try {
        Plotly = await plotly;
      } catch {
        this.wait.textContent =
          "The figure's program could not be loaded. Reload the page to try again.";
        return;
      }
      if (this.drawn !== wanted) return; // newer data came while Plotly was on its way
    }
    const figure = dress(this.figure, { ...space, theme, revision: this.revision, all: this.all });
    if (this.printing) unlist(figure, this.plot);
    clearForDoors(this, figure.layout);
    this.keepZoom(figure.layout);
    const absent = this.root.dataset.frame ? absentFrom(figure, this.painting) : [];
    figure.data.push(...absent);
    unsketch(this);
    this.room = { ...space, theme, all: this.all };
    this.roomKey = wanted;
    for (const node of this.plot.querySelectorAll(".pv-earlier")) node.classList.remove("pv-earlier");
    const painting = (this.painting = this.setting && paintingOf(figure));
    this.plot.classList.toggle("pv-map", figure.data.some(({ type }) => type === "heatmap"));
    // Plotly draws a new plot twice, for it learns only then what its margins hold.
    this.plot.classList.toggle("pv-new", this.wait.isConnected);
    await Plotly.react(this.plot, figure.data, figure.layout, CONFIG);
    if (painting) {
      painting.nodes = nodesOf(this.plot);
      readySpares(painting, this.plot);
      pale(painting, this.earlier);
    }
    if (absent.length) {
      // The server may have said meanwhile that this is what it shows: then it is not drawn again.
      hide(this, absent);
      this.drawn = undefined;
      this.rest();
    }
    this.plot.classList.remove("pv-new");
    this.wait.remove();
    this.listen();
    placeDoors(this, figure);
    this.ask(figure.layout.meta?.ask);
    this.count();
  }

  // Plotly gives a zoom up as soon as the range that Python asks for changes under it, which it
  // does whenever a control moves the numbers; so the ranges that the user chose are kept here.
  keepZoom(layout) {
    for (const [axis, { range, pair }] of Object.entries(this.zoom)) {
      if (layout[axis]?.uirevision === pair) layout[axis].range = [...range];
      else delete this.zoom[axis];
    }
  }

  listen() {
    if (this.listening) return;
    this.listening = true;
    this.plot.on("plotly_relayout", () => {
      for (const [axis, now] of Object.entries(this.plot._fullLayout)) {
        if (!/^[xy]axis\d*$/.test(axis) || !now.range) continue;
        this.zoom[axis] = { range: [...now.range], pair: this.plot.layout[axis]?.uirevision };
      }
      placeDoors(this, this.plot);
    });
    this.plot.on("plotly_click", (event) => throughDoor(this, event));
    this.plot.on("plotly_hover", ({ points: [point] }) => atDoor(this, point));
    this.plot.on("plotly_unhover", () => atDoor(this));
    this.plot.on("plotly_doubleclick", () => this.reset());
  }

  // --- predict: the line of a guess is dragged, or put where one points ---

  ask(axis) {
    this.asking = axis;
    this.plot.classList.toggle("pv-ask", Boolean(axis));
    if (!axis || this.asked) return;
    this.asked = true;
    const at = (event) => {
      const { _fullLayout: layout } = this.plot;
      const along = this.asking === "x" ? layout.xaxis : layout.yaxis;
      const box = this.plot.querySelector(".nsewdrag").getBoundingClientRect();
      const pixel = this.asking === "x" ? event.clientX - box.left : event.clientY - box.top;
      const value = along.p2d(Math.min(along._length, Math.max(0, pixel)));
      return Math.max(1, Math.round(value));
    };
    let value;
    const move = (event) => {
      if (!this.asking) return;
      value = at(event);
      const index = this.plot.layout.shapes.findIndex(({ name }) => name === "guess");
      const ends = ["0", "1"].map((end) => [`shapes[${index}].${this.asking}${end}`, value]);
      window.Plotly.relayout(this.plot, { ...Object.fromEntries(ends), annotations: [] });
      event.preventDefault();
      event.stopPropagation();
    };
    const { signal } = this.gone;
    this.plot.addEventListener("pointerdown", (event) => {
      if (!this.asking || event.button !== 0 || !event.target.closest(".nsewdrag")) return;
      move(event);
      const drag = new AbortController();
      document.addEventListener("pointermove", move, { signal: drag.signal, capture: true });
      const end = () => {
        drag.abort();
        this.tell?.("guess", value);
      };
      for (const name of ["pointerup", "pointercancel"]) {
        document.addEventListener(name, end, { signal: drag.signal, capture: true });
      }
    }, { signal, capture: true });
    // Plotly's own zoom listens to the mouse events that follow.
    this.plot.addEventListener("mousedown", (event) => {
      if (this.asking && event.target.closest(".nsewdrag")) event.stopPropagation();
    }, { signal, capture: true });
  }

  /** Draw the curves that wait to be asked for, or no longer. */
  toggleMore() {
    this.all = !this.all;
    this.more.setAttribute("aria-pressed", String(this.all));
    this.draw();
  }

  reset() {
    this.zoom = {};
    this.revision += 1;
    this.draw();
  }

  // --- full screen ---

  toggleLarge() {
    if (document.fullscreenElement === this.root) document.exitFullscreen();
    else if (this.root.classList.contains("pv-over")) this.cover(false);
    else if (this.root.requestFullscreen) {
      this.root.requestFullscreen().catch(() => this.cover(true));
    } else this.cover(true);
  }

  cover(on) {
    this.root.classList.toggle("pv-over", on);
    this.settle();
  }

  settle() {
    const large =
      document.fullscreenElement === this.root || this.root.classList.contains("pv-over");
    this.root.classList.toggle("pv-large", large);
    this.expand.setAttribute("aria-label", large ? "Leave full screen" : "Full screen");
    this.expand.setAttribute("aria-pressed", String(large));
    this.draw();
  }

  // --- take it away ---

  async download(format) {
    try {
      await save(this, format);
    } catch (error) {
      this.caption.textContent =
        `The picture could not be made (${error.message}). Reload the page to try again.`;
    }
  }

  // --- the figure as text ---

  toggleTable() {
    this.table.hidden = !this.table.hidden;
    this.data.setAttribute("aria-pressed", String(!this.table.hidden));
    this.data.setAttribute(
      "aria-label", this.table.hidden ? "Show the data as a table" : "Hide the table");
    this.fill();
  }

  fill() {
    if (this.table.hidden || !this.sent.table) return;
    const { columns, cells, rows } = this.sent.table;
    const table = document.createElement("table");
    const length = cells[0]?.length ?? 0;
    const part = length < rows ? ` (${length} of ${rows} rows)` : "";
    element("caption", "", table, `${this.sent.title}${part}`);
    const text = cells.map((column) => column.some((cell) => typeof cell === "string"));
    const head = element("tr", "", element("thead", "", table));
    columns.forEach((name, index) => {
      element("th", text[index] ? "pv-text" : "", head, name).scope = "col";
    });
    const body = element("tbody", "", table);
    for (let row = 0; row < length; row += 1) {
      const line = element("tr", "", body);
      cells.forEach((column, index) => {
        element("td", text[index] ? "pv-text" : "", line, number(column[row]));
      });
    }
    this.table.setAttribute("aria-label", `Data of the figure “${this.sent.title}”`);
    this.table.replaceChildren(table);
  }

  remove() {
    this.gone.abort();
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    clearTimeout(this.resting);
    window.Plotly?.purge(this.plot);
    this.root.remove();
    unfollow(this);
    this.sent = this.drawn = undefined; // a drawing that waits for Plotly is off
  }
}
