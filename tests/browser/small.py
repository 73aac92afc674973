"""Small pages with figures that are made up: what fails on them is chart, shell or state of the link.

Two exchange settings; the third has live sliders whose strips tell every stop apart.
"""

from pathlib import Path

from tests.browser.server import Server

SHARED = Path(__file__).parents[2] / "pages" / "shared"

COMMON = """
import streamlit as st
from pages.shared.frame import search, shell, sitemap
from pages.shared.state import controls, state
from pages.shared.chart.chart import chart
from pages.shared.chart.payload import payload
from pages.shared.state.state import Field

sitemap.PAGES = (("Start", (("One", "app.py"), ("Two", "pages/two.py"), ("Live", "pages/live.py"))),)
search.published = str  # there is nothing to find
D = Field(key="d", kind="integer", default=16, name="d", low=1, high=10**6,
          stops=tuple(range(1, 65)))
EPS = Field(key="eps", kind="number", default=0.5, name="epsilon", low=0.01,
            high=10, stops=(0.1, 0.2, 0.5, 1.0, 2.0))
"""

ONE = (
    COMMON
    + """
now = shell.page("One", "one", "🎯", (D, EPS))
st.title("One")
figure, beside = shell.stage()
with beside:
    d = controls.slider(D, "bits")
    eps = controls.slider(EPS, "privacy loss")
    st.button("Unrelated")
m = list(range(1, 41))
with figure:
    chart(payload(
        {"data": [{"type": "scatter", "mode": "lines", "name": name, "x": m,
                   "y": [1 - 1 / (1 + k * i / d) for i in m]}
                  for k, name in enumerate(("low", "middle", "high"), 1)],
         "layout": {"xaxis": {"title": {"text": "m"}}}},
        height=400, title="Success <b>against</b> m", summary=f"For d = {d}.",
        filename="success", caption=f"d = {d}",
        table={"m": m, "learner": ["<i>low</i>"] * 40},
    ), key="main")
st.html(f'<output id="shown">d={d} eps={eps!r}</output>')
with shell.guard():
    if d == 64:
        raise LookupError("inner detail")
st.html('<div style="height: 1500px">room to scroll</div>')
shell.footer("#theory")
"""
)

TWO = (
    COMMON
    + """
now = shell.page("Two", "two", "🎯", (D, EPS))
st.title("Two")
d = controls.slider(D, "bits")
st.html(f'<output id="shown">d={d} eps={now["eps"]!r}</output>')
shell.footer()
"""
)

LIVE = (
    COMMON
    + """
import fcntl, json, zlib
from pathlib import Path
from pages.shared.chart import chart

D = Field(key="d", kind="integer", default=16, name="d", low=1, high=10**6, stops=tuple(range(1, 22)))
K = Field(key="k", kind="integer", default=2, name="k", low=1, high=9, stops=tuple(range(1, 10)))
M = Field(key="m", kind="integer", default=1, name="m", low=1, high=9, stops=(1, 2))
shell.page("Live", "live", "🎯", (D, K, M))

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
    return {"sliders": {"d": d, "k": {"at": now["k"] - 1, "key": f"k of d={now['d']}"}}, "same": "", "asks": {6: "drag", 7: "ahead"}.get(now["k"], "touch")}

def note(what):
    st.session_state["asked"] = what

@st.fragment
def strips():
    what, _, near = st.session_state.pop("asked", "").partition(" ")
    sent, now = None, state.current()
    if (what, now["k"]) == ("d", 3) and not st.session_state.get("lost"):  # no time, the first time
        st.session_state["lost"] = True
        sent = json.dumps({"key": setting()["sliders"]["d"]["key"], "lost": True}).encode()
    elif what in ("d", "k") and not now["m"] == 2:
        stops = controls.stops_of(D if what == "d" else K)
        part = slice(int(near) // 7 * 7, int(near) // 7 * 7 + 7) if near else slice(0, None)
        places = [(now | {what: stop}) for stop in stops[part]]
        head = {"key": setting()["sliders"][what]["key"], "first": part.start, "of": len(stops),
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
)


def written(folder):
    """Write the pages into a folder; return the script to start."""
    (folder / "pages").mkdir()
    # A package of its own, or the checkout's pages would be found first.
    (folder / "pages" / "__init__.py").touch()
    (folder / "pages" / "shared").symlink_to(SHARED)
    for name, text in (("app.py", ONE), ("pages/two.py", TWO), ("pages/live.py", LIVE)):
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "app.py"


def served(folder):
    """Yield a server of the pages; its log must be clean in the end."""
    server = Server(script=written(folder))
    server.gate = folder / "pages" / "gate"
    server.gate.touch()
    yield server
    trouble = server.stop()
    assert not trouble, trouble
