"""The atlas of bounds."""

import streamlit as st

from pages.shared.frame import shell
from pages.shared.page import atlas

shell.page("Atlas of bounds", "atlas", "🗺️", atlas.FIELDS)
st.title("Atlas of bounds")
st.markdown(
    "Every bound of this dashboard: what it says, from where, when, whom it binds, where it is valid, "
    "why it holds, and its curve beside the others at your setting. What the literature has found "
    "since is named, with its year, and not computed."
)
atlas.show()
shell.footer()
