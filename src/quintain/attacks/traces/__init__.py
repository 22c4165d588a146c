"""Attacks on trajectories: who is who, and who was where."""
