"""Sanitizers of transactions: row i of the release stands for row i of the input."""
