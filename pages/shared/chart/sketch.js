// A frame drawn by moving what Plotly has drawn: curves, shades, marks, ticks, words.
//
// Plotly.react takes longer than a stop of a fast drag lasts, several times so on a phone. Between
// the stops of a slider little changes: points move, numbers change, an axis grows. That is done
// here, on Plotly's own nodes; anything else (another curve, another style) is left to Plotly,
// which draws the whole figure again once the hand rests.
//
// Part of the chart's program (static_files.py puts them together).

const decoded = new Map(); // base64 -> numbers
const ARRAYS = { f4: Float32Array, i4: Int32Array };

function numbers(values) {
  if (!values?.bdata) return values ?? [];
  let found = decoded.get(values.bdata);
  if (!found) {
    const bytes = Uint8Array.from(atob(values.bdata), (sign) => sign.charCodeAt(0));
    found = new ARRAYS[values.dtype](bytes.buffer);
    if (decoded.size > 2000) decoded.clear();
    decoded.set(values.bdata, found);
  }
  return found;
}

// --- what can be moved and what cannot ---------------------------------------------------------

const styleOf = ({ x, y, text, textposition, name, hovertemplate, ...style }) => JSON.stringify(style);
const scaleOf = ({ range, tickvals, ticktext }) => JSON.stringify([range, tickvals, ticktext]);

function frameworkOf({ xaxis, yaxis, shapes = [], meta, ...rest }) {
  const fixed = ({ range, tickvals, ticktext, ...axis }) => axis;
  return JSON.stringify([rest, fixed(xaxis), fixed(yaxis),
    shapes.map(({ x0, x1, y0, y1, ...shape }) => shape)]);
}

/** What Plotly is about to draw, as far as `sketch` has to know it. */
function paintingOf({ data, layout }) {
  return {
    ...lookOf({ data, layout }),
    axes: {},
    marks: data.filter(({ mode, showlegend }) => showlegend === false && /markers|text/.test(mode)),
  };
}

/** Marks and words that Plotly has drawn and a frame is without: they come and go in a drag. */
function absentFrom({ data }, painting) {
  const there = new Set(data.map(({ uid }) => uid));
  return painting?.marks.filter(({ uid }) => !there.has(uid)) ?? [];
}

/** Hide what Plotly has drawn for later frames alone. */
function hide(chart, traces) {
  const nodes = (chart.painting.nodes ??= nodesOf(chart.plot));
  for (const { uid } of traces) if (nodes.get(uid)?.group) gone(nodes.get(uid).group, true);
  sketchedNow(chart);
}

function sketchedNow(chart) {
  chart.sketched = true;
  chart.root.dataset.sketched = "";
}

/** Draw a dressed figure over one that Plotly drew; tell whether that was possible. */
function sketch(chart, figure) {
  const { painting, plot } = chart;
  const { data, layout } = figure;
  if (!painting || data.some(({ type }) => type !== "scatter")) return false;
  const look = lookOf(figure);
  if (look.framework !== painting.framework) return false;
  const nodes = (painting.nodes ??= nodesOf(plot));
  const known = (trace) => lend(painting, plot, trace) || painting.styles.get(trace.uid) === look.styles.get(trace.uid);
  if (!data.every(known)) return false;
  const drawn = plot._fullLayout;
  const scales = scalesOf(layout, drawn);
  if (!scales.x || !scales.y) return false;
  const axes = ["x", "y"].filter((letter) => look.scales[letter] !== painting.scales[letter]);
  // Words at a place of an axis that moves: Plotly knows where they go.
  if (axes.length && layout.annotations?.length) return false;
  const jobs = [];
  const can =
    ["x", "y"].every((letter) => axisJob(chart, letter, axes.includes(letter), layout, scales[letter], jobs)) &&
    data.every((trace, index) => traceJob(painting, trace, data[index - 1], scales, jobs)) &&
    (layout.shapes ?? []).every((shape, index) => shapeJob(chart, shape, index, scales, drawn, jobs));
  if (!can) return false;
  const there = new Set(data.map(({ uid }) => uid));
  for (const [uid, { group }] of nodes) if (group) gone(group, !there.has(uid));
  for (const job of jobs) job();
  pale(painting, chart.earlier);
  sketchedNow(chart);
  return true;
}

/** Give everything back to Plotly as it knows it. */
function unsketch(chart) {
  for (const node of chart.plot.querySelectorAll(".pv-own")) node.remove();
  if (!chart.sketched) return;
  chart.sketched = false;
  delete chart.root.dataset.sketched;
  for (const node of chart.plot.querySelectorAll(".pv-gone")) node.classList.remove("pv-gone");
  for (const node of chart.plot.querySelectorAll("[data-now]")) delete node.dataset.now;
}

// --- places ------------------------------------------------------------------------------------

const round = (value) => Math.round(value * 100) / 100;

/** From a number on an axis to pixels in the plot. */
function scaleFor(axis, drawn, letter) {
  const { range, type = "linear" } = axis;
  if (!range || !["log", "linear"].includes(type)) return undefined;
  const length = drawn._length;
  const [low, high] = letter === "x" ? range : [range[1], range[0]];
  const per = length / (high - low);
  return type === "log"
    ? (value) => round((Math.log10(value) - low) * per)
    : (value) => round((value - low) * per);
}

function scalesOf({ xaxis, yaxis }, drawn) {
  const key = JSON.stringify([xaxis.range, xaxis.type, drawn.xaxis._length, yaxis.range, yaxis.type, drawn.yaxis._length]);
  return { x: scaleFor(xaxis, drawn.xaxis, "x"), y: scaleFor(yaxis, drawn.yaxis, "y"), key };
}

/** The parts of a curve between its gaps, as points in pixels. */
function parts({ x, y }, scales) {
  const [xs, ys] = [numbers(x), numbers(y)];
  const found = [];
  let part;
  for (let i = 0; i < xs.length; i += 1) {
    const across = xs[i] === null ? NaN : scales.x(xs[i]);
    const up = ys[i] === null ? NaN : scales.y(ys[i]);
    if (!Number.isFinite(across) || !Number.isFinite(up)) part = undefined;
    else if (part) part.push([across, up]);
    else found.push((part = [[across, up]]));
  }
  return found;
}

const open = (found) => found.map((part) => `M${part.join("L")}`).join("");

function filled(fill, found, before, scales) {
  if (fill === "toself") return found.map((part) => `M${part.join("L")}Z`).join("");
  if (fill === "tozeroy") {
    const ground = scales.y(0);
    return found.map((part) =>
      `M${part[0][0]},${ground}L${part.join("L")}L${part.at(-1)[0]},${ground}Z`).join("");
  }
  return found.map((part, index) =>
    `M${part.join("L")}L${[...(before[index] ?? [])].reverse().join("L")}Z`).join("");
}

const paths = new WeakMap(); // trace -> {key of the scales, line, area}

/** A curve and its area as paths; undefined for the area of a curve that has gaps. */
function pathOf(trace, before, scales) {
  const known = paths.get(trace);
  if (known?.key === scales.key) return known;
  const found = parts(trace, scales);
  const path = { key: scales.key, line: open(found) || "M0,0" };
  if (trace.fill && trace.fill !== "none" && found.length <= 1) {
    const base = trace.fill === "tonexty" ? parts(before, scales) : [];
    path.area = filled(trace.fill, found, base, scales) || "M0,0";
  }
  paths.set(trace, path);
  return path;
}

/** Have the paths of a dressed figure ready. */
function pathsAhead({ plot }, { data, layout }) {
  if (data.some(({ type }) => type !== "scatter")) return;
  const scales = scalesOf(layout, plot._fullLayout);
  if (!scales.x || !scales.y) return;
  data.forEach((trace, index) => /markers|text/.test(trace.mode) || pathOf(trace, data[index - 1], scales));
}

// --- nodes -------------------------------------------------------------------------------------

/** Hide a node of Plotly's, or show it; only a change costs the browser anything. */
function gone(node, on) {
  if (node.classList.contains("pv-gone") !== on) node.classList.toggle("pv-gone", on);
}

const LINE = 1.3; // em from a line to the next

/** Where words stand beside a mark, or in place of one, as Plotly computes it (drawing/index.js, textPosition). */
function placeOf({ mode, marker, textposition: position }, size, lines) {
  const across = /left|right/.exec(position)?.[0];
  const up = { top: -1, bottom: 1 }[/top|bottom/.exec(position)?.[0]] ?? 0;
  const away = mode.includes("markers") ? (marker?.size ?? 6) / 1.6 + 1 : 0;
  const dx = { left: -away, right: away }[across] ?? 0;
  const dy = size * 0.75 + up * away + ((up - 1) * ((lines - 1) * LINE + 1) * size) / 2;
  return { anchor: { left: "end", right: "start" }[across] ?? "middle", transform: `translate(${dx},${dy})` };
}

/** Plotly's nodes by the uid of their trace. */
function nodesOf(plot) {
  const legend = new Map();
  for (const entry of plot.querySelectorAll(".legend .traces")) {
    const uid = entry.__data__?.[0]?.trace?.uid;
    if (uid) legend.set(uid, entry.querySelector(".legendtext"));
  }
  const nodes = new Map();
  for (const { uid, textfont, _ownFill, _nextFill } of plot._fullData) {
    const group = plot.querySelector(`.scatterlayer .trace${CSS.escape(uid)}`);
    nodes.set(uid, {
      group,
      lines: group ? [...group.querySelectorAll(".lines > .js-line")] : [],
      fill: _ownFill?.node?.(),
      next: _nextFill?.node?.(),
      marks: group ? [...group.querySelectorAll(".points > .point")] : [],
      words: group ? [...group.querySelectorAll(".text > .textpoint > text")] : [],
      size: textfont?.size,
      entry: legend.get(uid),
    });
  }
  return nodes;
}

// --- what Plotly has not drawn -----------------------------------------------------------------

const LENT = 2; // spare lines, and words
const ROWS = 4; // of such words

const lendable = ({ mode, fill, showlegend }) =>
  showlegend === false && (!fill || fill === "none") && ["lines", "text"].find((kind) => kind === mode);

/** Hidden lines and words for what a frame may hold beyond the figure: see `readySpares`. */
function spareOf(plot, kind) {
  const make = (name, of, parent) => {
    const node = document.createElementNS(SVG, name);
    node.setAttribute("class", of);
    parent?.append(node);
    return node;
  };
  const group = make("g", "pv-own pv-gone");
  const node = kind === "text" ? make("text", "", make("g", "textpoint", group)) : make("path", "js-line", group);
  for (let index = 0; kind === "text" && index < ROWS; index += 1) {
    make("tspan", "line", node).setAttribute("dy", `${index * LINE}em`);
  }
  plot.querySelector(".cartesianlayer .scatterlayer")?.append(group);
  return { group, node };
}

/**
 * Have a spare line, or word, stand for a trace that Plotly has not drawn; tell whether one does.
 *
 * Words in the red area and the grey part of a curve come and go in a drag. With a legend entry, a
 * mark or an area it is Plotly's to draw.
 */
function lend(painting, plot, trace) {
  const { uid, textfont, line, legendgroup } = trace;
  const kind = lendable(trace);
  if (painting.nodes.has(uid) || !kind || (kind === "text" && trace.text?.length !== 1)) return false;
  painting.styles.set(uid, styleOf(trace));
  const whose = legendgroup ? plot._fullData.filter((other) => other.legendgroup === legendgroup) : [];
  if (whose.some(({ visible }) => visible !== true)) {
    painting.nodes.set(uid, {}); // hidden with the curve that it belongs to
    return true;
  }
  const { group, node } = painting.spares?.[kind].pop() ?? spareOf(plot, kind);
  const { size, color, family } = { ...plot._fullLayout.font, ...textfont };
  if (kind === "text") node.setAttribute("style", `font-family: ${family}; font-size: ${size}px; fill: ${color}; white-space: pre`);
  else node.setAttribute("style", `fill: none; stroke: ${line?.color}; stroke-width: ${line?.width}px; ${dashesOf(line)}`);
  painting.nodes.set(uid, { group, lines: kind === "lines" ? [node] : [], marks: [], words: kind === "text" ? [node] : [], size });
  return true;
}

/** As Plotly dashes a line (drawing/index.js, dashStyle). */
function dashesOf({ dash, width } = {}) {
  const parts = { dot: [1, 1], dash: [3, 3], longdash: [5, 5], dashdot: [3, 1, 1, 1], longdashdot: [5, 2, 1, 2] }[dash];
  return parts ? `stroke-dasharray: ${parts.map((part) => `${part * Math.max(width, 3)}px`).join()}` : "";
}

function traceJob({ nodes }, trace, before, scales, jobs) {
  const node = nodes.get(trace.uid);
  if (!node) return false;
  if (node.entry && !wordsJob(node.entry, trace.name, jobs)) return false;
  if (!node.group) return true; // hidden
  if (/markers|text/.test(trace.mode)) return marksJob(node, trace, scales, jobs);
  const path = pathOf(trace, before, scales);
  const [first, ...others] = node.lines;
  if (first) jobs.push(() => mark(first, "d", path.line));
  for (const other of others) jobs.push(() => mark(other, "d", "M0,0"));
  if (!trace.fill || trace.fill === "none") return true;
  const area = trace.fill === "tonexty" ? nodes.get(before?.uid)?.next : node.fill;
  if (!area || !path.area) return false;
  jobs.push(() => mark(area, "d", path.area));
  return true;
}

function marksJob({ marks, words, size }, trace, scales, jobs) {
  const { text, mode } = trace;
  const dots = mode.includes("markers");
  const [xs, ys] = [numbers(trace.x), numbers(trace.y)];
  if ((dots && marks.length !== xs.length) || (text && words.length !== xs.length)) return false;
  for (let i = 0; i < xs.length; i += 1) {
    const [across, up] = [scales.x(xs[i]), scales.y(ys[i])];
    if (!Number.isFinite(across) || !Number.isFinite(up)) return false;
    if (text && !wordsJob(words[i], text[i], jobs)) return false;
    jobs.push(() => {
      if (dots) mark(marks[i], "transform", `translate(${across},${up})`);
      if (!text) return;
      const word = words[i];
      const { anchor, transform } = placeOf(trace, size, String(text[i]).split("<br>").length);
      for (const node of [word, ...word.querySelectorAll("tspan.line")]) {
        mark(node, "x", across);
        mark(node, "y", up);
      }
      mark(word, "text-anchor", anchor);
      mark(word.parentNode, "transform", transform);
    });
  }
  return true;
}

/** Change a text of Plotly's; one line stays one, several may become fewer or more. */
function wordsJob(node, text, jobs) {
  const before = node.getAttribute("data-unformatted") ?? "";
  if (node.dataset.now === text || (node.dataset.now === undefined && before === text)) return true;
  const lines = String(text).split("<br>");
  if (lines.some((line) => /[<&]/.test(line))) return false;
  const spans = node.querySelectorAll("tspan.line");
  if (!spans.length && lines.length > 1) return false;
  jobs.push(() => {
    if (spans.length) {
      for (let index = spans.length; index < lines.length; index += 1) {
        const span = spans[0].cloneNode();
        span.setAttribute("dy", `${index * LINE}em`);
        node.append(span);
      }
      const all = [...node.querySelectorAll("tspan.line")];
      all.forEach((span, index) => write(span, lines[index] ?? ""));
    } else write(node, text);
    node.dataset.now = text;
  });
  return true;
}

function shapeJob({ plot, painting }, { type, x0, x1, y0, y1, xref = "x", yref = "y" }, index, scales, { _size: size, xaxis, yaxis }, jobs) {
  // Plotly makes them anew for a zoom.
  if (!painting.shapes?.every(({ isConnected }) => isConnected)) {
    painting.shapes = [...plot.querySelectorAll(".shapelayer path[data-index]")];
  }
  const node = painting.shapes.find(({ dataset }) => dataset.index === String(index));
  if (type !== "line" || !node || ![["x", "y"], ["paper"]].flat().includes(xref)) return false;
  const across = (v) => (xref === "x" ? xaxis._offset + scales.x(v) : size.l + size.w * v);
  const up = (v) => (yref === "y" ? yaxis._offset + scales.y(v) : size.t + size.h * (1 - v));
  jobs.push(() => mark(node, "d", `M${across(x0)},${up(y0)}L${across(x1)},${up(y1)}`));
  return true;
}

// --- axes --------------------------------------------------------------------------------------

/** Ticks of an axis that is another one: beside Plotly's own, which are hidden meanwhile. */
function axisJob({ plot, painting }, letter, changed, layout, scale, jobs) {
  const state = ticksIn(painting, plot, letter);
  if (!changed) {
    if (state.on) jobs.push(() => turn(state, false));
    return true;
  }
  const { tickvals, ticktext } = layout[`${letter}axis`];
  const { _offset: offset, _length: length, tickfont } = plot._fullLayout[`${letter}axis`];
  const [sample] = state.theirs[LABELS];
  if (!tickvals || !sample || !state.theirs[1].length || sample.querySelector("tspan")) return false;
  const ticks = [];
  tickvals.forEach((value, index) => {
    const at = scale(value);
    if (at > -0.5 && at < length + 0.5) ticks.push({ at, text: ticktext[index] });
  });
  if (ticks.some(({ text }) => /[<&]/.test(text))) return false;
  if (letter === "x" && crowded(ticks, tickfont, offset, plot._fullLayout.width)) return false;
  jobs.push(() => {
    turn(state, true);
    state.theirs.forEach((nodes, kind) => {
      if (!nodes.length) return;
      // No grid under the lines of the axes.
      const shown = kind ? ticks : ticks.filter(({ at }) => at > 1 && at < length - 1);
      const ours = state.ours[kind];
      while (ours.length < shown.length) ours.push(copyOf(nodes[0], kind));
      ours.forEach((node, index) => {
        gone(node, index >= shown.length);
        if (index >= shown.length) return;
        const { at, text, out } = shown[index];
        mark(node, "transform",
          letter === "x" ? `translate(${offset + at},0)` : `translate(0,${offset + at})`);
        if (kind === LABELS) write(node, out ? "" : text);
      });
    });
  });
  return true;
}

const LABELS = 2; // grid, ticks, labels

const SPARE = 6; // more ticks than Plotly drew

/**
 * Make the ticks, lines and words that frames may need, hidden, while Plotly's drawing is new. A node
 * that comes later has the browser style the whole page again: of Streamlit's rules some ask what is
 * inside of what.
 */
function readySpares(painting, plot) {
  painting.spares = { lines: [], text: [] };
  for (const [kind, spares] of Object.entries(painting.spares)) {
    while (spares.length < LENT) spares.push(spareOf(plot, kind));
  }
  for (const letter of ["x", "y"]) {
    const { theirs, ours } = ticksIn(painting, plot, letter);
    theirs.forEach((nodes, kind) => {
      if (!nodes.length) return;
      while (ours[kind].length < nodes.length + SPARE) ours[kind].push(copyOf(nodes[0], kind));
      for (const node of ours[kind]) gone(node, true);
    });
  }
}

/** The ticks of an axis as they are known, unless Plotly has drawn others meanwhile, as for a zoom. */
function ticksIn({ axes }, plot, letter) {
  const known = axes[letter];
  const there = known && [...known.theirs, ...known.ours].flat().every((node) => node.isConnected);
  if (!there) axes[letter] = ticksOf(plot, letter);
  return axes[letter];
}

function ticksOf(plot, letter) {
  const theirs = [
    `.gridlayer > .${letter} > path.${letter}grid`,
    `.${letter}axislayer-above > path.${letter}tick`,
    `.${letter}axislayer-above > g.${letter}tick > text`,
  ].map((selector) => [...plot.querySelectorAll(selector)].filter((node) => !node.classList.contains("pv-own")));
  return { theirs, ours: [[], [], []], on: false };
}

/** Show our own ticks, or Plotly's. */
function turn(state, on) {
  if (state.on === on) return;
  state.on = on;
  for (const node of state.theirs.flat()) gone(node, on);
  for (const node of state.ours.flat()) gone(node, !on);
}

function copyOf(sample, kind) {
  const node = sample.cloneNode(true);
  node.__data__ = sample.__data__; // a second one of the same: Plotly takes it away when it draws ticks anew
  node.classList.remove("pv-gone");
  node.classList.add("pv-own");
  (kind === LABELS ? sample.parentNode.parentNode : sample.parentNode).append(node);
  return node;
}

/** Tell whether Plotly would have to turn the labels; those that do not fit at the ends are `out`. */
function crowded(ticks, { size, family }, offset, width) {
  canvas.font = `${size}px ${family}`;
  let end = -Infinity;
  for (const tick of ticks.sort((a, b) => a.at - b.at)) {
    const half = canvas.measureText(tick.text).width / 2;
    if (tick.at - half < end + 2) return true;
    end = tick.at + half;
    tick.out = offset + end > width || offset + tick.at - half < 0;
  }
  return false;
}
