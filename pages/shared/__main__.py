"""What `privsc serve` runs: first the fork server of the workers, then the dashboard.

In this order, because a process can be copied while it has one thread; see scheduling/processes.py.
"""

import sys
from typing import Any

from pages.shared.scheduling import brought, processes

# Where Streamlit finds them it makes a theme for figures that no page shows: 16 MB, half a second.
_PLOTLY: dict[str, Any] = dict.fromkeys(("plotly.graph_objects", "plotly.io"))


def main() -> None:
    """Start the dashboard, see `start.main`."""
    brought.bring()
    processes.share("pages.shared.scheduling.worker")
    sys.modules.update(_PLOTLY)  # no such modules, until it is imported
    from pages.shared import start  # noqa: PLC0415 - not before: it imports Streamlit

    for name in _PLOTLY:
        del sys.modules[name]
    start.main()


if __name__ == "__main__":
    main()
