"""Sanitizers of trajectories: they change places, times or whose trajectory it is."""
