// Theme and layout: what a figure from Python wears on this screen.
//
// Part of the chart's program (static_files.py puts them together).

function themeOf(node) {
  const style = getComputedStyle(node);
  const read = (name, fallback) => {
    const value = style.getPropertyValue(name).trim();
    return value && value !== "unset" ? value : fallback;
  };
  const font = read("--st-font", "system-ui, sans-serif");
  // In forced colours the page has the system's, whichever theme was chosen.
  if (matchMedia("(forced-colors: active)").matches) {
    const page = node.closest("[data-testid=stApp]") ?? document.body;
    return { text: style.color, background: getComputedStyle(page).backgroundColor, font };
  }
  return {
    text: read("--st-text-color", LIGHT.text),
    background: read("--st-background-color", LIGHT.background),
    font,
  };
}

const namedIn = (data) => data.filter(({ name, showlegend }) => name && showlegend !== false);

/** Tell whether a curve is drawn only when it is asked for. */
const waits = ({ visible }) => visible === "legendonly";

/** Of many curves the legend has the names only; their slopes are in the table. */
function dropSlopes(data, most) {
  if (namedIn(data).length <= most) return;
  for (const trace of data) trace.name = trace.name?.replace(/ · slope .*/, "");
}

/** A short, wide plot: beside it a legend of everything that is drawn, and of nothing else. */
function hallLegend({ data, layout }, { width, height, scale }) {
  dropSlopes(data, 4);
  // As large as lets every entry be seen: what a legend scrolls to is lost on a hall.
  const room = height - 80 * scale;
  const lineOf = (part) => 14 * scale * part * 1.3;
  const needs = (part) => namedIn(data).reduce((sum, { name }) =>
    sum + brokenAt(name, 26 / part).split("<br>").length * lineOf(part) + 6, 0);
  const part = [1, 0.9, 0.8, 0.7].find((each) => needs(each) <= room) ?? 0.65;
  for (const trace of data) if (trace.name) trace.name = brokenAt(trace.name, 26 / part);
  // A map has its colours between itself and the legend.
  const bar = data.some(({ type }) => type === "heatmap") ? (100 * scale) / (0.7 * width) : 0;
  layout.legend = { ...layout.legend, orientation: "v", x: 1.01 + bar, xanchor: "left", y: 1,
    yanchor: "top", font: { size: 14 * part } };
  const title = layout.yaxis?.title;
  if (title?.text) title.text = brokenAt(title.text, 20);
}

/** A name on several lines of at most `most` characters, where it has blanks. */
function brokenAt(name, most) {
  const lines = [""];
  for (const word of name.split(" ")) {
    const last = lines.at(-1);
    if (last && `${last} ${word}`.length > most) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines.join("<br>");
}

const BLANK = "\u00a0"; // a line without words

/** About how many px a text takes. */
const wide = (text, size) => 0.62 * size * text.length;

/** About how many rows the entries of a legend take below a plot. */
function rowsOf(entries, room) {
  let rows = 0, left = 0;
  for (const { name } of entries) {
    const needs = 45 + 0.55 * 13 * name.length;
    // What is longer than the figure is broken.
    if (needs > left) { rows += Math.max(1, Math.ceil(needs / room)); left = 0.9 * room; }
    left -= needs;
  }
  return rows;
}

/** Tell whether the words below a log axis would be written askew. */
function askew({ type, range, tickvals, ticktext }, { room, size, narrow }) {
  if (type !== "log" || !range || !(tickvals?.length > 2)) return false;
  if (narrow && tickvals.length > 6) return true;
  const [low, high] = range;
  return tickvals.slice(1).some((value, i) =>
    (Math.log10(value / tickvals[i]) / (high - low)) * room
      < wide(ticktext[i] + ticktext[i + 1], size) / 2 + 4);
}

/** Where a number may stand: at a corner of its mark, the one that Python chose first; or a line farther. */
function placesOf({ textposition, text }) {
  const [side, to] = textposition.split(" ");
  const [across, back] = [side === "top" ? "bottom" : "top", to === "left" ? "right" : "left"];
  const corners = [textposition, `${across} ${to}`, `${side} ${back}`, `${across} ${back}`];
  const farther = (place) => (place.startsWith("top") ? `${text[0]}<br>${BLANK}` : `${BLANK}<br>${text[0]}`);
  return [...corners.map((place) => [place, text[0]]), ...corners.map((place) => [place, farther(place)])];
}

/** Write the number of a mark where neither an edge nor another number cuts it. */
function keepNumbersWhole({ data, layout }, { room, size }) {
  const { type, range } = layout.xaxis;
  if (!range) return;
  const marks = data.filter(({ mode, x, textposition }) =>
    mode === "markers+text" && x.length === 1 && typeof textposition === "string");
  const placeOf = ({ x }) => (((type === "log" ? Math.log10(x[0]) : x[0]) - range[0]) / (range[1] - range[0])) * room;
  const sorted = marks.toSorted((one, other) => one.x[0] - other.x[0]);
  const places = sorted.map((mark) => {
    const [at, long] = [placeOf(mark), wide(mark.text[0], size)];
    const all = placesOf(mark).map(([place, text]) => {
      const from = place.endsWith("left") ? at - 8 - long : at + 8;
      const row = `${mark.y[0]} ${place.split(" ")[0]} ${text.includes(BLANK)}`;
      return { place, text, row, from, end: from + long };
    });
    const whole = all.filter(({ from, end }) => from > -8 && end <= room + 16);
    // What is too long for both sides stands where there is more room.
    return whole.length ? whole : all.filter(({ place }) => place.endsWith(at > room / 2 ? "left" : "right"));
  });
  const chosen = [];
  const meets = (one) => chosen.some((other) =>
    one.row === other.row && one.from < other.end + 12 && other.from < one.end + 12);
  let tries = 500; // of very many marks in one place some cover others
  const choose = (n) => n === sorted.length || places[n].some((one) => {
    if (tries-- < 0 || meets(one)) return false;
    chosen.push(one);
    if (choose(n + 1)) return true;
    chosen.pop();
    return false;
  });
  if (!choose(0)) for (const each of places) chosen.push(each.find((one) => !meets(one)) ?? each[0]);
  chosen.forEach(({ place, text }, n) => Object.assign(sorted[n], { textposition: place, text: [text] }));
  // Above a success of almost 1 is the edge of the figure.
  const high = marks.some(({ y, textposition }) => /^top/.test(textposition) && y[0] > 0.97 && y[0] < 1);
  if (high) layout.margin.t += size;
}

/**
 * Dress a figure: theme, type size and the room it has. `scale` > 1 is the lecture hall; `all` draws
 * the curves that wait as well. A legend lists what is drawn.
 */
function dress(figure, { theme, width, height, scale, hall, revision, paper, all }) {
  for (const trace of figure.data.filter(waits)) Object.assign(trace, all ? { visible: true } : { showlegend: false });
  const narrow = width < NARROW * scale;
  const size = (narrow ? 12 : 14) * scale;
  const grid = faded(theme.text, 0.13);
  const line = faded(theme.text, 0.4);
  const layout = figure.layout;
  delete layout.template;

  under(layout, {
    uirevision: "kept",
    dragmode: "zoom",
    hovermode: "closest",
    showlegend: figure.data.length > 1,
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: theme.font, size, color: theme.text },
    margin: narrow
      ? { l: 8, r: 22, t: 8, b: 8, pad: 0 }
      : { l: 12 * scale, r: 16 * scale, t: 12 * scale, b: 12 * scale, pad: 0 },
    hoverlabel: {
      align: "left",
      bgcolor: theme.background,
      bordercolor: line,
      font: { family: theme.font, size: 13 * scale, color: theme.text },
    },
    legend: { bgcolor: "rgba(0,0,0,0)", borderwidth: 0, tracegroupgap: 4 },
    xaxis: {},
    yaxis: {},
  });
  if (narrow) {
    // Below the plot, whatever Python chose: beside it nothing would be left for the curves.
    layout.legend = { ...layout.legend, orientation: "h", x: 0, xanchor: "left",
      xref: "container", y: 0, yanchor: "bottom", yref: "container", font: { size: 11 * scale } };
    dropSlopes(figure.data, 6);
    for (const trace of figure.data) {
      // An entry is as wide as the screen at most: about 6 px a character, and its line.
      if (trace.name) trace.name = brokenAt(trace.name, Math.floor((width / scale - 60) / 6));
    }
    delete layout.margin.autoexpand;
  }
  // No entry of a legend below the plot is cut at the edge of the figure.
  else if (!hall) {
    const most = Math.floor((width / scale - 60) / 7);
    for (const trace of figure.data) if (trace.name) trace.name = brokenAt(trace.name, most);
  }
  if (hall && !narrow) hallLegend(figure, { width, height, scale });
  else if (layout.legend?.y < 0) {
    // From the foot of the figure: from the plot's, which many entries lower, it meets the title.
    layout.legend = { ...layout.legend, y: 0, yanchor: "bottom", yref: "container" };
  }
  const upright = layout.yaxis.title;
  if (!hall && upright?.text?.length > 26) upright.text = brokenAt(upright.text, 20);
  const map = figure.data.some(({ type }) => /heatmap/.test(type));
  if (map && paper) {
    // The lines on a map are light, for its dark parts: on paper their legend has its ground, on the
    // screen each line an edge (chart.css).
    layout.legend = { ...layout.legend, bgcolor: "#3b496c",
      font: { ...layout.legend.font, color: "#ffffff" } };
  }
  if (FINGER.matches) layout.dragmode = false;
  // About what is left to the plot itself: a map has its colours beside it, a hall its legend.
  const beside = hall && !narrow ? 350 * scale : narrow ? 90 : 120;
  const room = map ? Math.min(0.7 * width, width - beside) : width - beside;
  keepNumbersWhole(figure, { room, size });
  for (const key of Object.keys(layout)) {
    if (!/^[xy]axis\d*$/.test(key)) continue;
    under(layout[key], {
      automargin: true,
      color: theme.text,
      gridcolor: grid,
      linecolor: line,
      tickcolor: line,
      zerolinecolor: grid,
      zeroline: false,
      showline: true,
      ticks: "outside",
      ticklen: 4,
      // Else a number that the first draft of the margins cuts is hidden, and they never make room for it.
      ticklabeloverflow: "allow",
      title: { standoff: (narrow ? 4 : 8) * scale },
    });
    // An axis of its own revision: "reset zoom" leaves hidden curves hidden.
    layout[key].uirevision = `${layout[key].uirevision ?? layout.uirevision}/${revision}`;
    const { tickvals, ticktext } = layout[key];
    if (key.startsWith("x") && askew(layout[key], { room, size, narrow })) {
      // Powers of ten only, and every other one of many: more would be written askew.
      const places = [...tickvals.keys()];
      let kept = places.filter((i) => Math.log10(tickvals[i]) % 1 === 0);
      if (kept.length < 2) kept = places;
      if (kept.length > 6 || kept === places) kept = kept.filter((_, place) => place % 2 === 0);
      layout[key].tickvals = kept.map((i) => tickvals[i]);
      layout[key].ticktext = kept.map((i) => ticktext[i]);
    }
    // On a log axis more ticks would mean a crowd of small digits between the powers of ten.
    const most = (key.startsWith("y") ? 6 : layout[key].type === "log" ? 4 : 5) * (narrow ? 1 : 2);
    if (layout[key].tickvals === undefined) {
      layout[key].nticks = Math.min(layout[key].nticks || most, most);
    }
  }
  layout.width = width;
  layout.height = height;
  layout.autosize = false;

  const names = new Set();
  figure.data.forEach((trace, index) => {
    // Hidden curves are remembered by uid: one of our own survives curves coming and going.
    let uid = String(trace.uid ?? trace.name ?? index).replace(/[^\p{L}\p{N}]+/gu, "-");
    while (names.has(uid)) uid += "-";
    names.add(uid);
    trace.uid = uid;
    if (trace.colorbar || /heatmap|contour/.test(trace.type)) {
      under(trace, { colorbar: { outlinewidth: 0, thickness: (narrow ? 10 : 14) * scale } });
    }
    if (scale !== 1) enlarge(trace, scale);
    const { mode, textfont, textposition } = trace;
    if (mode === "markers+text" && textposition && textfont?.color) { // beside its mark
      textfont.color = forWords(textfont.color, theme);
    }
  });
  for (const note of layout.annotations ?? []) {
    if (note.font?.color) note.font.color = forWords(note.font.color, theme);
    if (map) note.bgcolor = theme.background; // on its dark parts words of the page's colours are lost
  }
  if (scale !== 1) {
    for (const note of [...(layout.annotations ?? []), layout.legend]) {
      if (note.font?.size) note.font.size *= note === layout.legend && narrow ? 1 : scale;
    }
    for (const shape of layout.shapes ?? []) enlarge(shape, scale);
  }
  return figure;
}

function enlarge(item, scale) {
  const lines = typeof item.type === "string" && /heatmap/.test(item.type) ? [] : [item];
  for (const { line, marker, mode } of lines) {
    if (line) line.width = (line.width ?? 2) * scale;
    else if (mode && mode.includes("lines")) item.line = { width: 2 * scale };
    if (marker && !Array.isArray(marker.size)) marker.size = (marker.size ?? 6) * scale;
  }
}
