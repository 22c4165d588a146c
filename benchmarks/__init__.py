"""Benchmarks: modules that run quintain beside other programs and print Markdown tables."""
