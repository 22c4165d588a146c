"""Benchmarks of a site: how fast it answers, and what it survives."""
