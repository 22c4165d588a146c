"""Intake: uploads of teams, from the request to the queue."""
