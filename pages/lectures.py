"""The lectures: lists of scenes to step through in the presenter view."""

from urllib.parse import urlsplit

import streamlit as st

import pages  # noqa: F401 - whole, before parts of it
from pages.shared.frame import shell, sitemap
from pages.shared.frame.sitemap import HEADS
from pages.shared.hall import lectures, presenter
from pages.shared.hall.lectures import Lecture, shipped
from pages.shared.page import declaration, lecture_list
from pages.shared.state.fields import EVERYWHERE
from privsc_core.errors import InputError


def _shipped() -> None:
    st.caption(
        f"**Begin with “{shipped()[0].title}”;** each of the others can follow it. Introductory: PAC learning and the definition of differential privacy are enough. Intermediate: the "
        "Laplace and exponential mechanisms help. Advanced: the proofs matter."
    )
    st.html(f"<style>{lecture_list.STYLE}</style>")
    with st.container(key="pv_lectures"):
        for lecture in shipped():
            with st.container(key=f"pv_lecture_{lecture.name}"):
                shown, about, link = st.columns([1, 4, 0.7], vertical_alignment="center")
            shown.html(lecture_list.picture(lecture))
            about.subheader(lecture.title, anchor=lectures.anchor(lecture))
            about.markdown(lectures.typeset(lecture.summary))
            about.caption(lecture_list.facts(lecture))
            with link:
                lecture_list.start(lecture, "Start")


def _texts() -> None:
    for lecture in shipped():
        st.download_button(
            lecture.title, data=lecture.source, mime="text/plain", on_click="ignore",
            file_name=f"{lecture.name}.toml", key=f"pv_text_{lecture.name}",
        )  # fmt: skip


def _own() -> None:
    st.header("A lecture of your own", anchor="own")
    st.markdown(
        "A lecture is a text file: a title, and for each scene a link to a page here and a caption. Take "
        "the text of a lecture, change it, and load it."
    )
    given = st.file_uploader("Lecture (text, at most 100 kB)", key="pv_lecture_file")
    with st.expander("An example, and the texts of the lectures above"):
        st.code(_EXAMPLE, language="toml")
        _texts()
        st.caption(
            "The server keeps the last 64 loaded files until it restarts, so that visitors can open the links of "
            "their scenes."
        )
    if given is None:
        return
    with shell.guard():
        lecture = presenter.keep(given.getvalue()[: lectures.BYTES + 1])
        with st.container(border=True, key="pv_lecture_own"):
            st.markdown(f"{lectures.typeset(lecture.title)}: read, {lecture_list.facts(lecture)}.")
            lecture_list.start(lecture, "Start your lecture")
            _check(lecture)


def _check(lecture: Lecture) -> None:
    """Show what pages will not take of the links, before an audience sees it."""
    here = urlsplit(st.context.url or "").netloc
    for number, scene in enumerate(lecture.scenes, start=1):
        fields = declaration.fields_of(sitemap.staged()[scene.page])
        notes = scene.notes(fields, here)
        if scene.ask and not lecture_list.poses(scene):
            notes.append(
                f"No question of the kind “{scene.ask}” has choices at this setting: the page asks for the least m."
            )
        for note in notes:
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
