// What the page is to those who hear it: names as they are read, a landmark for the list of pages,
// and new numbers said once the hand rests.

const SILENCE = 700; // ms without news until the last of it is said

let telling;
let cardsHeard; // label -> number of the headline's cards, when something was last said

const cardsNow = () => [...document.querySelectorAll(".pv-card[data-about]")].map((card) =>
  [card.querySelector("dt").textContent, card.querySelector("strong").textContent]);

/** Say what has changed, politely; only the last of what comes fast. */
function tell(text) {
  clearTimeout(telling);
  telling = setTimeout(() => {
    const said = document.getElementById("pv-aloud");
    if (!said) return;
    // A figure speaks of its curves; what the bounds say stands on the cards.
    const now = cardsNow();
    const news = now.filter(([label, value]) => cardsHeard?.get(label) !== value && !text.includes(value));
    cardsHeard = new Map(now);
    said.textContent = [text, ...news.map(([label, value]) => `${label} ${value}.`)].join(" ");
  }, SILENCE);
}

/** Mend what Streamlit says of its elements. */
function name() {
  // Labels are Markdown, names are not.
  for (const node of document.querySelectorAll('[aria-label*="**"]')) {
    node.setAttribute("aria-label", node.getAttribute("aria-label").replaceAll("**", ""));
  }
  // A slider is in a group of the same name and would be called by both.
  for (const node of document.querySelectorAll('input[type="range"][aria-labelledby*=" "]')) {
    node.setAttribute("aria-labelledby", node.id);
  }
  const pages = document.querySelector("[data-testid=stSidebarUserContent]:not([role])");
  pages?.setAttribute("role", "navigation");
  pages?.setAttribute("aria-label", "Pages");
  const cards = cardsHeard ? [] : cardsNow();
  if (cards.length) cardsHeard = new Map(cards);
}

if (document.querySelector("[data-testid=stApp]") && !document.getElementById("pv-aloud")) {
  const said = document.createElement("div");
  said.id = "pv-aloud";
  said.className = "pv-unseen";
  said.setAttribute("role", "status"); // there before it has words
  document.body.append(said);
  let due = 0;
  new MutationObserver(() => {
    due ||= requestAnimationFrame(() => {
      due = 0;
      name();
    });
  }).observe(document.body, { subtree: true, childList: true });
  name();
}
