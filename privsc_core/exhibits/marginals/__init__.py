"""What marginals alone show: matrices released, errors against rows, the field as a table."""
