"""Attacks that look for members among all records of a population."""
