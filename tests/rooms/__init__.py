"""Rooms: stores under one contract, rules, and requests by those who may and may not."""
