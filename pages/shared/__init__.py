"""What pages share, in rooms: the floors are in pyproject.toml. Pages hold words and choices."""
