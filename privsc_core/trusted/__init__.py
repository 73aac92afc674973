"""Releases of people's data: noise of a vetted library, budgets and receipts. Knows no class."""
