"""Texts of the catalog as a typeset document."""
