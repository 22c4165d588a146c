"""Synthesizers: sanitizers that learn a model of the private records and draw new ones from it."""
