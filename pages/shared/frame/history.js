// Back undoes settings: one step for each that stood for a while, not for every stop of a slider.
//
// Streamlit adds a step to the browser's history whenever the address changes. One that follows
// within STOOD of another, or that only completes the address of a page just arrived at, takes the
// place of the step before it. And the links to other pages, which a change of a control does not
// draw again, say the setting of now.
//
// Part of the chart's program (static_files.py puts them together, with CARRIED and VERSION).

const STOOD = 1000; // ms after which a setting is worth a step

function keepHistory() {
  const marks = document.documentElement.dataset; // pvStands: whether the setting has stood
  const { pushState, replaceState } = history;
  let arriving = true; // nothing has been done since this page came
  let standing;

  function changed() {
    delete marks.pvStands;
    clearTimeout(standing);
    standing = setTimeout(() => (marks.pvStands = ""), STOOD);
    relink();
  }

  history.pushState = function (state, title, url) {
    const here = location.pathname === new URL(url ?? location.href, location.href).pathname;
    const step = here && (arriving || !("pvStands" in marks)) ? replaceState : pushState;
    step.call(history, state, title, url);
    arriving ||= !here;
    changed();
  };
  history.replaceState = function (...given) {
    replaceState.apply(history, given);
    relink();
  };
  addEventListener("popstate", () => {
    clearTimeout(standing);
    marks.pvStands = "";
    relink();
  });
  for (const name of ["pointerdown", "keydown", "input", "change"]) {
    addEventListener(name, () => (arriving = false), { capture: true, passive: true });
  }
  marks.pvStands = "";
}

/** Have the links to other pages take along what this page's address says. */
function relink() {
  const now = [...new URLSearchParams(location.search)].filter(([key]) => CARRIED.includes(key));
  const query = now.length ? String(new URLSearchParams([["v", VERSION], ...now])) : "";
  for (const link of document.querySelectorAll("[data-testid=stSidebar] a[data-testid=stPageLink-NavLink]")) {
    const url = new URL(link.href);
    url.search = query;
    if (link.href !== url.href) link.href = url.href;
  }
}

// Once for a visit, as connection.js.
if (document.querySelector("[data-testid=stApp]") && !document.documentElement.dataset.pvHistory) {
  document.documentElement.dataset.pvHistory = "";
  keepHistory();
}
