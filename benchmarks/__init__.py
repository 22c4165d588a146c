"""Benchmarks: scripts that run ours and its peers side by side and print Markdown tables."""
