"""Benchmarks of masking: what it costs in utility, time and memory."""
