"""A fifth concept class moves in: what it may cost, held by a test."""
