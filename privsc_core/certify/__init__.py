"""Ball arithmetic: numbers that are proofs up to the correctness of Arb. Knows no class."""
