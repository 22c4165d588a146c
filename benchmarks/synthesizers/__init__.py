"""Benchmarks of the synthesizers beside other programs."""
