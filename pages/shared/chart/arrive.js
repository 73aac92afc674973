// Where a link leads: to the section that its address names (#theory), or to the first part that
// it unfolds. A plain link stays at the top, and so does a reload. So does one that says more than a part, on
// a page of parts: it was shared for its setting, which the figure shows, and a part happened to be open.
//
// The browser's own jump comes too early: the page still grows, and Streamlit drops the # when it
// rewrites the address. So the place is held until the page is quiet, or the reader moves.

const QUIET = 2500; // ms without growth
const LONGEST = 20000; // ms
const MOVES = ["wheel", "touchstart", "pointerdown", "keydown"];

/** The address as it was opened, whatever has been made of it since. */
function opened() {
  const [entry] = performance.getEntriesByType("navigation");
  const address = new URL(entry?.name.startsWith("http") ? entry.name : location.href);
  let anchor = "";
  try {
    anchor = decodeURIComponent((address.hash || location.hash).slice(1));
  } catch {} // half a percent sign names nothing
  const keys = [...address.searchParams.keys()];
  return { anchor, keys, tab: keys.includes("tab"), fresh: entry?.type === "navigate" };
}

/** By what an anchor may name, the part that holds it; see parts.py. */
const partsOf = () => JSON.parse(document.getElementById("pv-parts")?.dataset.of ?? "{}");

function holder(anchor) {
  const parts = partsOf();
  return Object.hasOwn(parts, anchor) ? document.querySelector(`.st-key-w_open_${parts[anchor]}`) : null;
}

function destination({ anchor, keys, tab, fresh }) {
  if (document.querySelector(".st-key-pv_notes")) return null; // what was wrong with the link comes first
  if (anchor) return document.getElementById(anchor) ?? document.querySelector(`.st-key-w_open_${CSS.escape(anchor)}`) ?? holder(anchor);
  if (!fresh || document.getElementById("pv-page")?.dataset.mode !== "full") return null;
  const ofParts = document.getElementById("pv-parts")?.dataset.keys;
  if (ofParts && keys.some((key) => !ofParts.split(" ").includes(key))) return null;
  // Links of version 1 open every part of some pages, and lead to none of them.
  const drawn = Object.values(partsOf()).map((name) => document.querySelector(`.st-key-w_open_${name} details`));
  if (drawn.length && drawn.every((one) => !one || one.open)) return null;
  // The innermost one; not what holds more controls.
  const open = "[class*=st-key-w_open_]:not(.st-key-w_open_more) details[open]";
  const part = [...document.querySelectorAll(open)].find((one) => !one.querySelector(`:scope ${open}`));
  if (!part) return tab ? document.getElementById("theory") : null;
  // A part of the theory by itself; of an exhibit the heading, which says what it is.
  const own = part.closest('[class*="st-key-w_open_"]');
  if (/st-key-w_open_(bound|learner|slip)-/.test(own.className)) return own;
  const before = [...document.querySelectorAll("h2[id]")].filter(
    (heading) => heading.compareDocumentPosition(part) & Node.DOCUMENT_POSITION_FOLLOWING,
  );
  return before.at(-1) ?? own;
}

function arrive() {
  const link = opened();
  if (!link.anchor && !link.fresh) return;
  let last = Infinity; // a page that never shows the place is left alone
  const start = performance.now();
  const growth = new ResizeObserver(hold);
  const news = new MutationObserver(hold);
  let waiting = 0;
  let unfolded = false;
  let held;

  function hold() {
    waiting ||= requestAnimationFrame(place);
  }

  function place(now) {
    waiting = 0;
    if (now - start > LONGEST || now - last > QUIET) return leave();
    const part = !unfolded && holder(link.anchor);
    if (part) {
      unfolded = true;
      if (!part.querySelector("details[open]")) part.querySelector("summary").click();
    }
    const found = destination(link);
    if (!found) return;
    const before = found.getBoundingClientRect().top;
    found.style.scrollMarginTop = "4.5rem"; // below Streamlit's own bar
    found.scrollIntoView({ block: "start", behavior: "instant" });
    const { top } = found.getBoundingClientRect(); // as high as the page lets it come, so far
    if (found === held && Math.abs(top - before) < 2) return;
    held = found;
    last = now;
  }

  function leave() {
    growth.disconnect();
    news.disconnect();
    for (const move of MOVES) removeEventListener(move, leave, true);
  }

  for (const move of MOVES) addEventListener(move, leave, { capture: true, passive: true });
  growth.observe(document.body);
  news.observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ["open"] });
  setTimeout(leave, LONGEST);
  hold();
}

arrive();
