"""Benchmarks of AMIC."""
