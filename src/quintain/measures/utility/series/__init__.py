"""Utility of time series: what a model trained on the release can still predict."""
