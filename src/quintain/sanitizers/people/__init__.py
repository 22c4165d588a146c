"""Sanitizers of people: trees of rows in, trees of rows out."""
