"""Figures: drawings and number formats for every page that shows results."""
