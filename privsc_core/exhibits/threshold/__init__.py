"""The exhibits of thresholds on [0, 1]."""
