"""Sweeps: the results of `privsc sweep`, loaded and drawn."""

from pages.shared.page import sweeping

if __name__ == "__main__":  # Streamlit runs a page so
    sweeping.show()
