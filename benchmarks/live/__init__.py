"""Benchmarks of a live contest: many teams, many submissions, crashes."""
