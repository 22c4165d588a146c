"""Sanitizers of time series that need no network."""
