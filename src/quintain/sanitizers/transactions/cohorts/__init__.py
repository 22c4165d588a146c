"""Cohorts: sanitizers that make people with similar months of shopping indistinguishable."""
