"""Benchmarks of DARC."""
