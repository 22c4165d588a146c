"""Masking: sanitizers that change values, leave records out or add some."""
