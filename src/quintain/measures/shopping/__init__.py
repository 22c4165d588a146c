"""Measures of shopping transactions whose release keeps the rows of the original."""
