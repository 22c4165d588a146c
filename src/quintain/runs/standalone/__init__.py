"""Standalone: measure and rank files that are outside any edition folder."""
