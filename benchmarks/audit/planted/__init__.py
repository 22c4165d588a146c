"""Planted bugs: sanitizers that claim epsilon 1 and do not have it, beside honest ones."""
