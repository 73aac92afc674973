"""The calculator: all parameters but one are given, and every learner says what it reaches."""

import pages  # noqa: F401 - whole, before parts of it
from pages.shared.page import calculation

if __name__ == "__main__":  # Streamlit runs this file; an import takes its fields alone
    calculation.show()
