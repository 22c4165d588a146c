"""Seekers: attacks on releases of time series."""
