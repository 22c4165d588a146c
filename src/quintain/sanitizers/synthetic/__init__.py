"""Synthesizers: learn a model of the private records and draw new records from it."""
