"""Membership attacks on time series."""
