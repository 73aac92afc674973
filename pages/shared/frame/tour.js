// A tour of the page itself: a card beside what it speaks of, and a frame around that.
//
// It is offered to a browser that has not been here, and starts where the link says so. Nothing is
// covered by force: everything else works on, and the words follow the numbers on the page.
//
// Part of the chart's program (static_files.py puts them together); tour.py sends the steps.

const BEEN = "privsc-tour"; // in the browser's storage, once somebody was here
const EDGE = 8; // px
const HEADER = 56; // px that Streamlit's own bar may cover

let tour; // {parent, data, tell} as mounted, and while it runs {card, frame, at, back}
let tourAsked = false; // whether the link's tour was begun

function beenHere() {
  try {
    return localStorage.getItem(BEEN) !== null;
  } catch {
    return true; // what cannot be remembered would be offered for ever
  }
}

function remember() {
  try {
    localStorage.setItem(BEEN, "1");
  } catch {} // no storage
}

/** Streamlit calls this, by way of a line in tour.py, whenever the page is drawn. */
function mountTour({ data, parentElement, setTriggerValue }) {
  if (tour?.parent !== parentElement) {
    if (tour?.card) endTour();
    tour = { parent: parentElement };
  }
  Object.assign(tour, { data, tell: setTriggerValue });
  if (data.offer && !beenHere() && !parentElement.querySelector(".pv-tour-offer")) {
    const button = element("button", "pv-tour-offer", parentElement, "90-second tour");
    button.type = "button";
    button.onclick = () => beginTour();
  }
  if (data.start && !tourAsked) whenDrawn(parentElement);
  tourAsked = data.start;
}

/** Begin once there is something to show. */
function whenDrawn(parent) {
  if (!parent.isConnected) return;
  const there = document.querySelector(".st-key-main .main-svg") && !document.getElementById("pv-first");
  if (there) beginTour();
  else setTimeout(whenDrawn, 100, parent);
}

function beginTour() {
  if (tour.card) return;
  remember();
  tour.back = document.activeElement;
  const layer = (className) => {
    const node = element("div", className, tour.parent);
    node.popover = "manual"; // above everything, wherever it is mounted
    return node;
  };
  tour.frame = layer("pv-tour-frame");
  const card = (tour.card = layer("pv-tour"));
  card.setAttribute("role", "dialog");
  element("p", "pv-tour-title", card);
  element("p", "pv-tour-text", card).id = "pv-tour-text";
  card.setAttribute("aria-describedby", "pv-tour-text");
  const row = element("div", "pv-tour-row", card);
  const button = (words, action) => {
    const made = element("button", "", row, words);
    made.type = "button";
    made.onclick = action;
    return made;
  };
  tour.opens = button("", openPart);
  tour.before = button("Back", () => goTour(tour.at - 1));
  tour.next = button("Next", () => goTour(tour.at + 1));
  button("End", () => endTour());
  card.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    goTour(Math.min(tour.at + step, tour.data.steps.length - 1));
  });
  tour.frame.showPopover();
  card.showPopover();
  tour.over = new AbortController();
  document.addEventListener("keydown", ({ key, target }) => {
    const open = target.getAttribute?.("aria-expanded") === "true"; // a list: Escape closes that
    if (key === "Escape" && !open && !document.querySelector(".pv-chart.pv-over")) endTour();
  }, { signal: tour.over.signal });
  goTour(0);
  followTarget();
}

function goTour(at) {
  const { steps } = tour.data;
  if (at >= steps.length) return endTour();
  if (at < 0) return;
  tour.at = at;
  const step = steps[at];
  const title = `${at + 1} of ${steps.length} · ${step.title}`;
  write(tour.card.querySelector(".pv-tour-title"), title);
  tour.card.setAttribute("aria-label", `Tour, ${title}`);
  tour.before.hidden = at === 0;
  write(tour.next, at + 1 < steps.length ? "Next" : "Done");
  tour.opens.hidden = !step.opens;
  write(tour.opens, step.action);
  sayStep();
  tour.next.focus({ preventScroll: true });
  tell(`${title}. ${tour.card.querySelector(".pv-tour-text").textContent}`);
  keepLit(step.lights.split(" ").filter(Boolean));
  revealTarget();
}

/** Write the words of the step with the numbers of now. */
function sayStep() {
  const numberAt = (names) =>
    names.split(" ").map((name) => document.querySelector(`.pv-card[data-about~="${CSS.escape(name)}"] strong`))
      .find(Boolean)?.textContent;
  const stopOf = (key) => inputOf(key)?.getAttribute("aria-valuetext");
  const text = tour.data.steps[tour.at].text.replace(/\{(=?)([^}]*)\}/g, (_, slider, name) =>
    (slider ? stopOf(name) : numberAt(name)) ?? "–");
  write(tour.card.querySelector(".pv-tour-text"), text);
}

// --- where it stands ---------------------------------------------------------------------------

const narrowScreen = () => innerWidth < NARROW;
const targetOf = () => document.querySelector(tour.data.steps[tour.at].at);

function revealTarget() {
  const target = targetOf();
  if (!target) return;
  placeTour();
  const box = target.getBoundingClientRect();
  // On a phone the figure stays above the controls, and must not cover the one that is meant.
  const figure = document.querySelector(".st-key-main");
  const below = narrowScreen() && target.closest(".st-key-pv_stage") && target !== figure;
  const start = HEADER + (below ? (figure?.offsetHeight ?? 0) + 2 * EDGE : 0);
  // Where it has no room between figure and card, the card goes above it.
  const card = narrowScreen() ? tour.card.offsetHeight + EDGE : 0;
  const high = innerHeight - card - 2 * EDGE;
  const end = card && high - start < box.height ? innerHeight - 2 * EDGE : high;
  let by = 0;
  if (box.top < start) by = box.top - start;
  else if (box.bottom > end) by = Math.min(box.bottom - end, box.top - start);
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  document.querySelector("[data-testid=stMain]")
    ?.scrollBy({ top: by, behavior: calm ? "instant" : "smooth" });
}

/** Put frame and card where the target is now. */
function placeTour() {
  const { card, frame } = tour;
  const box = targetOf()?.getBoundingClientRect();
  frame.hidden = !box;
  if (!box) return;
  const put = (node, left, top) => {
    const there = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
    if (node.style.transform !== there) node.style.transform = there;
  };
  put(frame, box.left - EDGE / 2, box.top - EDGE / 2);
  frame.style.width = `${box.width + EDGE}px`;
  frame.style.height = `${box.height + EDGE}px`;
  const { offsetWidth: width, offsetHeight: height } = card;
  const [right, foot] = [innerWidth - width - EDGE, innerHeight - height - EDGE];
  const above = box.top - height - 2 * EDGE;
  if (narrowScreen()) return put(card, EDGE, box.bottom > foot && above >= EDGE ? above : foot);
  const level = Math.max(EDGE, Math.min(box.top, foot));
  const along = Math.max(EDGE, Math.min(box.left, right));
  const places = [
    [box.right + 2 * EDGE, level], [along, box.bottom + 2 * EDGE],
    [along, box.top - height - 2 * EDGE], [box.left - width - 2 * EDGE, level],
  ];
  const fits = ([x, y]) => x >= EDGE && x <= right && y >= EDGE && y <= foot;
  put(card, ...(places.find(fits) ?? [right, foot]));
}

/** The page moves as it likes: scrolled, drawn again, with other numbers. */
function followTarget() {
  if (!tour?.card) return;
  if (!tour.card.isConnected) return endTour();
  sayStep();
  placeTour();
  requestAnimationFrame(followTarget);
}

// --- the end -----------------------------------------------------------------------------------

function endTour(focus = tour.back) {
  const { card, frame, over, data, tell: answer } = tour;
  tour.card = undefined;
  over.abort();
  keepLit([]);
  const inside = card.contains(document.activeElement) || document.activeElement === document.body;
  card.remove();
  frame.remove();
  if (inside || focus !== tour.back) focus?.focus?.();
  if (data.start) answer("ended", true); // the link says so no longer
}

/** Open the part that the step speaks of, and go there. */
function openPart() {
  const fold = document.querySelector(`.st-key-w_open_${tour.data.steps[tour.at].opens}`);
  const summary = fold?.querySelector("summary");
  endTour(summary);
  if (!summary) return;
  if (!fold.querySelector("details[open]")) summary.click();
  fold.style.scrollMarginTop = "4.5rem"; // below Streamlit's own bar
  fold.scrollIntoView({ block: "start", behavior: "instant" });
}

// Once for a visit, as connection.js.
if (document.querySelector("[data-testid=stApp]") && !window.pvTour) {
  window.pvTour = () => window.pvTours?.splice(0).forEach(mountTour);
  window.pvTour();
  // Who uses the controls has been here, and needs no offer the next time.
  document.addEventListener("pointerdown", ({ target }) => {
    if (target.closest?.(".st-key-pv_stage")) remember();
  }, { capture: true, passive: true });
}
