"""Utility of trajectories: places of people, and how people move."""
