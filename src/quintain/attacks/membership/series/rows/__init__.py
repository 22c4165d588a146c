"""Membership attacks on releases that mix the rows of different persons."""
