// What frames say, worked out once: a hand passes the same stops again and again, and a phone takes longer
// to read a figure than a stop of a fast drag lasts. While nothing else goes on it is done ahead.
//
// Part of the chart's program (static_files.py puts them together).

const READ = 100; // frames
const SPARED = 8; // ms that must be left of a pause for another one
const read = new Map(); // text -> {sent, figure: dressed, room: for which, whole: with what is simulated}
const looks = new WeakMap(); // dressed figure -> see `lookOf`

/** What was sent with a text; what sliders follow `stays`. It is never changed, but for a figure that is turned. */
function reading(text, stays) {
  const known = read.get(text);
  if (known) return known;
  const found = { sent: JSON.parse(text) };
  if (stays && !found.sent.figure.layout.meta?.turn) {
    read.set(text, found);
    for (const old of read.keys()) {
      if (read.size <= READ) break;
      read.delete(old);
    }
  }
  return found;
}

/** A figure dressed for the room that its chart has; it is never changed. */
function dressed(chart, one) {
  if (one.room === chart.roomKey) return one.figure;
  const figure = dress(structuredClone(one.sent.figure), { ...chart.room, revision: chart.revision });
  clearForDoors(chart, figure.layout);
  Object.assign(one, { figure, room: chart.roomKey });
  return figure;
}

/** What of a dressed figure must be as Plotly drew it, as text. */
function lookOf(figure) {
  let look = looks.get(figure);
  if (!look) {
    const { data, layout } = figure;
    look = {
      framework: frameworkOf(layout),
      styles: new Map(data.map((trace) => [trace.uid, styleOf(trace)])),
      scales: { x: scaleOf(layout.xaxis), y: scaleOf(layout.yaxis) },
    };
    looks.set(figure, look);
  }
  return look;
}

/** Read frames while the browser has nothing else to do, those first that are next to a place. */
function readAhead(chart, texts, place) {
  const near = texts.map((_, index) => index).sort((one, other) => Math.abs(one - place) - Math.abs(other - place));
  const on = (pause) => {
    while (near.length && pause.timeRemaining() > SPARED) {
      const text = texts[near.shift()];
      if (!text || following !== chart || !chart.painting || chart.sent.doors?.length) continue;
      const figure = dressed(chart, withSimulated(chart, reading(text, true)));
      lookOf(figure);
      pathsAhead(chart, figure);
    }
    if (near.length) requestIdleCallback(on);
  };
  globalThis.requestIdleCallback?.(on);
}
