"""Swapping: customers, items or rows exchange places with similar ones."""
