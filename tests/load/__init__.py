"""Load and soak: many visitors at once, over the dashboard's real protocol.

``python -m tests.load --help`` runs it; `tests/load/test_load.py` is the small run of the suite.
"""
