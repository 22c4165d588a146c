"""Benchmarks of Hide-and-Seek."""
