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
from typing import TYPE_CHECKING

import streamlit as st

from pages.shared.frame import shell, sitemap
from pages.shared.hall import lectures
from pages.shared.state import state

if TYPE_CHECKING:
    from pages.shared.hall.lectures import Lecture, Scene

__all__ = ["Place", "bar", "head", "keep", "place", "scene_link", "start"]

_KEPT = 64  # lectures of visitors, of at most 100 kB each

# Arrows and the keys of a clicker; where an arrow moves a control, it goes on doing so.
_KEYS = """
const NEXT = new Set(["ArrowRight", "PageDown"]), BACK = new Set(["ArrowLeft", "PageUp"]);
const parents = new Set();
const press = (event) => {
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
  const step = NEXT.has(event.key) ? "next" : BACK.has(event.key) ? "back" : "";
  if (!step || document.querySelector('[role="dialog"]')) return;
  const busy = "input, textarea, select, [role=slider], [role=tab], [role=radio], [role=listbox]";
  if (event.key.startsWith("Arrow") && event.target.closest(busy)) return;
  if (event.target.closest("textarea, input:not([type=range])")) return;
  const button = document.querySelector(`.st-key-pv_${step} button:not([disabled])`);
  if (!button) return;
  event.preventDefault();
  button.click();
};
export default function ({ parentElement }) {
  parents.add(parentElement);
  document.addEventListener("keydown", press);
  // Streamlit also calls this for a run that a newer one overtook, while the scene lives on.
  return () => setTimeout(() => {
    for (const parent of parents) if (!parent.isConnected) parents.delete(parent);
    if (!parents.size) document.removeEventListener("keydown", press);
  });
}
"""
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
_LISTEN = st.components.v2.component("privsc_keys", js=_KEYS, isolate_styles=False)


@dataclass(frozen=True, slots=True)
class Place:
    """Where in a lecture the page is; `number` counts from 1."""

    lecture: Lecture
    number: int

    @property
    def scene(self) -> Scene:
        """The scene."""
        return self.lecture.scenes[self.number - 1]

    def step(self, by: int) -> Place | None:
        """Return the place some scenes on, or None beyond the ends."""
        number = self.number + by
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
    return sitemap.file_of(where.scene.page), params


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


def bar() -> None:
    """Draw the foot of the presenter view: steps through the scenes, theme, way out."""
    where = place()
    with st.container(key="pv_bar", horizontal=True, vertical_alignment="center"):
        if where is not None:
            _steps(where)
        elif state.current()["lecture"]:
            shell.message(
                "The lecture of this link is not known here: load its file again on the page "
                "Lectures. The picture is all here.",
                "plain",
            )
        pages = ["", *(sitemap.address(file) for _, group in sitemap.PAGES for _, file in group)]
        _THEME(key="pv_themes", data=pages)
        if st.button("Leave", key="pv_leave", help="Back to the whole page, at this setting."):
            state.assign(present=False, lecture="", scene=1, controls=())
            st.rerun()
    _LISTEN(key="pv_keys", data=None)


def _steps(where: Place) -> None:
    back, following = where.step(-1), where.step(1)
    if st.button("← Back", key="pv_back", disabled=back is None) and back is not None:
        state.follow(*scene_link(back))
    if st.button("Next →", key="pv_next", disabled=following is None) and following is not None:
        state.follow(*scene_link(following))
    st.html(
        f'<p class="pv-count" role="status"><strong>{where.number} of '
        f"{len(where.lecture.scenes)}</strong><span> · {html.escape(where.lecture.title)}</span></p>"
    )
