"""Numerical tools that know nothing of learning: expectations, exact decimals, searches."""
