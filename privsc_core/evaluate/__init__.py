"""Evaluation: success probabilities, least sample sizes, bounds, audits and certificates."""
