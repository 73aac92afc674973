// Live sliders: the figure follows the hand without a round trip per stop.
//
// The first touch of a slider asks the server for its strip (live.py): what the page would be sent
// at every stop of it, the rest of the setting as it is. While the slider is dragged, its hidden
// input says each stop that is passed, and the chart shows that frame. What is shown is a function
// of two things: the setting of the figure that the server sent last, and where the sliders stand.
// So it does not matter when which message comes.
//
// The server says when it has the time for strips (`asks`): ahead of a touch, then those of the likeliest
// sliders are asked for as soon as the page rests; at a touch; or, where it has much to do, at a drag, part by
// part where the hand is. Where it is not full (`alone`), a visitor who moves a slider before its strip is there
// gets the figure of that stop by itself (live.py), before the page runs.
//
// Part of the chart's program (static_files.py puts them together).

const DWELL = 40; // ms that a mouse rests on a slider before that is a touch
const SOON = 50; // ms from a touch to the question: by then a click has been let go
const AGAIN = 150; // ms until what was not ready is asked for again
const BUSY = 30; // ms between two looks at whether the page still runs
const LOST = 5000; // ms after which a question without an answer is asked again
const KEPT = 12; // strips
const RESTING = 300; // ms after a figure that nothing was asked for: then there is time for what may be
const LIKELY = 2; // sliders whose strips are asked for then: those touched last, then the page's first

// Key of a strip -> {frames, pages or why there is no such setting, words of the stops}, or null for one that
// there is not. Of all frames and pages, `of`, only a part may be there.
const kept = new Map();
const lost = new Set(); // of those that there are not: keys that the server had no time for; a touch asks again
let lonely; // {key, place, text}: one stop of a slider without its strip, and its figure once it is there
let following; // the chart that follows
let tellServer; // asks it
let asking; // {key, since}
let touched; // the slider that a hand is at, by its key in a link
let recent = []; // the sliders that a hand was at, the last one first
let dwell = 0;
let resting = 0;
let frame = 0;

// --- asking ------------------------------------------------------------------------------------

/** Streamlit calls this after every run; now and then there is a strip in it. */
export function strips({ data, setTriggerValue }) {
  tellServer = setTriggerValue;
  if (data?.length) take(data);
  else {
    want(touched);
    rest(); // the figure may have been there before there was somebody to ask
  }
  return () => {
    if (tellServer === setTriggerValue) tellServer = undefined; // nothing is asked in the name of another page
  };
}

async function take(data) {
  const cut = data.indexOf(10);
  const text = new TextDecoder().decode(cut < 0 ? data : data.subarray(0, cut));
  const { key, first = 0, pages, of = pages?.length, words, wait, lost: late } = JSON.parse(text);
  const known = kept.get(key);
  if (wait || known === null || (known && pages?.every((_, stop) => first + stop in known.pages))) {
    answered();
    setTimeout(() => want(touched), wait ? AGAIN : 0);
    return;
  }
  let strip = null;
  if (pages) {
    const packed = new Blob([data.slice(cut + 1)]).stream();
    const plain = packed.pipeThrough(new DecompressionStream("deflate"));
    const frames = (await new Response(plain).text()).split("\n");
    strip = known ?? { frames: [], pages: [], of, words };
    frames.forEach((frame, stop) => (strip.frames[first + stop] = frame));
    pages.forEach((page, stop) => (strip.pages[first + stop] = page));
  } else if (known) {
    known.over = true; // no more of it comes; what is there stays
    strip = known;
  }
  if (late) lost.add(key);
  answered(); // not before: asked again meanwhile, the server would say the same, which is read nowhere
  if (!following?.setting) return; // a prediction has begun meanwhile
  kept.set(key, strip);
  const slider = Object.values(following.setting.sliders).find((one) => one.key === key);
  if (strip && slider) readAhead(following, strip.frames, slider.at);
  for (const old of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(old);
  }
  note();
  want(touched);
  moved();
}

/** One is asked at a time: this was its answer, though a change that came after it has another key. */
function answered() {
  asking = undefined;
  rest();
}

/** Ask for what is likely to be touched next, once nothing else is going on. */
function rest() {
  clearTimeout(resting);
  if (following?.setting?.asks !== "ahead") return;
  resting = setTimeout(() => {
    if (asking || hand || document.hidden) return; // an answer, or a new figure, comes by here again
    const { sliders } = following?.setting ?? { sliders: {} };
    const names = new Set([...recent.filter((name) => name in sliders), ...Object.keys(sliders)]);
    want([...names].slice(0, LIKELY).find((name) => !kept.has(sliders[name].key)));
  }, RESTING);
}

/** Say at the chart which sliders it can follow. */
function note() {
  const names = Object.entries(following?.setting?.sliders ?? {});
  const which = (is) => names.filter(([, { key }]) => is(key)).map(([name]) => name).join(" ");
  if (!following) return;
  following.root.dataset.live = which((key) => kept.get(key));
  following.root.dataset.lost = which((key) => lost.has(key));
}

/** What to ask for a slider: its strip, or a stop of the part that a hand may soon reach; often nothing. */
function lacking(name, { key }) {
  const strip = kept.get(key);
  if (strip === null || strip?.over) return undefined;
  const stops = strip?.of ?? Infinity;
  if (following.setting.asks !== "drag") return strip && Object.keys(strip.pages).length >= stops ? undefined : name;
  if (hand?.name !== name || hand.first === undefined) return undefined;
  const at = hand.place ?? hand.first;
  const near = [at, at + 1, at - 1, at + 2, at - 2].filter((stop) => stop >= 0 && stop < stops);
  const stop = near.find((one) => !strip || !(one in strip.pages));
  return stop === undefined ? undefined : `${name} ${stop}`;
}

/** Ask for the strip of a slider, or a part of it, unless it is here, or on its way. */
function want(name, wait = SOON) {
  const slider = following?.setting?.sliders[name];
  const lacks = slider && tellServer && lacking(name, slider);
  if (!lacks) return;
  const now = performance.now();
  if (asking && now - asking.since < LOST) return; // one at a time: the answer asks on
  asking = { key: slider.key, since: now };
  // Later: what follows a touch at once, as a click or one key does, goes first, to the figure alone.
  // Both together would be a run of the whole page.
  setTimeout(ask, wait, lacks, now);
  setTimeout(() => want(touched), LOST + 1); // nothing, if there was an answer
}

/**
 * Ask, as soon as the page has run. A run that begins at the very end of another has Streamlit
 * forget to clear away what the other no longer drew: a Stop button stayed for good.
 */
function ask(what, since) {
  if (asking?.since !== since) return; // asked anew meanwhile
  if (runs()) setTimeout(ask, BUSY, what, since);
  else tellServer?.("ask", what);
}

/** Ask for the figure at one stop where there is no strip to draw it from; one at a time. */
async function wantStop() {
  // A hand that has begun to drag is soon elsewhere.
  if (!following || hand?.first !== undefined || (lonely && lonely.text === undefined)) return;
  const [slider, other] = away(following.setting);
  if (!slider || other || !following.setting.sliders[slider.name].alone) return;
  const { key, place } = slider;
  if (kept.get(key)?.frames[place] || (lonely?.key === key && lonely.place === place)) return;
  const asked = (lonely = { key, place });
  try {
    const signal = AbortSignal.timeout(LOST);
    const answer = await fetch(new URL(`../stop/${key}/${place}`, import.meta.url), { signal, priority: "high" });
    asked.text = answer.status === 200 ? await answer.text() : "";
  } catch {
    asked.text = ""; // the page itself says when the line is lost
  }
  redraw(); // not with the next frame: what the page is sent meanwhile would come first
  wantStop(); // the slider may have gone on
}

/** Whether the page runs. */
function runs() {
  return document.querySelector("[data-testid=stApp]")?.dataset.testScriptState !== "notRunning";
}

function touch(name, wait = SOON) {
  touched = name;
  const key = following?.setting?.sliders[name]?.key;
  if (lost.delete(key)) {
    kept.delete(key);
    note();
  }
  if (name && recent[0] !== name) recent = [name, ...recent.filter((other) => other !== name)];
  want(name, wait);
}

// --- where the sliders stand -------------------------------------------------------------------

const inputs = new Map(); // those found last, by name: on a phone to look through the page takes a while

function inputOf(name) {
  const own = `.st-key-w_${name}`;
  const known = inputs.get(name);
  if (known?.isConnected && known.closest(own)) return known;
  const found = document.querySelector(`${own} input[type="range"]`);
  if (found) inputs.set(name, found);
  return found;
}

/** The key of the slider that a node is in, if it is one that a figure follows. */
function sliderAt(node) {
  const names = Object.keys(following?.setting?.sliders ?? {});
  if (!names.length || !node.closest) return undefined;
  const box = node.closest('[class*="st-key-w_"]');
  return box && names.find((name) => box.classList.contains(`st-key-w_${name}`));
}

/** The sliders that stand elsewhere than in the setting that the server sent last. */
function away({ sliders }) {
  const found = [];
  for (const [name, { at, key }] of Object.entries(sliders)) {
    const input = inputOf(name);
    // Streamlit may give the input back its own value meanwhile.
    const place = (hand?.name === name ? hand.place : undefined) ?? (input ? Number(input.value) : at);
    if (place !== at) found.push({ name, place, at, key });
  }
  return found;
}

/** What a chart shows instead of what the server sent; `news` when that has just come. */
function frameOf(chart, news) {
  keepTold(cards?.takeRecords() ?? []); // what the server has said just now, before we say something
  const found = away(chart.setting);
  if (news && found.length) saidAnew = false;
  if (!found.length) {
    settle(news);
    refuse(chart, "");
    delete chart.root.dataset.frame;
    return undefined;
  }
  const [{ name, place, key }] = found;
  const strip = found.length === 1 ? kept.get(key) : undefined;
  const single = lonely?.key === key && lonely.place === place ? lonely.text : undefined;
  const text = strip?.frames[place] || single;
  const page = strip?.pages[place];
  refuse(chart, !text && typeof page === "string" ? page : "");
  if (text) {
    if (strip) {
      holdHeights();
      tellPage(page);
    }
    chart.root.dataset.frame = `${name} ${place}`;
    return text;
  }
  // Nothing to follow: what is on the screen stays until the server says something newer.
  return news ? undefined : chart.text;
}

/** Say in front of the figure of another stop why there is none at this one. */
function refuse(chart, why) {
  if (!why && !chart.refused?.textContent) return;
  chart.refused ??= element("p", "pv-refused", chart.plot);
  write(chart.refused, why);
  for (const node of [chart.root, document.querySelector(".pv-cards")]) {
    node?.classList.toggle("pv-none", Boolean(why));
  }
}

// --- what stands outside the figure ------------------------------------------------------------

let told; // HTML by selector; undefined while the page is the server's
const said = new Map(); // HTML by selector: what the server has said last, while something else is told
let saidAnew = false; // and whether it has since its last figure
let owed; // what was said, while something else is on the screen and the page may say more
const sheets = new Map(); // HTML -> its nodes, to compare with

function tellPage(page) {
  if (!told) for (const selector of Object.keys(page ?? {})) keepSaid(selector, owed?.get(selector));
  owed = undefined;
  told = page;
  show(page);
}

function show(page) {
  for (const [selector, text] of Object.entries(page ?? {})) {
    for (const node of document.querySelectorAll(selector)) {
      if (!rewrite(node, nodesIn(text))) node.innerHTML = text;
    }
  }
  cards?.takeRecords(); // these were ours
}

function nodesIn(text) {
  if (!sheets.has(text)) {
    if (sheets.size >= READ) sheets.clear();
    const sheet = document.createElement("template");
    sheet.innerHTML = text;
    sheets.set(text, sheet.content);
  }
  return sheets.get(text);
}

// What pointing at something adds is no difference, and stays.
const toneOf = (node) => (node.getAttribute("class") ?? "").replace(/ ?\bpv-lit\b/, "");

/**
 * Change words and tones inside a node to those of another with the same elements; tell if it could.
 *
 * An element that comes or goes has the browser style the whole page again (see `readySpares`).
 */
function rewrite(node, wanted) {
  const [here, there] = [node.childNodes, wanted.childNodes];
  if (here.length !== there.length) return worded(node, wanted);
  return [...here].every((child, index) => {
    const other = there[index];
    if (child.nodeName !== other.nodeName) return false;
    if (child.nodeType !== Node.ELEMENT_NODE) {
      if (child.data !== other.data) child.data = other.data;
      return true;
    }
    if (!rewrite(child, other)) return false;
    if (toneOf(child) !== toneOf(other)) {
      const lit = child.classList.contains("pv-lit") ? " pv-lit" : "";
      child.setAttribute("class", toneOf(other) + lit);
    }
    const { about } = other.dataset;
    if (about === undefined) delete child.dataset.about;
    else if (child.dataset.about !== about) child.dataset.about = about;
    return true;
  });
}

/** Change the words of a node, or take them away, where there is nothing else in both. */
function worded(node, wanted) {
  if (node.children.length || wanted.children.length) return false;
  node.textContent = wanted.textContent;
  return true;
}

function keepSaid(selector, text = document.querySelector(selector)?.innerHTML) {
  if (text !== undefined) said.set(selector, text);
}

/**
 * What the server says while something else is told stays in the background.
 *
 * Also where both are the same: it is what the page says once the hand is away.
 */
function keepTold(records) {
  const names = told ? Object.keys(told) : [...(owed?.keys() ?? [])];
  if (!names.length || !records.length) return;
  for (const selector of names) {
    const node = document.querySelector(selector);
    const within = ({ target, addedNodes }) =>
      node?.contains(target) || [...addedNodes].some((added) => added.contains(node));
    if (!node || !records.some(within)) continue;
    if (!told) owed.delete(selector);
    else {
      keepSaid(selector);
      saidAnew = true;
    }
  }
  if (told && away(following.setting).length) show(told);
}

/** The page is the server's again: after its figure it will say more, unless it just has. */
function settle(news) {
  if (told && (saidAnew || !news)) show(Object.fromEntries(said));
  else if (told) {
    owed = new Map(said);
    setTimeout(pay, BUSY);
  }
  said.clear();
  saidAnew = false;
  told = undefined;
}

/** Show what was said before, if it is all there is: what has not changed is not written again. */
function pay() {
  if (!owed) return;
  if (runs()) {
    setTimeout(pay, BUSY);
    return;
  }
  show(Object.fromEntries(owed));
  owed = undefined;
}

// --- the chart that follows --------------------------------------------------------------------

function moved() {
  frame ||= requestAnimationFrame(redraw);
}

function redraw() {
  cancelAnimationFrame(frame);
  frame = 0;
  putHand();
  following?.update();
  sliders?.takeRecords();
  cards?.takeRecords(); // these were ours
}

let listening;
let sliders; // watches where they stand
let cards; // watches for what the server says

function follow(chart) {
  following = chart;
  note();
  steady(chart);
  // The hand may have been there before the figure was.
  if (!touched || !handAt(touched)) touched = Object.keys(chart.setting.sliders).find(handAt);
  want(touched);
  rest();
  if (listening) return;
  listening = new AbortController();
  const on = (name, action) =>
    document.addEventListener(name, action, { signal: listening.signal, capture: true, passive: true });
  on("pointerdown", (event) => {
    touch(sliderAt(event.target));
    grip(event);
  });
  on("pointermove", follows);
  for (const name of ["pointerup", "pointercancel"]) on(name, letGo);
  for (const name of ["pointerover", "pointerout", "mouseover", "mouseout"]) on(name, within);
  on("focusin", ({ target }) => touch(sliderAt(target) ?? touched));
  on("pointerover", ({ target, pointerType }) => {
    clearTimeout(dwell);
    const name = pointerType === "touch" ? undefined : sliderAt(target);
    if (name) dwell = setTimeout(() => touch(name, 0), DWELL);
  });
  // Streamlit replaces elements when it likes: the whole page is watched, for one attribute.
  sliders = new MutationObserver((records) => {
    if (!records.some(({ target }) => target.type === "range" && sliderAt(target))) return;
    moved();
    wantStop();
  });
  sliders.observe(document.body, { subtree: true, attributes: true, attributeFilter: ["value", "aria-valuetext"] });
  cards = new MutationObserver(keepTold);
  cards.observe(document.body, { subtree: true, childList: true });
  listening.signal.addEventListener("abort", () => {
    sliders.disconnect();
    cards.disconnect();
  });
}

function handAt(name) {
  const box = document.querySelector(`.st-key-w_${name}`);
  return box && (box.matches(":hover") || box.contains(document.activeElement));
}

/** A chart shows nothing that follows any more; what was known for it is forgotten. */
function unfollow(chart) {
  if (following !== chart) return;
  refuse(chart, "");
  kept.clear();
  lost.clear();
  delete chart.root.dataset.live;
  delete chart.root.dataset.lost;
  delete chart.root.dataset.frame;
  listening?.abort();
  clearTimeout(resting);
  following = listening = told = owed = touched = hand = asking = lonely = undefined;
  inputs.clear();
  read.clear();
  sheets.clear();
  sizes.disconnect();
  easeAll();
  said.clear();
  cancelAnimationFrame(frame);
  frame = 0;
}

// --- simulated curves --------------------------------------------------------------------------

/** Of which curves simulations are those that a chart has: of another figure they say nothing. */
const simulatedOf = ({ setting }, { layout }) => `${setting?.same}/${layout.xaxis?.uirevision}`;

/** Keep the simulated curves that the server has sent. */
function keepSimulated(chart, { figure }) {
  const traces = figure.data.filter(({ meta }) => meta?.simulated);
  if (traces.length) chart.simulated = { same: simulatedOf(chart, figure), traces };
}

/** While curves are being simulated, show those of the last simulation, and say so. */
function withSimulated(chart, one) {
  const { sent } = one;
  const { simulated } = chart;
  const waiting = sent.figure.layout.meta?.simulating ?? [];
  if (!waiting.length || simulated?.same !== simulatedOf(chart, sent.figure)) return one;
  if (one.whole?.simulated === simulated) return one.whole;
  // As long as before at most: on a phone a legend entry is broken at its width, and Plotly draws anew.
  const old = simulated.traces.filter(({ meta }) => waiting.includes(meta.simulated)).map((trace) =>
    ({ ...trace, name: trace.name.replace(/\((simulated|proved ends)\)/, "(earlier)") }));
  if (!old.length) return one;
  const caption = `${sent.caption} What is called earlier, and pale, is of the last simulation, at its setting, until it is simulated here.`;
  const figure = { ...sent.figure, data: [...sent.figure.data, ...old] };
  one.whole = { simulated, sent: { ...sent, caption, figure }, earlier: old.map(({ uid }) => uid) };
  return one.whole;
}

/** Draw pale what is of another setting: in full colour it could stand where bounds forbid it. */
function pale({ nodes }, earlier) {
  for (const [uid, { group }] of nodes) group?.classList.toggle("pv-earlier", earlier.has(uid));
}
