"""What no statistical query learns: the exhibit of parities."""
