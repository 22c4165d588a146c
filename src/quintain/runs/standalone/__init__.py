"""Standalone: measure, rank, sanitize and attack files that are outside any edition folder."""
