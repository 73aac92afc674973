"""The lectures: lists of scenes to step through in the presenter view."""

from urllib.parse import urlsplit

import streamlit as st

import pages  # noqa: F401 - whole, before parts of it
from pages.shared.frame import shell, sitemap
from pages.shared.frame.sitemap import HEADS
from pages.shared.hall import lectures, presenter
from pages.shared.hall.lectures import Lecture, shipped
from pages.shared.page import declaration
from pages.shared.state.fields import EVERYWHERE
from privsc_core.errors import InputError


def _start(lecture: Lecture) -> None:
    file, params = presenter.scene_link(presenter.Place(lecture, 1))
    st.page_link(file, label=f"Start: {_count(lecture)}", query_params=params)


def _count(lecture: Lecture) -> str:
    count = len(lecture.scenes)
    return f"{count} scenes" if count > 1 else "1 scene"


def _shipped() -> None:
    for lecture in shipped():
        with st.container(border=True, key=f"pv_lecture_{lecture.name}"):
            st.subheader(lecture.title, anchor=lectures.anchor(lecture))
            st.markdown(lectures.typeset(lecture.about))
            _start(lecture)
            st.download_button(
                "The text of this lecture", data=lecture.source, mime="text/plain",
                file_name=f"{lecture.name}.toml", key=f"pv_text_{lecture.name}", on_click="ignore",
            )  # fmt: skip


def _own() -> None:
    st.header("A lecture of your own", anchor="own")
    st.markdown(
        "A lecture is a text file: a title, and for each scene a link of this dashboard and a "
        "caption. Take one from above, change it, and load it here. The server keeps the last "
        "64 such files until it restarts, for those who have the link of a scene."
    )
    st.code(_EXAMPLE, language="toml")
    given = st.file_uploader("Lecture (text, at most 100 kB)", key="pv_lecture_file")
    if given is None:
        return
    with shell.guard():
        lecture = presenter.keep(given.getvalue()[: lectures.BYTES + 1])
        with st.container(border=True, key="pv_lecture_own"):
            st.markdown(f"{lectures.typeset(lecture.title)}: read, {_count(lecture)}.")
            _start(lecture)
            _check(lecture)


def _check(lecture: Lecture) -> None:
    """Show what pages will not take of the links, before an audience sees it."""
    here = urlsplit(st.context.url or "").netloc
    for number, scene in enumerate(lecture.scenes, start=1):
        fields = declaration.fields_of(sitemap.staged()[scene.page])
        for note in scene.notes(fields, here):
            shell.message(f"Scene {number}: {note}")


_EXAMPLE = """title = "My lecture"
about = "One or two sentences."

[[scene]]
title = "Privacy has a price"
link = "points?d=64&eps=0.5&controls=d"
caption = "Drag d: the private curve moves, the other one stays."

[[scene]]
title = "Predict first"
link = "points?d=256&predict=1"
question = "How many examples at d = 256?"
caption = "Four times the bits, about four times the examples."
"""

head = HEADS["lectures"]
shell.page(head.title, "lectures", "🎓", EVERYWHERE)
presenter.begin("pages/lectures.py")
st.title(head.title)
st.markdown(head.claim)
try:
    _shipped()
except InputError as refused:
    shell.message(str(refused))
_own()
shell.footer()
