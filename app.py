"""The home page: what this is, and where to go."""

import streamlit as st

from pages.shared.frame import shell, sitemap
from pages.shared.page import home
from pages.shared.page.class_page import declared
from pages.shared.state.fields import EVERYWHERE

shell.page("Private learning", "home", "🔒", EVERYWHERE)
st.title(home.TITLE)
st.markdown(home.CLAIM)
st.subheader("Concept classes")
for label, file in sitemap.classes():
    st.page_link(file, label=f"**{label}**")
    st.markdown(declared(file).summary)
st.subheader("For a lecture")
st.page_link("pages/lectures.py", label="**Lectures**")
st.markdown(
    "Scenes in large type, stepped through by keyboard: three are ready, and yours is a small text "
    "file. On every page *Share* gives a link, a QR code and code to embed it, and *Predict first* "
    "hides the curves until the audience has committed."
)
st.subheader("How to read it")
st.markdown(
    "- **Exact, simulated, proved.** Every curve says whether it is an exact law or a simulation "
    "with its interval; every bound says whether its constants are the paper's or ours.\n"
    "- **Everything is in the address.** Copy it to share exactly what you see, the seed "
    "included.\n"
    "- **The same numbers** come from the command line (`privsc need --concept point -d 64`) and "
    "from Python (`import privsc_core`)."
)
shell.footer()
