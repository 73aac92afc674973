// How many questions were answered, and how many right at the first try: in this browser's storage alone.
//
// A question counts once: by its text and that of its answers, which hold the numbers of the setting.
// practise.py sends what was asked, and whether the first answer was right.

const KEPT = "privsc-practise";
const NEXT = "st-key-pv_practise_next";
const MOST = 500; // questions that are remembered

function recall() {
  try {
    const { right, asked } = JSON.parse(localStorage.getItem(KEPT));
    if (Array.isArray(asked) && Number.isInteger(right)) return { right, asked };
  } catch {} // no storage, or something else in it
  return { right: 0, asked: [] };
}

function keep(known) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(known));
  } catch {} // no storage: the count ends with the page
}

let went = false; // on to another question: its button is drawn anew, and loses the focus
document.addEventListener("click", ({ target }) => (went = Boolean(target.closest?.(`.${NEXT}`))), true);

/** A short stand-in for a text. */
const brief = (text) => [...text].reduce((sum, letter) => (sum * 31 + letter.codePointAt(0)) >>> 0, 7).toString(36);

export default ({ data, parentElement }) => {
  let root = parentElement.querySelector(".pv-practised");
  if (!root) {
    root = document.createElement("p");
    root.className = "pv-practised";
    root.known = recall();
    parentElement.append(root);
  }
  const known = root.known;
  const name = brief(data.question);
  if (data.right !== undefined && !known.asked.includes(name)) {
    known.asked = [...known.asked, name].slice(-MOST);
    known.right = Math.min(known.right + Number(data.right), known.asked.length);
    keep(known);
  }
  const count = known.asked.length;
  root.replaceChildren();
  if (count) {
    root.append(`${known.right} of ${count} right at the first try. Only this browser knows. `);
    const forget = document.createElement("button");
    forget.type = "button";
    forget.textContent = "Start over";
    forget.onclick = () => {
      Object.assign(known, { right: 0, asked: [] });
      keep(known);
      root.replaceChildren();
    };
    root.append(forget);
  }
  if (went && document.activeElement === document.body) {
    document.querySelector(`.${NEXT} button`)?.focus({ preventScroll: true });
  }
  if (data.show && root.shown !== data) {
    root.shown = data;
    const place = document.querySelector(`.st-key-${CSS.escape(data.show)}`);
    const gentle = matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth";
    if (place) place.style.scrollMarginTop = "4.5rem"; // below Streamlit's own bar
    place?.scrollIntoView({ block: "start", behavior: gentle });
  }
};
