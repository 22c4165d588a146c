"""Stays in intensive care: real files, or simulated stays."""
