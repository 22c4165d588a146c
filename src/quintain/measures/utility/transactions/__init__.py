"""Utility of transactions: what a shop can still learn from a release."""
