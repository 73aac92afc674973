"""The presenter view: one figure for the last row, and the scenes of a lecture.

The view is a page state like any other: `present`, `controls`, `lecture` and `scene` stand in the
link. A lecture that was loaded from a file is kept by this process, the last few of them, under a
name made from its text; its scenes are links, so what is on the screen survives its loss.
"""

from __future__ import annotations

import hashlib
import html
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from pages.shared.frame import shell, sitemap
from pages.shared.hall import audience, code, lectures
from pages.shared.state import state

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pages.shared.hall.lectures import Lecture, Scene

_KEPT = 64  # lectures of visitors, of at most 100 kB each
_LONGEST = 4000  # characters of an address that a browser tells

# A theme is Streamlit's own choice, kept in the browser for each address that it was opened under.
# A link may force one by embed_options: that theme is kept, and the page is no embedding.
_THEMES = """
const WORDS = { light_theme: "Light", dark_theme: "Dark" };
export default function ({ parentElement, data }) {
  const keep = (word) => {
    const { pathname } = location, page = pathname.split("/").pop();
    const above = data.includes(page) ? pathname.slice(0, pathname.length - page.length) : pathname;
    try {
      for (const name of [page, ...data])
        localStorage.setItem(`stActiveTheme-${above}${name}-v2`, JSON.stringify(word));
    } catch {} // no storage: the system's theme
  };
  const plain = () => {
    const url = new URL(location.href);
    const forced = url.searchParams.getAll("embed_options").map((text) => WORDS[text]).find(Boolean);
    if (!url.searchParams.has("embed") || window.parent !== window) return;
    url.searchParams.delete("embed");
    url.searchParams.delete("embed_options");
    if (forced) keep(forced);
    // Not only the address: Streamlit keeps the one it started with, and would bring it back.
    location.replace(url);
  };
  plain();
  if (parentElement.querySelector(".pv-themes")) return;
  const row = document.createElement("p");
  row.className = "pv-themes";
  for (const word of Object.values(WORDS)) {
    const button = Object.assign(document.createElement("button"), { type: "button" });
    button.textContent = word;
    button.onclick = () => { keep(word); location.reload(); };
    row.append(button);
  }
  parentElement.append(row);
}
"""
_THEME = st.components.v2.component("privsc_themes", js=_THEMES, isolate_styles=False)
_HERE = Path(__file__).parent
_KEYS = st.components.v2.component(
    "privsc_keys",
    js=code.JS + (_HERE / "keys.js").read_text(encoding="utf-8"),
    css=code.CSS,
    isolate_styles=False,
)
# In the session: where to go at the beginning of the next run; where the lecture was begun; how
# often the QR code was asked for, and that it is now.
_GO, _FROM = "pv_go", "pv_from"
# In the session: the guesses of a lecture, by scene: (its name, {number: guess}).
_GUESSES = "pv_guesses"
_LIST = "pages/lectures.py"
_CODES, _CODE = "pv_codes", "pv_code_asked"

# With something beside the style: Streamlit keeps one that is alone out of the place it was put in.
_VEIL = (
    '<span class="pv-veil" hidden></span><style>body:not(:has(#{mark})) '
    ":is(.st-key-pv_above, .pv-chart, .pv-cards) {{ opacity: 0; visibility: hidden; }}</style>"
)
_MARK = '<span id="{mark}" class="pv-veil" hidden></span>'


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a lecture the page is; `number` counts from 1."""

    lecture: Lecture
    number: int

    @property
    def scene(self) -> Scene:
        """The scene."""
        return self.lecture.scenes[self.number - 1]

    def at(self, number: int) -> Place | None:
        """Return the place of another scene, or None beyond the ends."""
        return Place(self.lecture, number) if 1 <= number <= len(self.lecture.scenes) else None


@st.cache_resource(show_spinner=False)
def _kept() -> OrderedDict[str, Lecture]:
    return OrderedDict()


def keep(text: bytes) -> Lecture:
    """Read a lecture from a file and keep it; see `lectures.read` for what is refused."""
    lecture = lectures.read(text, f"own-{hashlib.sha256(text).hexdigest()[:16]}")
    kept = _kept()
    kept[lecture.name] = lecture
    kept.move_to_end(lecture.name)
    while len(kept) > _KEPT:
        kept.popitem(last=False)
    return lecture


def place() -> Place | None:
    """Return where in which lecture this page is, if it is in one that is known."""
    now = state.current()
    name = str(now.get("lecture", ""))
    shipped = {lecture.name: lecture for lecture in lectures.shipped()}
    lecture = shipped.get(name) or _kept().get(name)
    if lecture is None:
        return None
    return Place(lecture, min(state.whole("scene"), len(lecture.scenes)))


def scene_link(where: Place) -> tuple[str, dict[str, str]]:
    """Return file and query parameters of a scene."""
    params = {"v": "1"} | where.scene.params
    params |= {"present": "1", "lecture": where.lecture.name, "scene": str(where.number)}
    if where.number == 1:
        del params["scene"]
    if audience.secret():
        params["room"] = audience.secret()
    return sitemap.staged().get(where.scene.page, ""), params


def start() -> None:
    """Turn the presenter view on."""
    kept = state.current()["controls"] or ("d", "eps")
    state.assign(present=True, controls=kept)


def head(heading: str) -> None:
    """Draw the title of the presenter view: the scene's, or the page's."""
    where = place()
    st.title(lectures.typeset(where.scene.title) if where else heading, anchor=False)
    if where is not None:
        with st.container(key="pv_scene"):
            st.markdown(lectures.typeset(where.scene.caption))


def begin(file: str) -> None:
    """Remember the page whose links begin a lecture, with its setting: Leave returns to it."""
    st.session_state[_FROM] = (file, state.link())


def turn(page: str, *, presenting: bool) -> None:
    """Go where a key or a button of the last run asked to: before anything is computed for here.

    A slider that moves while a scene on another page is on its way may have this page run with
    that scene's address: then it goes there too.

    Parameters
    ----------
    page : str
        The address of this page.
    presenting : bool
        Whether this run shows the presenter view.
    """
    there = st.session_state.pop(_GO, None)
    where = place() if presenting else None
    if there is None and where is not None and where.scene.page != page:
        there = scene_link(where)
    if there is not None:
        state.follow(*there, within=sitemap.address(there[0]) == page)
    if not presenting:
        st.session_state.pop(_FROM, None)


def veil(*, presenting: bool) -> Callable[[], None]:
    """Hide figure and numbers of the scene before, until the function that is returned is called.

    A scene may take seconds to compute, and what is on the screen meanwhile must not be taken for
    it. Within a scene nothing is hidden: there the figure before stays until the next one is there.
    What is hidden depends on what has arrived, not on what was sent: a run that is cut short may
    have sent what never arrives.
    """
    where = place() if presenting else None
    if where is None:
        return lambda: None
    mark = f"pv-scene-{where.lecture.name}-{where.number}"
    st.html(_VEIL.format(mark=mark))

    def lift() -> None:
        st.html(_MARK.format(mark=mark))

    return lift


def bar(shown: Callable[[], Mapping[str, str]]) -> None:
    """Draw the foot of the presenter view: steps through the scenes, theme, way out.

    Parameters
    ----------
    shown : callable
        () -> the QR code of what is on the screen, as code.js takes it.
    """
    where = place()
    with st.container(key="pv_bar", horizontal=True, vertical_alignment="center"):
        if where is not None:
            _steps(where)
        elif state.current()["lecture"]:
            shell.message(
                "This server does not know the lecture of the link: load its file again on the page Lectures. The "
                "figure is complete.",
                "plain",
            )
        audience.show()
        _KEYS(
            key="pv_keys", data={"kind": "keys"} | _told(where), on_scene_change=_asked,
            on_began_change=_began,
        )  # fmt: skip
        pages = ["", *(sitemap.address(file) for _, group in sitemap.PAGES for _, file in group)]
        _THEME(key="pv_themes", data=pages)
        back = "Back to the whole page, at this setting."
        if where is not None:
            begun = _FROM in st.session_state
            back = f"Back to {'where this lecture was begun' if begun else 'the list of lectures'}."
        st.button("Leave", key="pv_leave", on_click=_leave, help=back)
    _code(shown)


def _told(where: Place | None) -> dict[str, object]:
    """Return what the keys have to know of the lecture."""
    if where is None:
        return {"lecture": "", "at": 0, "title": "", "scenes": [], "began": ""}
    scenes = [scene.title for scene in where.lecture.scenes]
    file, params = st.session_state.get(_FROM, ("", {}))
    return {
        "lecture": where.lecture.name, "at": where.number, "title": where.lecture.title,
        "scenes": scenes, "began": f"{sitemap.address(file)}?{urlencode(params)}" if file else "",
    }  # fmt: skip


def _go(number: object) -> None:
    where = place()
    if where is None or not isinstance(number, int) or number == where.number:
        return
    there = where.at(number)
    if there is None:
        return
    name, guesses = st.session_state.get(_GUESSES, ("", {}))
    guesses = dict(guesses) if name == where.lecture.name else {}
    if "predict" in where.scene.params and state.whole("guess"):
        guesses[where.number] = state.whole("guess")
    st.session_state[_GUESSES] = (where.lecture.name, guesses)
    file, params = scene_link(there)
    if there.number in guesses:
        params["guess"] = str(guesses[there.number])
    st.session_state[_GO] = (file, params)


def _asked() -> None:
    _go(st.session_state.get("pv_keys", {}).get("scene"))  # a client can send anything


def _began() -> None:
    """Take back where the lecture was begun from a browser that loaded the scene anew."""
    told = st.session_state.get("pv_keys", {}).get("began")  # a client can send anything
    if not isinstance(told, str) or len(told) > _LONGEST or _FROM in st.session_state:
        return
    page, _, query = told.partition("?")
    files = {sitemap.address(file): file for _, group in sitemap.PAGES for _, file in group}
    if page in files:
        st.session_state[_FROM] = (files[page], dict(parse_qsl(query)))


def _leave() -> None:
    if place() is not None:
        st.session_state[_GO] = st.session_state.pop(_FROM, (_LIST, {"v": "1"}))
    state.assign(present=False, lecture="", scene=1, controls=())  # last


@st.fragment
def _code(shown: Callable[[], Mapping[str, str]]) -> None:
    """Send the QR code when it is asked for: a slider may have moved since the page was drawn."""
    data: dict[str, object] = {"kind": "code"}
    if st.session_state.pop(_CODE, False):
        number = st.session_state.get(_CODES, 0) + 1
        st.session_state[_CODES] = number
        with shell.guard():
            data |= {"number": number} | dict(shown())
    _KEYS(key="pv_code", data=data, on_ask_change=_ask)


def _ask() -> None:
    st.session_state[_CODE] = True


def _steps(where: Place) -> None:
    last = len(where.lecture.scenes)
    st.button(
        "← Back", key="pv_back", disabled=where.number == 1, on_click=_go,
        args=(where.number - 1,),
    )  # fmt: skip
    st.button(
        "Next →", key="pv_next", disabled=where.number == last, on_click=_go,
        args=(where.number + 1,),
    )  # fmt: skip
    st.html(
        f'<p class="pv-count" role="status"><strong>{where.number} of {last}</strong>'
        f"<span> · {html.escape(where.lecture.title)}</span></p>"
    )
