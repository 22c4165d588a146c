"""Empirical epsilon: lower bounds on the privacy loss that successful attacks prove."""
