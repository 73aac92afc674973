// The keys of the presenter view, and what they lay over it: a blank screen, the scenes, the code.
//
// They are caught before any control sees them: a clicker steps on whatever was used last, be it a
// slider that was just dragged. Up and Down, Tab, Space and Enter stay the controls' own, and so do
// letters and arrows in a field where somebody types.
//
// A step is the number of a scene, not "one more", and it is told again until that scene is there:
// between two pages no run hears it, and a run that a newer one overtakes forgets it.
// code.js stands before this file.

const STEPS = { PageDown: 1, ArrowRight: 1, PageUp: -1, ArrowLeft: -1 };
const ENDS = { Home: 1, End: Infinity };
const AGAIN = 400; // ms until a step that has not come is told again
const BEGAN = "privsc-began"; // where this tab's lecture was begun: a reload or a theme loses the session
const HELP = [
  ["Page down, →", "next scene"], ["Page up, ←", "scene before"], ["Home, End", "first, last"],
  ["B, .", "blank screen; any key returns"], ["L", "this list"], ["Q", "QR code"], ["Esc", "leave"],
  ["↑, ↓", "move the slider that was used last, or reached by Tab"],
];

let mounted; // {parent, tell} of the bar; its layers are inside the parent
let askCode; // asks for the code of what is on the screen
let now = { lecture: "", at: 0, scenes: [] };
let wanted; // the scene that was asked for and is not there yet
let timer, listening;
let layers = {}; // blank, list, code
let shown; // the code that was last shown, by its number
let told; // where the lecture was begun, as the server was told

export default function render({ data, parentElement, setTriggerValue }) {
  if (!data) return undefined;
  if (data.kind === "code") {
    askCode = () => setTriggerValue("ask", true);
    if (data.number && data.number !== shown && layers.code) {
      shown = data.number;
      layers.code.update(data);
      layers.code.open();
    }
    return undefined;
  }
  const fresh = mounted?.parent !== parentElement;
  mounted = { parent: parentElement, tell: setTriggerValue };
  if (data.lecture !== now.lecture) wanted = undefined;
  if (now.at && data.at !== now.at) document.querySelector("[data-testid=stMain]").scrollTo(0, 0);
  now = data;
  if (fresh) furnish(parentElement);
  list();
  begun();
  if (!listening) {
    listening = new AbortController();
    addEventListener("keydown", press, { capture: true, signal: listening.signal });
  }
  if (fresh) tell();
  // Streamlit also calls this for a run that a newer one overtook, while the scene lives on; and
  // between two scenes on different pages, when the next one is on its way.
  return () => setTimeout(gone, AGAIN, parentElement);
}

/** Stop listening when the presenter view was left, not between two of its scenes. */
function gone(parent) {
  if (mounted?.parent !== parent || parent.isConnected) return;
  if (running()) {
    setTimeout(gone, AGAIN, parent);
    return;
  }
  listening?.abort();
  clearTimeout(timer);
  try {
    sessionStorage.removeItem(BEGAN);
  } catch {}
  mounted = listening = wanted = askCode = undefined;
  layers = {};
}

/** Keep where the lecture was begun, or tell it to a server that does not know it any more. */
function begun() {
  if (!now.lecture) return;
  try {
    if (now.began) sessionStorage.setItem(BEGAN, JSON.stringify([now.lecture, now.began]));
    const [lecture, address] = JSON.parse(sessionStorage.getItem(BEGAN)) ?? [];
    if (now.began || lecture !== now.lecture || told === address) return;
    told = address;
    mounted.tell("began", address);
  } catch {} // no storage: Leave goes to the whole page
}

const running = () =>
  document.querySelector("[data-testid=stApp]")?.dataset.testScriptState !== "notRunning";

// --- steps -------------------------------------------------------------------------------------

function go(number) {
  const there = Math.min(Math.max(number, 1), now.scenes.length);
  if (there === (wanted ?? now.at)) return;
  wanted = there;
  tell();
}

function tell() {
  clearTimeout(timer);
  if (wanted === undefined) return;
  if (wanted !== now.at && mounted.parent.isConnected) mounted.tell("scene", wanted);
  const wait = () => {
    timer = setTimeout(running() ? wait : look, AGAIN);
  };
  wait();
}

/** Let a step rest when its scene stands still: a slider that moved late may bring back the one before. */
function look() {
  if (wanted === now.at) wanted = undefined;
  else tell();
}

// --- keys --------------------------------------------------------------------------------------

/** The field that somebody types into. */
const fieldOf = (node) =>
  node.closest?.("textarea, input:not([type=range], [type=checkbox], [type=radio])");

function press(event) {
  const { key, target } = event;
  if (event.altKey || event.ctrlKey || event.metaKey || key === "Shift") return;
  const use = () => {
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  const layer = document.querySelector("dialog[open]"); // one of this file's, or the code of a room
  if (layer?.matches(".pv-blank")) {
    use();
    layer.close();
    return;
  }
  if (document.querySelector('[role="dialog"]')) return; // one of Streamlit's
  const field = fieldOf(target);
  // A list to choose from is a field as well; it is in use while it is open.
  const choosing = target.getAttribute?.("aria-expanded") === "true";
  const typing = field && (field.getAttribute("role") !== "combobox" || choosing);
  if (now.scenes.length && (key in STEPS || key in ENDS)) {
    if (typing && !key.startsWith("Page")) return;
    use();
    if (event.repeat) return; // a key that is held down is one step
    layer?.close();
    go(key in STEPS ? (wanted ?? now.at) + STEPS[key] : ENDS[key]);
  } else if (!mounted.parent.isConnected) {
    return; // between two scenes a step is kept, and nothing else
  } else if (key === "Escape") {
    // What lies over the page goes first; where something else is open, it is for that.
    if (layer || choosing || document.querySelector(".pv-chart.pv-over")) return;
    document.querySelector(".st-key-pv_leave button")?.click();
  } else if (field) {
    // What was typed is in; the next key is the clicker's.
    if (key === "Enter" && !choosing) setTimeout(() => field.blur());
  } else if (!event.repeat && SHORT[key.toLowerCase()]) {
    use();
    SHORT[key.toLowerCase()]();
  }
}

/** Open one layer, or close it if it is open. */
function toggle(dialog) {
  const open = mounted.parent.querySelector("dialog[open]");
  open?.close();
  if (open !== dialog) dialog.showModal();
}

const blank = () => toggle(layers.blank);
const scenes = () => {
  if (!now.scenes.length) return;
  toggle(layers.list);
  layers.list.querySelector("[aria-current]")?.focus();
};
const code = () => {
  const open = mounted.parent.querySelector("dialog[open]");
  open?.close();
  if (!open?.matches(".pv-code")) askCode?.();
};
const SHORT = { b: blank, ".": blank, l: scenes, q: code };

// --- what stands in the bar, and what lies over the page ---------------------------------------

function furnish(parent) {
  parent.replaceChildren();
  const row = element("p", "pv-themes pv-tools-hall", parent);
  const button = (words, action) =>
    Object.assign(element("button", "", row, { type: "button", textContent: words }), { onclick: action });
  layers.listButton = button("Scenes", scenes);
  button("QR code", code);
  button("Blank", blank);
  layers.blank = element("dialog", "pv-blank", parent);
  layers.blank.setAttribute("aria-label", "Blank screen: any key returns");
  layers.blank.onclick = () => layers.blank.close();
  layers.list = element("dialog", "pv-scenes", parent);
  layers.list.onclick = ({ target }) => {
    if (target === layers.list) layers.list.close(); // beside it
  };
  layers.code = largeCode(parent);
}

/** Write the list of scenes. */
function list() {
  const { list: dialog, listButton } = layers;
  listButton.hidden = !now.scenes.length;
  const heading = element("h2", "", undefined, { id: "pv-scenes-title", textContent: now.title });
  dialog.setAttribute("aria-labelledby", heading.id);
  const rows = element("ol");
  now.scenes.forEach((title, index) => {
    const row = element("button", "", element("li", "", rows), { type: "button", textContent: title });
    if (index + 1 === now.at) row.setAttribute("aria-current", "true");
    row.onclick = () => {
      dialog.close();
      go(index + 1);
    };
  });
  const help = element("dl", "pv-keys");
  for (const [keys, words] of HELP) {
    element("dt", "", help, { textContent: keys });
    element("dd", "", help, { textContent: words });
  }
  const close = element("button", "", undefined, { type: "button", textContent: "Close" });
  close.onclick = () => dialog.close();
  dialog.replaceChildren(heading, rows, help, close);
}
