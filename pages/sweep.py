"""Sweeps: the results of `privsc sweep`, loaded and drawn."""

import pages  # noqa: F401 - whole, before parts of it
from pages.shared.page import sweeping

if __name__ == "__main__":  # Streamlit runs a page so
    sweeping.show()
