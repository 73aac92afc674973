"""The laboratory: any small class, typed, drawn, pasted or picked, and all its dimensions."""

import pages  # noqa: F401 - whole, before parts of it
from pages.shared.page import laboratory

FIELDS = laboratory.FIELDS
sections = laboratory.SECTIONS

if __name__ == "__main__":  # Streamlit runs this file; an import takes what it declares
    laboratory.show()
