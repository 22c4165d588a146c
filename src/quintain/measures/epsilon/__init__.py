"""Empirical epsilon: lower bounds on the privacy loss, from attacks that succeeded."""
