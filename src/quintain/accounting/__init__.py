"""Accounting: what a sequence of private answers costs in differential privacy."""
