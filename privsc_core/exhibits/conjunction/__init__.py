"""What speed costs: the exhibit of conjunctions."""
