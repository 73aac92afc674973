"""Bounds that hold for every finite class, by its size: a class only declares its numbers."""
