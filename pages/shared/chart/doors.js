// Doors: at the end of each line its name, a link to the page that the line is about.
//
// In place of a legend. They are elements of the page beside the plot, which is an image to those who
// do not see it: so they are links to everybody. On a narrow screen, or where they are many, they are a
// list below the plot, by their groups. A finger on a name asks what the line is; the arrow behind it
// leads to the page.
//
// Part of the chart's program (static_files.py puts them together).

const DOOR = { width: 248, height: 24, lead: 22, swatch: 30, around: 70, most: 8 };
const DASHED = { dash: "7 5", dashdot: "8 4 2 4", longdash: "12 5", longdashdot: "12 4 2 4" };

/** Write the doors of a figure, unless they are those that are there. */
function hangDoors(chart) {
  const { doors = [], figure } = chart.sent;
  const told = JSON.stringify(doors);
  if (chart.hung === told || (!doors.length && !chart.doors)) return;
  chart.hung = told;
  const links = [...(chart.doors?.querySelectorAll(".pv-door") ?? [])];
  const there = new Map(links.map((link) => [link.dataset.uid, link]));
  if (doors.length === there.size && doors.every(({ uid }) => there.has(uid))) {
    // The same lines at another setting: who has the focus on one keeps it.
    for (const { uid, href } of doors) {
      for (const one of [there.get(uid), there.get(uid).nextSibling]) one.href = href;
    }
    return;
  }
  if (!chart.doors) {
    chart.doors = element("div", "pv-doors");
    chart.leads = shape("svg", { class: "pv-leads", "aria-hidden": "true" }, chart.doors);
    element("ul", "", chart.doors).setAttribute("aria-label", "Lines of the figure: each leads to its page");
    chart.plot.after(chart.doors);
    chart.root.classList.add("pv-with-doors");
    chart.doors.addEventListener("click", (event) => {
      const name = FINGER.matches && event.target.closest(".pv-door");
      if (!name) return;
      event.preventDefault(); // tips.js says what the line is
      light(namesOf(name));
    });
  }
  const lines = new Map(figure.data.map((trace) => [trace.uid, trace.line]));
  let heading;
  chart.doors.lastChild.replaceChildren(...doors.flatMap(({ uid, label, says, href, group }) => {
    const item = element("li");
    const link = element("a", "pv-door", item);
    Object.assign(link, { href });
    Object.assign(link.dataset, { about: uid, tip: says, uid });
    const { color, dash, width } = lines.get(uid) ?? {};
    const swatch = shape("svg", { width: DOOR.swatch, height: 8, "aria-hidden": "true" }, link);
    shape("path", { d: `M0 4h${DOOR.swatch}`, stroke: color, "stroke-width": width,
      "stroke-dasharray": DASHED[dash] ?? (/px/.test(dash) ? dash.replaceAll(/px,?/g, " ") : "none") }, swatch);
    element("span", "", link, label);
    const go = element("a", "pv-go", item, "→");
    Object.assign(go, { href });
    go.setAttribute("aria-label", `Open the page: ${label}`);
    if (doors.length <= DOOR.most || group === heading) return [item];
    heading = group;
    return [element("li", "pv-group", undefined, group), item];
  }));
}

const doorScale = (chart) => (chart.large || chart.room?.hall ? Math.min(1.4, chart.room?.scale ?? 1) : 1);
const atSide = (chart) =>
  chart.root.clientWidth >= NARROW + DOOR.width + DOOR.lead && chart.sent.doors?.length <= DOOR.most;

/** The least height of a figure in whose side every door is as large as a finger needs. */
const doorsHeight = (chart) => {
  const beside = atSide(chart) ? chart.sent.doors?.length ?? 0 : 0;
  return beside && (beside - 1) * DOOR.height + DOOR.around;
};

/** Leave room for the doors in a layout that is about to be drawn. */
function clearForDoors(chart, layout) {
  if (!chart.sent.doors?.length) return;
  layout.showlegend = false;
}

/** Leave room beside the plot: what a pointer is told then never lies on a name. */
function stepAside(chart) {
  const room = atSide(chart) ? `${(DOOR.width + DOOR.lead) * doorScale(chart)}px` : "";
  if (chart.plot.style.marginRight !== room) chart.plot.style.marginRight = room;
}

/** Put each door at the end of its line; those that would meet make way for each other. */
function placeDoors(chart, { data, layout }) {
  if (!chart.sent.doors?.length) return;
  const side = atSide(chart);
  chart.doors.classList.toggle("pv-aside", side);
  const drawn = chart.plot._fullLayout;
  if (!side || !drawn?.yaxis?._length) return;
  const { _offset: top, _length: height } = drawn.yaxis;
  const right = drawn.xaxis._offset + drawn.xaxis._length;
  const y = scaleFor({ ...layout.yaxis, range: layout.yaxis.range ?? drawn.yaxis.range }, drawn.yaxis, "y");
  const scale = doorScale(chart);
  const ends = new Map(data.map((trace) => [trace.uid, [...numbers(trace.y)].filter(Number.isFinite).at(-1)]));
  const doors = [...chart.doors.querySelectorAll(".pv-door")].map((link) => {
    const end = ends.get(link.dataset.uid);
    return { link, end, at: end > 0 ? Math.min(height, Math.max(0, y(end))) : height };
  });
  doors.sort((one, other) => one.at - other.at);
  // The keyboard meets them from top to bottom; while it is at one of them, they keep their order.
  const [list, items] = [chart.doors.lastChild, doors.map(({ link }) => link.parentNode)];
  const moved = items.some((item, index) => item !== list.children[index]);
  if (moved && !list.contains(document.activeElement)) list.append(...items);
  chart.doors.style.top = `${chart.plot.offsetTop}px`;
  chart.doors.style.left = `${chart.plot.offsetLeft + right}px`;
  chart.doors.style.fontSize = `${scale}em`;
  const paths = [];
  // Many doors stand closer, so that none is below the figure.
  const least = Math.min(DOOR.height * scale, height / Math.max(1, doors.length - 1));
  apart(doors.map(({ at }) => at), least, height).forEach((place, index) => {
    const { link, at, end } = doors[index];
    link.parentNode.style.top = `${round(top + place)}px`;
    link.parentNode.style.left = `${DOOR.lead}px`;
    if (end > 0) paths.push(`M2 ${round(top + at)}C${DOOR.lead / 2} ${round(top + at)} ${DOOR.lead / 2} ${round(top + place)} ${DOOR.lead - 3} ${round(top + place)}`);
  });
  chart.leads.replaceChildren(shape("path", { d: paths.join("") }));
}

/** The nearest places to some sorted ones that are so far apart, and inside: least squares. */
function apart(wanted, least, height) {
  const blocks = [];
  wanted.forEach((at, index) => {
    blocks.push({ sum: at - index * least, count: 1 });
    while (blocks.length > 1) {
      const [one, other] = blocks.slice(-2);
      if (one.sum / one.count <= other.sum / other.count) break;
      blocks.splice(-2, 2, { sum: one.sum + other.sum, count: one.count + other.count });
    }
  });
  const most = height - (wanted.length - 1) * least;
  const starts = blocks.flatMap(({ sum, count }) => Array(count).fill(Math.max(0, Math.min(most, sum / count))));
  return starts.map((start, index) => start + index * least);
}

/** A line under the pointer is a link, and looks like one. */
function atDoor(chart, point) {
  const found = chart.sent.doors?.some(({ uid }) => uid === point?.data?.uid);
  chart.plot.classList.toggle("pv-at-door", Boolean(found));
}

/** A click on a line goes where its name leads; a finger only asks what the line is. */
function throughDoor(chart, { points: [point], event }) {
  if (!chart.sent.doors?.length || FINGER.matches || event?.button) return;
  const door = chart.sent.doors.find(({ uid }) => uid === point?.data?.uid);
  if (door) location.assign(door.href);
}
