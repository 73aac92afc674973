// Whether a part of a page is in view: what nobody looks at need not be computed (chart.py, `seen`).
//
// Part of the chart's program (static_files.py puts them together).

const LOOK = 150; // ms in view that are a look; a jump past it is none
const NEAR = "150px 0px"; // about to be in view
const IDLE = 1500; // ms that nothing is done or asked for: then there is time for what nobody looks at

/** Streamlit calls this after every run; the part is the container that this stands in. */
export function seen({ data, parentElement, setStateValue }) {
  const part = parentElement.closest(`.st-key-${data.part}`);
  let timer = 0;
  let resting = 0;
  const tell = (inView) => {
    if (runs()) timer = setTimeout(tell, BUSY, inView);
    else setStateValue("seen", inView);
  };
  const rested = () => {
    if (runs() || asking || hand || document.hidden) resting = setTimeout(rested, IDLE);
    else setStateValue("rested", data.soon);
  };
  if (data.soon) resting = setTimeout(rested, IDLE);
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
    clearTimeout(resting);
    watch.disconnect();
  };
}
