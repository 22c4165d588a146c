"""Trainers: sanitizers that publish a classifier in place of the records it learned from."""
