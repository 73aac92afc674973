"""The page of a concept class, from its declaration."""
