"""Noise and reconstruction, switching points, the mistake tree: the exhibits of intervals."""
