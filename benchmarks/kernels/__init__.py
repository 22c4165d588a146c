"""Benchmarks of the kernels beside others."""
