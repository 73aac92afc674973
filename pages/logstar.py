"""What log* costs: trees of thresholds of three depths, and what is impossible for any proper learner."""

import pages  # noqa: F401 - whole, before parts of it
from pages.exhibits import interval_depth

FIELDS = interval_depth.FIELDS
sections = interval_depth.SECTIONS

if __name__ == "__main__":  # Streamlit runs this file; an import takes what it declares
    interval_depth.show()
