"""Benchmarks of the questions about tables: rows, halves, descriptions."""
