"""The home page: the finding of the field in one figure, and where to go next."""

import streamlit as st

import pages  # noqa: F401 - whole, before parts of it
from pages.shared.frame import shell, sitemap
from pages.shared.hall.lectures import shipped
from pages.shared.page import lecture_list, lines
from pages.shared.page.declaration import declared

_ASKED = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 150 88"><text x="75" y="56" text-anchor="middle" '
    'font-family="sans-serif" font-size="34" font-weight="600" fill="#2f80d0">m = ?</text></svg>'
)


def _next() -> None:
    st.subheader("What to do next", anchor="next")
    lecture, (name, file) = shipped()[0], sitemap.classes()[0]
    with st.container(key="pv_next"):
        watch, move, ask = st.columns(3, gap="medium")
    with watch:
        st.html(lecture_list.picture(lecture))
        lecture_list.start(lecture, "**Step through a lecture**")
        st.caption(f"{lecture.title}: {lecture_list.facts(lecture)}.")
        st.page_link("pages/lectures.py", label=f"All {len(shipped())} lectures")
    with move:
        st.html(lecture_list.small(declared(file).sketch))
        st.page_link(file, label=f"**Open a page: {name}**")
        st.caption("Move d and see which private learner needs more examples.")
    with ask:
        st.html(lecture_list.small(_ASKED))
        st.page_link("pages/calculator.py", label="**Calculate for your own numbers**")
        st.caption("Enter ε, α and d, and read off the number of examples.")


shell.page("Private learning", "home", "🔒", lines.FIELDS)
st.title(lines.TITLE)
lines.home()
_next()
st.subheader("Concept classes", anchor="classes")
lines.classes()
st.subheader("What every page has", anchor="reading")
st.markdown(
    "- Each curve says whether it is exact or simulated. Each bound says if its constants are its paper's or ours.\n"
    "- The address holds the whole setting: copy it to share what you see.\n"
    "- The same numbers come from the command line (`privsc need --concept point -d 64`) and from Python (`import "
    "privsc_core`)."
)
shell.footer()
