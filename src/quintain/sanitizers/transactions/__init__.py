"""Sanitizers of transactions, in which row i of the release stands for row i of the input."""
