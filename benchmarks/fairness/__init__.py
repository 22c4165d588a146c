"""Fairness: who wins a contest in which some teams are friends."""
