"""A histogram really released, and what delta buys: the exhibits of data release."""
