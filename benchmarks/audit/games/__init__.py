"""Benchmarks of audits that run a sanitizer many times."""
