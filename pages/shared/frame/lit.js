// Words light up their curve: words of a claim, cards, and the other way round entries of a legend.
//
// A card says whom it is about (data-about), words of a claim link to it (#lit-name, several names
// joined by a plus, see words.py); a curve says it by its uid. What is not meant is dimmed.
//
// Part of the chart's program (static_files.py puts them together).

const LIT = "#lit-";
const NAMED = `[data-about], a[href^="${LIT}"]`;

let litAtRest = []; // what is lit while nothing is pointed at: the step of a tour
let litNow = "";
let relights = 0; // the frame that will light it again

// What is drawn anew while something is lit knows nothing of it.
const drawnAnew = new MutationObserver(() => {
  relights ||= requestAnimationFrame(() => {
    relights = 0;
    relight();
  });
});

function namesOf(node) {
  const about = node.dataset.about ?? decodeURIComponent(node.hash.slice(LIT.length));
  return about.split(/[ +]/);
}

/** The uids of the curves of a name; a learner's where a bound is called the same. */
function curvesOf(plot, name) {
  const start = name.replace(/[^\p{L}\p{N}]+/gu, "-");
  const ends = (kinds) =>
    plot._fullData.map(({ uid }) => uid)
      .filter((uid) => uid.startsWith(start) && kinds.test(uid.slice(start.length)));
  const learner = ends(/^(-learner(-\d+)?|-at|-band)?-*$/);
  return learner.length ? learner : ends(/^-(lower|upper|ceiling|area)(-\d+)?-*$/);
}

const uidOf = (group) => group.__data__?.[0]?.trace?.uid;

/** Light the curves and words of some names; none lights everything. */
function light(names) {
  if (names.join(" ") !== litNow) relight(names);
}

/** Light them, also where page or figure have been drawn anew. */
function relight(names = litNow.split(" ").filter(Boolean)) {
  litNow = names.join(" ");
  if (litNow) drawnAnew.observe(document.body, { childList: true, subtree: true });
  else drawnAnew.disconnect();
  for (const node of document.querySelectorAll(NAMED)) {
    node.classList.toggle("pv-lit", namesOf(node).some((name) => names.includes(name)));
  }
  dim(names);
}

function dim(names) {
  const plot = owners.get(document.querySelector(".st-key-main .pv-chart"))?.plot;
  if (!plot?._fullData) return;
  const meant = new Set(names.flatMap((name) => curvesOf(plot, name)));
  const groups = [...plot.querySelectorAll(".scatterlayer > .trace, .legend .traces")];
  const some = groups.some((group) => meant.has(uidOf(group)));
  for (const group of groups) group.classList.toggle("pv-dim", some && !meant.has(uidOf(group)));
}

/** The names that a node stands for: words, a card, an entry of the legend. */
function namesAt(node) {
  const named = node?.closest?.(NAMED);
  if (named) return namesOf(named);
  const entry = node?.closest?.(".st-key-main .legend .traces");
  const plot = entry && owners.get(entry.closest(".pv-chart"))?.plot;
  if (!plot) return undefined;
  const known = new Set([...document.querySelectorAll(NAMED)].flatMap(namesOf));
  const found = [...known].filter((name) => curvesOf(plot, name).includes(uidOf(entry)));
  return found.length ? found : undefined;
}

/** Light something until it is taken back by none. */
function keepLit(names) {
  litAtRest = names;
  light(names);
}

if (document.querySelector("[data-testid=stApp]") && !document.documentElement.dataset.pvLit) {
  document.documentElement.dataset.pvLit = "";
  // What comes to lie under a pointer at rest, such as the numbers after Reveal, is not pointed at.
  let rest = "";
  const travels = ({ screenX, screenY }) => rest !== (rest = `${screenX} ${screenY}`);
  document.addEventListener("pointermove", travels, { capture: true, passive: true });
  document.addEventListener("pointerover", (event) => {
    const { target, pointerType } = event;
    if (pointerType === "touch" || !travels(event)) return;
    light(namesAt(target) ?? namesAt(document.activeElement) ?? litAtRest);
  });
  document.addEventListener("focusin", ({ target }) => light(namesAt(target) ?? litAtRest));
  document.addEventListener("focusout", () => light(litAtRest));
  document.addEventListener("click", (event) => {
    const words = event.target.closest?.(`a[href^="${LIT}"]`);
    if (!words) return;
    event.preventDefault(); // it leads to the curve, which has no address of its own
    document.querySelector(".st-key-main")?.scrollIntoView({ block: "nearest", behavior: "instant" });
    words.focus({ preventScroll: true });
    light(namesOf(words));
  });
}
