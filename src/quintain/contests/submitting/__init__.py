"""Submitting: the phases of a contest, and the names and formats of what teams submit."""
