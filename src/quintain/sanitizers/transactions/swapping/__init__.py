"""Swapping: similar customers, items or rows exchange places."""
