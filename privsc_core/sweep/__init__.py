"""Sweeps: very many settings, computed by many processes into one file of rows; see README.md."""

from privsc_core.sweep.plan import ASKS, HOWS, Block, Plan, Span
from privsc_core.sweep.run import Told, cluster, sweep

__all__ = ["ASKS", "HOWS", "Block", "Plan", "Span", "Told", "cluster", "sweep"]
