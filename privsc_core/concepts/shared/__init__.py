"""Mathematics that several classes share."""
