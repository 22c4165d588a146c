"""Privacy against membership inference: how well attackers tell members from others."""
