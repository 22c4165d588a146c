"""Counting queries: how many records agree with a target, for very many sets of columns at once."""
