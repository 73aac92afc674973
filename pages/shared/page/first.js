// Takes the first, still page away when the live one can take its place, and fetches the font of
// icons then: what is not yet seen is not worth a second of a slow line.
((page) => {
  const LONGEST = 20000; // ms after the application has begun to draw the page
  const first = document.getElementById("pv-first");
  const asked = new URLSearchParams(location.search);
  const brief = first?.querySelector("[data-first-coming]"); // words alone: the page has them as it begins
  const look = new MutationObserver(check);
  let last;

  // Where the server is. Otherwise Streamlit looks for it below the page's own address first.
  if (page && location.pathname.endsWith(`/${page}`)) {
    const above = location.pathname.slice(0, -page.length);
    window.__streamlit = { BACKEND_BASE_URL: location.origin + above };
  }

  // Streamlit adds a step to the history when it completes the address that it was opened with:
  // Back would stay here. As long as history.js is not there.
  const { pushState } = history;
  history.pushState = function (state, title, url) {
    const here = new URL(url ?? location.href, location.href).pathname === location.pathname;
    const early = here && !("pvHistory" in document.documentElement.dataset);
    (early ? history.replaceState : pushState).call(history, state, title, url);
  };

  // The theme that was asked for or chosen before; otherwise the system's.
  let theme = asked.getAll("embed_options").find((word) => /^(dark|light)_theme$/.test(word));
  try {
    theme ??= JSON.parse(localStorage.getItem(`stActiveTheme-${location.pathname}-v2`));
  } catch {} // no storage, or not ours
  if (/^dark/i.test(theme)) document.documentElement.dataset.pvTheme = "dark";
  if (/^light/i.test(theme)) document.documentElement.dataset.pvTheme = "light";

  if (!first) return icons();
  // A hall sees no other setting first than the lecturer's, and no answer before the question.
  if (asked.has("present") || asked.has("predict")) return leave();
  if ([...asked.keys()].some((name) => !name.startsWith("embed"))) first.dataset.asked = "";
  if (asked.get("embed") === "true") first.dataset.mode = "embed";
  look.observe(document.body, {
    childList: true, subtree: true, attributes: true, attributeFilter: ["data-test-script-state"],
  });

  function check() {
    const app = document.querySelector("[data-testid=stApp]");
    if (!app) return;
    // Before it draws anything of the page there is nothing behind but its grey boxes.
    if (document.querySelector("[data-testid=stMain] h1")) last ??= setTimeout(leave, LONGEST);
    if (document.querySelector(`.pv-plot .main-svg${brief ? ", [data-testid=stMain] h1" : ""}`)) return drawn();
    if (document.querySelector("[data-testid=stException], [role=dialog]")) return leave();
    const still = app.dataset.testScriptState === "notRunning" && document.getElementById("pv-page");
    if (still && !document.querySelector(".st-key-main")) leave(); // a page without a figure
  }

  function drawn() {
    look.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(leave)); // when it has been painted
  }

  function leave() {
    look.disconnect();
    clearTimeout(last);
    first.remove();
    icons();
  }

  function icons() {
    const { content } = document.querySelector("meta[name=pv-icons]") ?? {};
    if (!content) return;
    const source = `url("${new URL(content, document.baseURI)}")`;
    const face = new FontFace("Material Symbols Rounded", source, { display: "block" });
    document.fonts.add(face);
    // Without it the names of icons would be read as words.
    face.load().then(() => document.documentElement.toggleAttribute("data-pv-icons", true), () => {});
  }
})("PAGE");
