"""What δ buys: pure against approximate privacy, for every class that has learners of both."""

import pages  # noqa: F401 - whole, before parts of it
from pages.exhibits import interval_slack
from pages.shared.page import lines

BESIDE = lines.Beside(
    concept="interval", exhibits=interval_slack.EXHIBITS, further=interval_slack.DEEPER
)

if __name__ == "__main__":  # Streamlit runs this file; an import takes BESIDE alone
    lines.delta(BESIDE)
