"""Folded parts of a page, and the exhibits that every class has."""
