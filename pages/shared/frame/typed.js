// The box beside a slider: it takes any number, and says what the slider says, also while that is
// dragged, of which the server hears only at the end.
//
// Part of the chart's program (static_files.py puts them together); state.py draws the boxes.

/** Streamlit calls this, by way of a line in state.py, whenever a box has something new to say. */
function numberBox({ data, parentElement, setTriggerValue }) {
  let box = parentElement.querySelector("input");
  if (!box) {
    box = element("input", "pv-box", parentElement);
    box.type = "text";
    box.autocomplete = "off";
    box.inputMode = "decimal";
    box.maxLength = 40;
    box.addEventListener("change", () => box.tell("typed", box.value));
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      box.value = box.said;
      event.stopPropagation();
    });
  }
  box.tell = setTriggerValue;
  box.said = data.text;
  // What was typed in vain stays to be mended, until something else changes.
  if (!data.refused || !box.value) box.value = data.text;
  box.setAttribute("aria-label", data.label);
  box.disabled = data.off;
}

function boxesFollow() {
  window.pvBox = () => window.pvBoxes?.splice(0).forEach(numberBox);
  window.pvBox();
  new MutationObserver((records) => {
    for (const { target } of records) {
      if (target.type !== "range") continue;
      const box = target.closest('[class*="st-key-pv_number_"]')?.querySelector(".pv-box");
      const said = target.getAttribute("aria-valuetext")?.replaceAll(",", "");
      // A slider that makes room for another one stands beside the other's box for a moment.
      const own = box?.getAttribute("aria-label") === `${target.getAttribute("aria-label")}, typed`;
      if (own && said && box !== document.activeElement && box.value !== said) box.value = box.said = said;
    }
  }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["aria-valuetext"] });
}

// Once for a visit, as connection.js.
if (document.querySelector("[data-testid=stApp]") && !window.pvBox) boxesFollow();
