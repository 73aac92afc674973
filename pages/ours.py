"""The results of this project."""

import streamlit as st

import pages  # noqa: F401 - whole, before parts of it
from pages.shared.frame import shell
from pages.shared.frame.sitemap import HEADS
from pages.shared.page import ours

head = HEADS["ours"]
shell.page(head.title, "ours", "✍️", ours.FIELDS)
st.title(head.title)
st.markdown(head.claim)
ours.show()
shell.footer()
