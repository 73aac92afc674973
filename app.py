"""The home page: the map of all classes, and where to go."""

import streamlit as st

import pages  # noqa: F401 - whole, before parts of it
from pages.shared.frame import shell
from pages.shared.hall import lectures
from pages.shared.page import lines


def _ready() -> None:
    st.subheader("For a lecture", anchor="lectures")
    st.page_link("pages/lectures.py", label="**Lectures**")
    st.markdown(
        f"Scenes in large type, stepped through by keyboard: {len(lectures.SHIPPED)} are ready, and yours is a "
        "small text file. On every page *Share* gives a link, a QR code and code to embed it, and "
        "*Predict first* hides the curves until the audience has committed."
    )


shell.page("Private learning", "home", "🔒", lines.FIELDS)
st.title(lines.TITLE)
lines.home(_ready)
st.subheader("How to read it", anchor="reading")
st.markdown(
    "- **Exact, simulated, proved.** Every curve says whether it is an exact law or a simulation "
    "with its interval; every bound says whether its constants are the paper's or ours.\n"
    "- **Everything is in the address.** Copy it to share exactly what you see, the seed "
    "included.\n"
    "- **The same numbers** come from the command line (`privsc need --concept point -d 64`) and "
    "from Python (`import privsc_core`)."
)
shell.footer()
