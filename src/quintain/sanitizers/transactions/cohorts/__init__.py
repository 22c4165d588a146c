"""Cohorts: sanitizers that hide people among others who shopped alike in the same month."""
