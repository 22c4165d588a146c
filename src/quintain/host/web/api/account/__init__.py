"""Accounts over the API: what the pages of accounts do, as JSON."""
