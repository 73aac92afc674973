"""A small page with live sliders whose strips are made up, and how its tests move and look at it."""

from playwright.sync_api import expect

from tests.browser.server import Server
from tests.browser.test_chart import SHARED

PAGE = """
import fcntl, json, zlib
from pathlib import Path
import streamlit as st
from pages.shared.chart import chart
from pages.shared.chart.payload import payload
from pages.shared.frame import search, shell, sitemap
from pages.shared.state import controls, state
from pages.shared.state.state import Field

sitemap.PAGES = (("Start", (("One", "app.py"),)),)
search.published = str  # there is nothing to find
D = Field(key="d", kind="integer", default=16, name="d", low=1, high=10**6, stops=tuple(range(1, 22)))
K = Field(key="k", kind="integer", default=2, name="k", low=1, high=9, stops=tuple(range(1, 10)))
M = Field(key="m", kind="integer", default=1, name="m", low=1, high=9, stops=(1, 2))
shell.page("One", "one", "🎯", (D, K, M))

def shown(d, k):
    m = list(range(1, 41))
    data = [{"type": "scatter", "mode": "lines", "name": name, "uid": name, "x": m,
             "y": [round(1 - 1 / (1 + n * i / d), 6) for i in m]} for n, name in enumerate(("low", "high"), k)]
    data[0] |= {"fill": "tozeroy"}
    data.append({"type": "scatter", "mode": "markers+text", "uid": "at", "x": [d], "y": [0.5],
                 "text": [f"at {d}"], "textposition": "top left" if d % 2 else "bottom right", "showlegend": False})
    lines = ["nobody", "can", str(d)] if d > 10 else ["nobody can", str(d)]
    if k != 8:
        data.append({"type": "scatter", "mode": "text", "uid": "area", "x": [d], "y": [0.2],
                     "text": ["<br>".join(lines)], "textposition": "middle center", "showlegend": False})
    if d > 18:  # what Plotly has not drawn where a drag begins
        data.append(data[0] | {"uid": "low-grey", "fill": "none", "showlegend": False, "y": [0.3] * 40,
                               "line": {"color": "rgb(9, 90, 200)", "width": 3, "dash": "dashdot"}})
        data.append({"type": "scatter", "mode": "text", "uid": "late", "x": [30], "y": [0.7],
                     "text": [f"late<br>{d}"], "textposition": "middle center", "showlegend": False})
    top = 50 if d < 11 else 100
    ticks = list(range(0, top, 10))
    return payload(
        {"data": data, "layout": {
            "xaxis": {"title": {"text": "m"}, "range": [0, top], "tickvals": ticks, "ticktext": [str(t) for t in ticks]},
            "yaxis": {"title": {"text": "at 8" if k == 8 else ""}, "range": [0, 1], "tickvals": [0, 1], "ticktext": ["0", "1"]}}},
        height=300, title="Success" + " and words for more lines" * (9 * (d > 18)), summary=f"For d = {d}.", filename="s", caption=f"d = {d}, k = {k}",
    )

def card(d, about=""):
    late = d > 18
    return shell.card("d", f"{about}{d}", "late" if late else "", "bad" if late else "good", about="high" if late else "low")

def setting():
    now = state.current()
    stops = controls.stops_of(D)  # one more when something else was typed
    d = {"at": stops.index(now["d"]), "key": f"d of k={now['k']}, {len(stops)}"} | ({"alone": True} if now["k"] == 6 else {})
    return {"sliders": {"d": d, "k": {"at": now["k"] - 1, "key": f"k of d={now['d']}"}}, "same": "", "ahead": now["k"] == 7}

def note(what):
    st.session_state["asked"] = what

@st.fragment
def strips():
    what = st.session_state.pop("asked", None)
    sent, now = None, state.current()
    if what in ("d", "k") and not now["m"] == 2:
        stops = controls.stops_of(D if what == "d" else K)
        places = [(now | {what: stop}) for stop in stops]
        head = {"key": setting()["sliders"][what]["key"],
                "pages": [{".pv-cards": shell.inside(card(p["d"], "≈ " * (p["k"] == 9)))} for p in places]}
        if what == "d":  # the other slider moves by itself
            head["words"] = controls.texts_of(D)
        frames = b"\\n".join(shown(p["d"], p["k"]) for p in places)
        sent = json.dumps(head).encode() + b"\\n" + zlib.compress(frames)
    chart.strips(sent, on_ask=note)

def stop_for_the_test(k):  # until it has seen what is there before
    if state.current()["k"] == k:
        with Path(__file__).with_name("gate").open() as gate:
            fcntl.flock(gate, fcntl.LOCK_SH)

@st.fragment
def body():
    stop_for_the_test(k=6)
    cards = st.container()
    figure, beside = shell.stage()
    with beside:
        for item, name in ((D, "bits"), (K, "choices"), (M, "mode")):
            controls.slider(item, name)
    now = state.current()
    with figure:
        chart.chart(shown(now["d"], now["k"]), key="main", setting=None if now["m"] == 2 else setting())
    stop_for_the_test(k=9)
    with cards:
        shell.cards(card(now["d"]))
    st.html(f'<output id="shown">d={now["d"]} k={now["k"]}</output>')

body()
strips()
shell.footer()
"""

# From now on: which stops the slider passes, and what is shown when it has been drawn.
WATCH = """(name) => {
  const log = (window.seen = { passed: [], drawn: [], sent: 0 });
  const input = () => document.querySelector(`.st-key-w_${name} input[type=range]`);
  let last = input().value;
  new MutationObserver(() => {
    if (input().value === last) return;
    log.passed.push(Number((last = input().value)));
  }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["value"] });
  new MutationObserver(() => log.drawn.push(document.querySelector(".pv-caption").textContent))
    .observe(document.querySelector(".pv-plot"), { attributes: true, attributeFilter: ["data-draws"] });
  // For each of them browsers style the page anew. Lines of a text that gets longer are a few at most.
  const rows = ({ addedNodes, removedNodes }) => [...addedNodes, ...removedNodes]
    .filter(({ nodeType, nodeName }) => nodeType === 1 && nodeName !== "tspan").map((node) => node.outerHTML);
  log.elements = [];
  new MutationObserver((records) => log.elements.push(...records.flatMap(rows)))
    .observe(document.querySelector("[data-testid=stMain]"), { subtree: true, childList: true });
}"""


def served(folder):
    """Yield a server of the page; its log must be clean in the end."""
    (folder / "pages").mkdir()
    (folder / "pages" / "__init__.py").touch()
    (folder / "pages" / "shared").symlink_to(SHARED)
    (folder / "app.py").write_text(PAGE, encoding="utf-8")
    server = Server(script=folder / "app.py")
    yield server
    trouble = server.stop()
    assert not trouble, trouble


def slider(page, name):
    return page.locator(f".st-key-w_{name} input[type=range]")


def touch(page, name):
    """Touch a slider and wait for its strip."""
    slider(page, name).focus()
    strip(page, name)


def strip(page, name):
    page.wait_for_function(
        "name => (document.querySelector('.pv-chart')?.dataset.live ?? '').split(' ').includes(name)",
        arg=name,
    )


def track(page, name):
    """Return left end, width and height of a slider's track, and where its thumb is."""
    return page.evaluate(
        """name => {
          const input = document.querySelector(`.st-key-w_${name} input[type=range]`);
          let track = input.parentElement;
          while (track.getBoundingClientRect().width < 100) track = track.parentElement;
          const [box, thumb] = [track, input.parentElement.parentElement].map((n) => n.getBoundingClientRect());
          return [box.x, box.width, thumb.x + thumb.width / 2, thumb.y + thumb.height / 2];
        }""",
        name,
    )


def shows(page, text):
    expect(page.locator(".pv-caption")).to_have_text(text)
    expect(page.locator(".pv-card strong")).to_have_text(text.split(",")[0].removeprefix("d = "))
