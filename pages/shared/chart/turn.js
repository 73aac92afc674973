// A sphere that is turned in place: by mouse, finger and arrow keys.
//
// Python sends the picture as seen from one side, `layout.meta.turn`, and of each trace where its
// points are in space, `meta.space`, row by row. While a hand turns it the points are projected here, as
// Python would; what lies behind is left out. Once it is let go Python hears where it stands, for the
// link, and says the words about it.
//
// Part of the chart's program (static_files.py puts them together).

const TURNING = "Turn it by dragging, or with the arrow keys.";
const SETTLED = 350; // ms after the last key until Python hears of it
const TURNS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowDown: [0, -1], ArrowUp: [0, 1] };

/** Make the plot of a chart one that turns, or none. */
function hangTurn(chart) {
  const turn = chart.sent.figure.layout.meta?.turn;
  chart.plot.classList.toggle("pv-turn", Boolean(turn));
  if (!turn) {
    if (chart.turning) {
      chart.plot.removeAttribute("tabindex");
      chart.plot.setAttribute("role", "img");
    }
    return;
  }
  chart.plot.tabIndex = 0;
  chart.plot.setAttribute("role", "application");
  chart.plot.setAttribute("aria-label", `${chart.sent.title}. ${TURNING} ${chart.sent.summary}`);
  if (!chart.turning) listenForTurns(chart);
  // What Python sends while a hand is on it is shown from where the hand has brought it.
  if (chart.turning.held) project(chart, chart.turning.view);
  else chart.turning.view = [turn.around, turn.up];
}

function listenForTurns(chart) {
  const { plot } = chart;
  const { signal } = chart.gone;
  chart.turning = { view: [0, 0], held: false };
  const meant = () => chart.sent?.figure.layout.meta?.turn;

  plot.addEventListener("pointerdown", (event) => {
    if (!meant() || event.button !== 0 || !event.target.closest(".nsewdrag")) return;
    const { xaxis } = plot._fullLayout;
    // A drag from edge to edge of the sphere, two units of the axis, is half a turn.
    const degrees = (90 * (xaxis.range[1] - xaxis.range[0])) / xaxis._length;
    const from = { x: event.clientX, y: event.clientY, view: chart.turning.view };
    const { pointerId } = event;
    const drag = new AbortController();
    const move = (moved) => {
      if (moved.pointerId !== pointerId) return;
      moved.preventDefault();
      const [around, up] = from.view;
      // The side that one holds follows the hand: who looks at it goes the other way.
      turnTo(chart, [around - (moved.clientX - from.x) * degrees, up + (moved.clientY - from.y) * degrees]);
    };
    const end = (ended) => {
      if (ended.pointerId !== pointerId) return;
      drag.abort();
      plot.classList.remove("pv-held");
      release(chart, meant());
    };
    chart.turning.held = true;
    plot.classList.add("pv-held");
    plot.focus({ preventScroll: true });
    document.addEventListener("pointermove", move, { signal: drag.signal, capture: true });
    for (const name of ["pointerup", "pointercancel"]) {
      document.addEventListener(name, end, { signal: drag.signal, capture: true });
    }
  }, { signal, capture: true });

  plot.addEventListener("keydown", (event) => {
    const way = TURNS[event.key];
    if (!way || !meant() || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const { view } = chart.turning;
    chart.turning.held = true;
    turnTo(chart, view.map((angle, i) => angle + way[i] * meant().step));
    clearTimeout(chart.turning.settling);
    chart.turning.settling = setTimeout(() => release(chart, meant()), SETTLED);
  }, { signal });
}

/** Show it from a side, once a frame. */
function turnTo(chart, [around, up]) {
  const { turning } = chart;
  turning.view = [((((around + 180) % 360) + 360) % 360) - 180, Math.min(90, Math.max(-90, up))];
  turning.frame ??= requestAnimationFrame(() => {
    turning.frame = undefined;
    project(chart, turning.view);
    chart.drawn = undefined;
    chart.draw();
  });
}

/** The hand is off: go to the nearest place that a link can name, and tell Python. */
function release(chart, turn) {
  chart.turning.held = false;
  if (!turn) return;
  const view = chart.turning.view.map((angle) => Math.round(angle / turn.step) * turn.step);
  turnTo(chart, view);
  chart.tell?.("turn", view);
}

/** Put the points of a figure where they are seen from a side, in degrees. */
function project(chart, [around, up]) {
  const { data, layout } = chart.sent.figure;
  const a = (around * Math.PI) / 180, h = (up * Math.PI) / 180;
  const [ca, sa, ch, sh] = [Math.cos(a), Math.sin(a), Math.cos(h), Math.sin(h)];
  Object.assign(layout.meta.turn, { around, up });
  for (const trace of data) {
    if (!trace.meta?.space) continue;
    const [xs, ys, zs] = trace.meta.space.map(numbers);
    const count = xs.length;
    trace.x = new Array(count);
    trace.y = new Array(count);
    for (let i = 0; i < count; i += 1) {
      const [x, y, z] = [xs[i], ys[i], zs[i]];
      const seen = ch * ca * x + ch * sa * y + sh * z >= -1e-9;
      trace.x[i] = seen ? ca * y - sa * x : null;
      trace.y[i] = seen ? ch * z - sh * (ca * x + sa * y) : null;
    }
  }
}
