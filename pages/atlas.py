"""The atlas of bounds."""

import streamlit as st

import pages  # noqa: F401 - whole, before parts of it
from pages.shared.frame import shell
from pages.shared.frame.sitemap import HEADS
from pages.shared.page import atlas

head = HEADS["atlas"]
shell.page(head.title, "atlas", "🗺️", atlas.FIELDS)
st.title(head.title)
st.markdown(head.claim)
atlas.show()
shell.footer()
