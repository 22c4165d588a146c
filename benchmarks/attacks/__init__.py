"""Benchmarks of attacks: what they find in tables of any columns."""
