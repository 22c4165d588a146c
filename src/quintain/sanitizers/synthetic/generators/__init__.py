"""Generators without differential privacy, as people use them: learn a model, draw from it."""
