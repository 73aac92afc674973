// The page of a phone in a room: it shows the question, keeps one answer until the server has it,
// and shows the truth beside it.
//
// What comes from the server is a whole state each time, so that one that was missed is no loss. What
// this phone has to keep (its token and its answers) stands in the browser's storage until
// the room closes: an answer is sent again until the server says that it has it.

const QUIET = 20e3; // ms without a byte after which a stream counts as cut
const PATIENCE = 10e3; // ms after which a request without an answer counts as cut
const POLL = 3e3; // ms between two questions where no stream gets through
const CLOSED = "This room is closed. Thank you for your answers.";
const POLLED = 20; // polls, after which a stream is tried again
const SVG = "http://www.w3.org/2000/svg";
const WIDE = 340; // units of the plot, about pixels
const $ = (id) => document.getElementById(id);

const code = decodeURIComponent(location.pathname.split("/").pop()).toUpperCase();
const at = (what) => new URL(`../room/${code}/${what}`, location.href);
const KEPT = "privsc-room-";
const KEY = `${KEPT}${location.pathname}`;

let kept = recall(); // {number, token, epoch, answers: {question: value}}
let state; // the newest one of the server
let chosen; // the value that is shown and not committed yet
let anew = false; // whether the server has lost the room, and put it back, since this page was opened
let waits = 0; // how often in a row the server could not be reached

// --- What this phone keeps ---------------------------------------------------------------------

/** What is kept of this room. No clock is asked how old it is: that of a phone may be wrong. */
function recall() {
  const number = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0"));
  const fresh = { number: number.join(""), token: "", epoch: "", answers: {} };
  try {
    return { ...fresh, ...JSON.parse(localStorage.getItem(KEY)) };
  } catch {
    return fresh;
  }
}

function keep() {
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {} // no storage: kept as long as the page is open
}

/** Drop what is kept of this room, or of all others. */
function forget(which = (key) => key === KEY) {
  try {
    for (const key of Object.keys(localStorage)) if (key.startsWith(KEPT) && which(key)) localStorage.removeItem(key);
  } catch {}
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
/** A pause that grows from 1 s to 15 s, a little different on each phone. */
const later = () => pause(Math.min(15e3, 1000 * 2 ** Math.min(waits++, 4)) * (0.7 + 0.6 * Math.random()));

// --- Talking with the server -------------------------------------------------------------------

const headers = () => (kept.token ? { "X-Room-Token": kept.token } : {});

/** Ask the server; a request that hangs is given up, so that the next one can go. */
function request(what, given = {}) {
  const cut = new AbortController(); // Safari 15 has no AbortSignal.timeout
  setTimeout(() => cut.abort(), PATIENCE);
  return fetch(at(what), { ...given, signal: cut.signal });
}

async function post(what, body, wait = () => {}) {
  const answer = await request(what, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...headers() },
    body: JSON.stringify(body),
  });
  if (answer.status === 429 || answer.status === 503) {
    const seconds = Number(answer.headers.get("Retry-After")) || 2;
    wait((await answer.json().catch(() => ({}))).error);
    await pause(1000 * seconds * (1 + Math.random() / 2));
    return post(what, body, wait);
  }
  return answer;
}

let joining;
/** Join, or join again with what is kept; return an empty text, or why the room takes no phone. */
function join() {
  // One at a time: two at once, with a token that is void, would be two phones.
  joining ??= enter().finally(() => {
    joining = undefined;
  });
  return joining;
}

async function enter() {
  keep(); // should no answer come, and this page be loaded anew, its number says that it is the same phone
  for (;;) {
    try {
      const answers = Object.fromEntries(Object.entries(kept.answers).slice(-9));
      const answer = await post("join", { number: kept.number, answers }, (why) => write("waiting", why ?? ""));
      if (answer.ok) {
        const { token, epoch, state: now } = await answer.json();
        // It begins with the name of what the server keeps; the rest also changes when all phones are put out.
        anew ||= Boolean(kept.epoch) && kept.epoch.slice(0, 8) !== epoch.slice(0, 8);
        kept = { ...kept, token, epoch };
        keep();
        forget((key) => key !== KEY); // a phone is in one room
        take(now);
        return "";
      }
      if (answer.status === 404) forget(); // the room has ended
      if (answer.status < 500) return (await answer.json()).error;
    } catch {}
    connected(false);
    await later();
  }
}

/** Follow the room for as long as it is open. */
async function follow() {
  for (;;) {
    for (let cut = 0; cut < 2; cut += 1) {
      const began = Date.now();
      if ((await stream()) === "over") return;
      if (Date.now() - began > QUIET) cut = -1; // it worked for a while: try it again
      if (waits) connected(false);
      await pause(500 + 1000 * Math.random());
    }
    for (let polls = 0; polls < POLLED; polls += 1) {
      if ((await poll()) === "over") return;
      await (waits ? later() : pause(POLL * (0.8 + 0.4 * Math.random())));
    }
  }
}

/** Take a state from an answer of the server; tell when the room is over. */
async function heard(answer) {
  if (answer.status === 403 || answer.status === 409) return over(await join());
  if (answer.status === 404) return over(CLOSED);
  if (!answer.ok) throw new Error(String(answer.status));
  return "";
}

async function poll() {
  try {
    const answer = await request(`state?seen=${state?.number ?? 0}`, { headers: headers() });
    connected(answer.status < 500);
    if ((await heard(answer)) === "over") return "over";
    if (answer.status === 200) return take(await answer.json());
  } catch {
    connected(false);
  }
  return "";
}

/** Read server-sent events: by hand, because only so a comment shows that the line still stands. */
async function stream() {
  const cut = new AbortController();
  let watch;
  const alive = () => {
    clearTimeout(watch);
    watch = setTimeout(() => cut.abort(), QUIET);
  };
  try {
    alive();
    const answer = await fetch(at("events"), { headers: headers(), signal: cut.signal, cache: "no-store" });
    if ((await heard(answer)) === "over") return "over";
    if (!answer.headers.get("Content-Type")?.startsWith("text/event-stream")) return "";
    connected(true);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return "";
      alive();
      const events = (rest + value).split(/\r?\n\r?\n/);
      rest = events.pop();
      for (const event of events) {
        const data = event.match(/^data: ?(.*)$/gm)?.map((line) => line.replace(/^data: ?/, "")).join("\n");
        if (data && take(JSON.parse(data)) === "over") return "over";
      }
    }
  } catch {
    if (!cut.signal.aborted) waits += 1;
    return "";
  } finally {
    clearTimeout(watch);
    cut.abort();
  }
}

/** Take a state: the newest one is shown, and what the server lacks is sent. */
function take(now) {
  if (now.epoch && kept.epoch && now.epoch !== kept.epoch) {
    // The server has lost what it knew, or all phones were put out: this phone joins again.
    state = undefined;
    join().then(over);
    return "";
  }
  if (state && now.epoch === state.epoch && now.number < state.number) return "";
  const before = state;
  state = now;
  connected(true);
  if (now.phase === "closed") return over(CLOSED);
  if (before?.question?.id !== now.question?.id) chosen = undefined;
  show(before);
  send();
  return "";
}

let sending = false;
/** Send the answer of this question until the server has it. */
async function send() {
  const { id } = state.question ?? {};
  if (sending || !(id in kept.answers) || known() || state.phase !== "asked") return;
  sending = true;
  try {
    const answer = await post("commit", { question: id, value: kept.answers[id] });
    if (answer.ok) {
      const { mine, count } = await answer.json(); // the first one, should there have been another
      if (state?.question?.id === id) state = { ...state, mine, count };
    } else if (answer.status < 500) {
      await poll(); // the server says what it has, and why it takes no more
      await pause(POLL);
    } else {
      throw new Error(String(answer.status));
    }
  } catch {
    connected(false);
    await later();
  }
  sending = false;
  if (!state) return;
  show();
  send(); // this answer again, or that of a question that came meanwhile
}

const known = () => state.mine !== null && state.mine !== undefined;

function connected(yes) {
  if (yes) waits = 0;
  const { id } = state?.question ?? {};
  const open = id !== undefined && id in kept.answers && !known();
  const words = open
    ? "No connection. Your answer is kept on this phone and sent when the connection is back."
    : "No connection. This page tries again by itself.";
  write("line", yes ? "" : words);
}

/** End with a sentence; with none there is nothing to end. */
function over(why) {
  if (!why) return "";
  forget();
  state = undefined;
  write("waiting", why);
  part("wait");
  write("line", "");
  return "over";
}

// --- What is shown -----------------------------------------------------------------------------

function write(id, words) {
  if ($(id).textContent !== words) $(id).textContent = words;
}

function part(name) {
  for (const one of ["letters", "wait", "ask", "told"]) $(one).hidden = one !== name;
}

function node(tag, properties = {}, parent = undefined, space = SVG) {
  const made = space ? document.createElementNS(space, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "text") made.textContent = value;
    else made.setAttribute(name, value);
  }
  parent?.append(made);
  return made;
}
const html = (tag, properties, parent) => node(tag, properties, parent, "");

const number = (value) => {
  const size = Math.abs(value);
  if (size >= 1000 || Number.isInteger(value)) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
};

/** Show the state; `before` is the one that was shown until now. */
function show(before = state) {
  const { phase, question } = state;
  if (phase === "waiting" || !question) {
    const where = anew ? "The room has begun anew, and this phone is back in it." : "You are in the room.";
    write("waiting", `${where} The question comes when the lecturer asks it.`);
    part("wait");
    return;
  }
  const fresh = before?.question?.id !== question.id || before?.phase !== phase;
  if (phase === "revealed") {
    reveal();
    part("told");
    if (fresh) write("aloud", ["truth", "own", "everybody"].map((id) => $(id).textContent).join(" "));
    return;
  }
  if (before?.question?.id !== question.id || $("ask").hidden) ask(question);
  part("ask");
  settle();
  if (fresh) write("aloud", `New question. ${question.text}`);
}

/** Draw a question that is new. */
function ask(question) {
  const [text, ...setting] = question.text.split("\n");
  write("question", text);
  write("setting", setting.join(" "));
  write("wrong", "");
  $("picture").hidden = !question.picture;
  if (question.picture) $("picture").src = `data:image/svg+xml,${encodeURIComponent(question.picture)}`;
  const number_ = question.kind === "number";
  $("number").hidden = !number_;
  $("choices").hidden = number_;
  chosen = kept.answers[question.id] ?? state.mine ?? undefined;
  if (number_) axis(question.axis);
  else choices(question.choices);
}

function choices(words) {
  const place = $("choices");
  place.replaceChildren(html("legend", { class: "unseen", text: "Your answer" }));
  words.forEach((text, index) => {
    const label = html("label", {}, place);
    const input = html("input", { type: "radio", name: "choice", value: index }, label);
    html("span", { text }, label);
    input.checked = index === chosen;
    input.onchange = () => {
      chosen = index;
      settle();
    };
  });
}

/** Show what can still be done: commit, wait, or nothing. */
function settle() {
  const { id, kind } = state.question;
  const committed = id in kept.answers || known();
  for (const input of $("ask").querySelectorAll("input")) input.disabled = committed;
  $("ask").classList.toggle("kept", committed);
  $("commit").hidden = committed;
  $("commit").disabled = chosen === undefined;
  const said = kind === "number" && chosen !== undefined ? ` ${number(chosen)}` : "";
  write("commit", chosen === undefined ? "Commit" : `Commit${said}`);
  if (kind === "number") line();
  const own = known() ? state.mine : kept.answers[id];
  const mine = !committed ? "" : kind === "number" ? `${number(own)} is your answer.` : "Your answer is marked.";
  const again = anew ? "The room has begun anew, and has it." : "The room has it.";
  const where = known() ? `${again} Wait for the lecturer to reveal.` : "It is on its way to the room …";
  write("done", committed ? `${mine} ${where}` : "");
}

$("ask").onsubmit = (event) => {
  event.preventDefault();
  if (chosen === undefined || !state?.question || $("commit").hidden) return;
  kept.answers[state.question.id] = chosen;
  keep();
  settle();
  send();
};

// --- A number: an axis, a line that is dragged, a field that is typed into -----------------------

let stops = []; // the values that the line may stand at

/** The values of an axis: of a logarithmic one all numbers of two digits, of another one 200 steps. */
function stopsOf({ low, high, log }) {
  if (!log) return Array.from({ length: 201 }, (_, i) => Number((low + ((high - low) * i) / 200).toPrecision(4)));
  const found = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; power += 1)
    for (let digits = 10; digits < 100; digits += 1) {
      const value = Number(((digits * 10 ** power) / 10).toPrecision(2));
      if (value >= low && value <= high && (low < 1 || Number.isInteger(value))) found.push(value);
    }
  return found;
}

const share = ({ low, high, log }, value) =>
  log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);

/** The place on the axis as a number of units; a little room is left at both ends. */
const across = (axis_, value) => 10 + (WIDE - 20) * Math.min(1, Math.max(0, share(axis_, value)));

function frame(svg, axis_, tall) {
  svg.replaceChildren();
  svg.setAttribute("viewBox", `0 0 ${WIDE} ${tall}`);
  node("rect", { class: "frame", x: 0, y: 18, width: WIDE, height: tall - 40, rx: 4 }, svg);
  const { low, high, log } = axis_;
  const ticks = [];
  if (log) for (let power = Math.ceil(Math.log10(low)); 10 ** power <= high * 1.001; power += 1) ticks.push(10 ** power);
  else for (let i = 0; i <= 4; i += 1) ticks.push(Number((low + ((high - low) * i) / 4).toPrecision(3)));
  const every = ticks.length > 6 ? 2 : 1;
  ticks.forEach((value, index) => {
    const x = across(axis_, value);
    node("line", { class: "tick", x1: x, x2: x, y1: tall - 28, y2: tall - 22 }, svg);
    if (index % every) return;
    const text = value >= 1e6 ? `${value / 1e6} million` : number(value);
    const anchor = x < 25 ? "start" : x > WIDE - 30 ? "end" : "middle";
    node("text", { x: anchor === "start" ? 4 : anchor === "end" ? WIDE - 4 : x, y: tall - 6, "text-anchor": anchor, text }, svg);
  });
}

/** A line across the plot with its words above it, so many rows below the top; `from` is a line that the words leave free. */
function upright(svg, axis_, value, kind, words, tall, row = 0, from = undefined) {
  const x = across(axis_, value);
  node("line", { class: kind, x1: x, x2: x, y1: 18 + 16 * row, y2: tall - 22 }, svg);
  if (!words) return;
  let anchor = x < WIDE / 3 ? "start" : x > (2 * WIDE) / 3 ? "end" : "middle";
  const free = from === undefined ? 0 : x - across(axis_, from);
  if (free && Math.abs(free) < 90) anchor = free < 0 ? (x > 90 ? "end" : anchor) : x < WIDE - 90 ? "start" : anchor;
  const class_ = { mine: "own-text", right: "truth-text" }[kind] ?? "";
  node("text", { class: class_, x, y: 13 + 16 * row, "text-anchor": anchor, text: words }, svg);
}

function axis(given) {
  stops = stopsOf(given);
  const slide = $("slide");
  slide.max = stops.length - 1;
  slide.setAttribute("aria-label", given.label || "Your answer");
  write("axis", given.label || "");
  $("type").value = chosen === undefined ? "" : number(chosen);
  slide.value = nearest(chosen ?? middle(given));
}

/** Where the line waits before anything is chosen: in the middle, drawn nowhere. */
const middle = ({ low, high, log }) => (log ? Math.sqrt(low * high) : (low + high) / 2);

const nearest = (value) =>
  stops.reduce((best, stop, index) => (Math.abs(stop - value) < Math.abs(stops[best] - value) ? index : best), 0);

function line() {
  const { axis: given } = state.question;
  const svg = $("plot").firstElementChild;
  const tall = 150;
  frame(svg, given, tall);
  if (chosen === undefined) {
    node("text", { x: WIDE / 2, y: 75, "text-anchor": "middle", text: "touch where your answer is" }, svg);
  } else {
    upright(svg, given, chosen, "mine", number(chosen), tall);
  }
  $("slide").setAttribute("aria-valuetext", chosen === undefined ? "no answer yet" : `${number(chosen)} ${given.unit ?? ""}`);
}

function choose(value, typed = false) {
  chosen = value;
  write("wrong", "");
  if (!typed) $("type").value = number(value);
  $("slide").value = nearest(value);
  settle();
}

$("slide").oninput = () => choose(stops[$("slide").value]);

$("plot").onpointerdown = (event) => {
  if ($("slide").disabled) return;
  $("plot").setPointerCapture(event.pointerId);
  point(event);
};
$("plot").onpointermove = (event) => {
  if ($("plot").hasPointerCapture(event.pointerId)) point(event);
};

function point({ clientX }) {
  const { left, width } = $("plot").getBoundingClientRect();
  const part_ = Math.min(1, Math.max(0, (((clientX - left) / width) * WIDE - 10) / (WIDE - 20)));
  const { low, high, log } = state.question.axis;
  choose(stops[nearest(log ? low * (high / low) ** part_ : low + (high - low) * part_)]);
}

$("type").oninput = () => {
  const { low, high, log } = state.question.axis;
  const text = $("type").value.replace(/[\s,’']/g, "");
  const value = log && low >= 1 ? Math.round(Number(text)) : Number(text);
  if (text && value >= low && value <= high) {
    choose(value, true);
    return;
  }
  chosen = undefined;
  settle();
  write("wrong", text ? `The answer must be a number from ${number(low)} to ${number(high)}.` : "");
};

// --- Afterwards --------------------------------------------------------------------------------

function reveal() {
  const { question } = state;
  const own = known() ? state.mine : undefined;
  write("asked", question.text.split("\n")[0]);
  write("truth", state.truth_text);
  const place = $("all");
  place.replaceChildren();
  if (question.kind === "number") numbers(place, question.axis, state, own);
  else bars(place, question.choices, state, own);
  if (own !== undefined) return;
  const late = "Your answer did not reach the room before the reveal, and is not counted.";
  write("own", question.id in kept.answers ? late : "You gave no answer.");
}

function numbers(place, given, { truth, answers, median, within, count: all }, own) {
  const svg = node("svg", { "aria-hidden": "true" }, place);
  const tall = 200;
  frame(svg, given, tall);
  // Dots in columns of four units, as high as many answers stand there; a column that is too high is denser.
  const columns = new Map();
  for (const [value, count] of answers) {
    const column = Math.round(across(given, value) / 5);
    columns.set(column, (columns.get(column) ?? 0) + count);
  }
  const most = Math.max(...columns.values(), 1);
  const step = Math.min(6, 120 / most);
  for (const [column, count] of columns)
    for (let i = 0; i < count; i += Math.ceil(count / 60))
      node("circle", { class: "dot", cx: column * 5, cy: tall - 26 - step * i, r: 2.5 }, svg);
  if (typeof median === "number") upright(svg, given, median, "median", "", tall, 2);
  if (own !== undefined) upright(svg, given, own, "mine", `you ${number(own)}`, tall, 1, truth ?? undefined);
  if (typeof truth === "number") upright(svg, given, truth, "right", number(truth), tall);
  if (own !== undefined) write("own", beside(own, truth));
  const parts = [];
  if (all) parts.push(all === 1 ? "1 answer." : `${number(all)} answers.`);
  if (typeof median === "number" && all > 1) parts.push(`Half of them are at most ${number(median)} (dotted line).`);
  if (typeof within === "number") parts.push(`${Math.round(100 * within)}% are within a factor of two of the truth.`);
  write("everybody", parts.join(" "));
}

/** The own answer beside the truth, in words. */
function beside(own, truth) {
  if (typeof truth !== "number") return `Your answer: ${number(own)}.`;
  if (own === truth) return `Your answer: ${number(own)}, exactly right.`;
  const word = own > truth ? "too large" : "too small";
  if (own <= 0 || truth <= 0) return `Your answer: ${number(own)}, ${word}.`;
  const factor = Math.max(own / truth, truth / own);
  const off = factor < 1.1 ? `${(100 * (factor - 1)).toFixed(1)}%` : `by a factor of ${number(Number(factor.toPrecision(3)))}`;
  return `Your answer: ${number(own)}, ${off} ${word}.`;
}

function bars(place, words, { truth, answers, feedback }, own) {
  const all = answers.reduce((sum, count) => sum + count, 0);
  words.forEach((text, index) => {
    const count = answers[index];
    const row = html("div", { class: "bar" }, place);
    if (index === truth) row.dataset.right = "";
    html("i", { style: `width:${all ? (100 * count) / all : 0}%` }, row);
    html("span", { class: "count", text: `${number(count)} of ${number(all)}` }, row);
    html("span", { text }, row);
    if (index === truth) html("em", { class: "is-right", text: "✓ right" }, row);
    if (index === own) html("em", { class: "is-mine", text: "your answer" }, row);
    if (feedback[index]) html("small", { text: feedback[index] }, row);
  });
  write("own", typeof truth !== "number" ? "" : own === truth ? "Your answer is right." : "Your answer is not the right one.");
  write("everybody", "");
}

// --- Beginning ---------------------------------------------------------------------------------

$("letters").onsubmit = (event) => {
  event.preventDefault();
  location.href = new URL($("code").value.trim().toUpperCase(), new URL("./", location.href));
};

function letters(why) {
  write("why", why);
  part("letters");
  $("code").focus();
}

async function begin() {
  write("room", code);
  document.title = `Room ${code} · privsc`;
  const why = await join();
  if (why) letters(why.endsWith("letters.") ? `${why} Compare them with the lecturer’s screen.` : why);
  else await follow();
}

addEventListener("online", () => state && poll());
document.addEventListener("visibilitychange", () => document.hidden || (state && poll()));

if (/^[A-Z2-9]{6}$/.test(code)) begin();
else letters("");
