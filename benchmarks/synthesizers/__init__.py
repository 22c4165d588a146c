"""Benchmarks of the synthesizers beside others."""
