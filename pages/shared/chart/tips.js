// Explanations of words: one tooltip for the page, on hover, focus and tap, closed by Escape.
//
// st.html keeps data attributes but runs no program, so this one is delegated: it explains every
// element with data-tip, whenever Streamlit draws it. Part of the static chart program.

const TIP = { gap: 6, margin: 8 };
let tip; // the one element
let tipOf; // the word it explains now

function tipElement() {
  if (tip?.isConnected) return tip;
  tip = document.createElement("div");
  tip.id = "pv-tip";
  tip.setAttribute("role", "tooltip");
  tip.popover = "manual"; // the top layer: no table clips it, and it shows in full screen
  document.body.append(tip);
  return tip;
}

function showTip(word) {
  if (word === tipOf) return;
  hideTip();
  tipOf = word;
  const box = tipElement();
  box.textContent = word.dataset.tip;
  box.showPopover();
  word.setAttribute("aria-describedby", box.id);
  placeTip();
}

/** Put the tooltip at its word; without the word in sight there is none. */
function placeTip() {
  if (!tipOf) return;
  const at = tipOf.getBoundingClientRect();
  if (!tipOf.isConnected || at.bottom < 0 || at.top > innerHeight) return hideTip();
  const { width, height } = tip.getBoundingClientRect();
  // What is said of a line lies on no other line's name: it stands beside the names, or above them.
  const names = tipOf.closest(".pv-doors");
  const aside = names?.classList.contains("pv-aside");
  const above = aside ? at.top : (names?.getBoundingClientRect() ?? at).top - height - TIP.gap;
  const wanted = aside ? at.left - width - TIP.gap : at.left;
  const left = Math.min(wanted, document.documentElement.clientWidth - width - TIP.margin);
  tip.style.left = `${Math.max(TIP.margin, left)}px`;
  tip.style.top = `${above >= TIP.margin ? above : at.bottom + TIP.gap}px`;
}

function hideTip() {
  if (!tipOf) return;
  tipOf.removeAttribute("aria-describedby");
  tipOf = undefined;
  tip?.hidePopover?.();
}

if (!window.pvTips) {
  window.pvTips = true;
  const wordAt = (event) => event.target.closest?.("[data-tip]");
  document.addEventListener("pointerover", (event) => {
    if (event.pointerType === "touch") return;
    const word = wordAt(event);
    if (word) showTip(word);
    // The pointer may rest on the tooltip; elsewhere it goes, unless the keyboard is on its word.
    else if (tipOf && !tip.contains(event.target) && document.activeElement !== tipOf) hideTip();
  });
  document.addEventListener("focusin", (event) => {
    const word = wordAt(event);
    if (word) showTip(word);
    else hideTip();
  });
  document.addEventListener("focusout", hideTip);
  document.addEventListener("click", (event) => {
    const word = wordAt(event);
    if (word) showTip(word);
    else hideTip();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hideTip();
  });
  addEventListener("scroll", placeTip, { capture: true, passive: true });
}
