"""Agents: what programs that play kits reach, beside single attacks."""
