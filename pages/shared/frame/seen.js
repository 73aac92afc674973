// Whether a part of a page is in view: what nobody looks at need not be computed (chart.py, `seen`).
//
// Part of the chart's program (static_files.py puts them together).

const LOOK = 150; // ms in view that are a look; a jump past it is none
const NEAR = "150px 0px"; // about to be in view

/** Streamlit calls this after every run; the part is the container that this stands in. */
export function seen({ data, parentElement, setStateValue }) {
  const part = parentElement.closest(`.st-key-${data.part}`);
  let timer = 0;
  const tell = (inView) => {
    // Not at the end of a run, see `ask` in live.js.
    const { testScriptState } = document.querySelector("[data-testid=stApp]")?.dataset ?? {};
    if (testScriptState === "notRunning") setStateValue("seen", inView);
    else timer = setTimeout(tell, BUSY, inView);
  };
  const watch = new IntersectionObserver(
    (entries) => {
      const inView = entries.at(-1).isIntersecting;
      clearTimeout(timer);
      if (inView !== data.seen) timer = setTimeout(tell, LOOK, inView);
    },
    { rootMargin: NEAR },
  );
  watch.observe(part);
  return () => {
    clearTimeout(timer);
    watch.disconnect();
  };
}
