"""Attacks that look for the pseudonym of each person."""
