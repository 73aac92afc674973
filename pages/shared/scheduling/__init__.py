"""Who computes what, and when. Knows nothing of pages."""
