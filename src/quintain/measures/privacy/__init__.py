"""Privacy: how much a guess found out."""
