"""Measures of how many published rows attackers find."""
