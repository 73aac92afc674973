"""Evaluation: success probabilities, least sample sizes, bounds and audits."""
