"""Benchmarks of scoring a contest again."""
