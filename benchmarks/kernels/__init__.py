"""Benchmarks of the kernels beside other libraries."""
