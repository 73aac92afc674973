"""What `privsc serve` runs: first the fork server of the workers, then the dashboard.

In this order, because a process can be copied while it has one thread; see scheduling/processes.py.
"""

from pages.shared.scheduling import processes


def main() -> None:
    """Start the dashboard, see `start.main`."""
    processes.share("pages.shared.scheduling.worker")
    from pages.shared import start  # noqa: PLC0415 - not before: it imports Streamlit

    start.main()


if __name__ == "__main__":
    main()
