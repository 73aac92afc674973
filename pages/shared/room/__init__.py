"""Rooms: the audience answers on phones what the lecturer's screen asks."""
