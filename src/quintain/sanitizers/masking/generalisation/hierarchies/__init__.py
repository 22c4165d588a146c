"""Hierarchies: how values are grouped, level by level, given or derived."""
