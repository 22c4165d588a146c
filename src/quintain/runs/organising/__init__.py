"""Organising: what the organisers do while a contest lives; every step is an event."""
