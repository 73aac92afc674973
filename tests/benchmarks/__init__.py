"""Benchmarks with the peers beside them; run by hand, never part of the suite."""
