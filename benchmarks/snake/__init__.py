"""Benchmarks of SNAKE 1."""
