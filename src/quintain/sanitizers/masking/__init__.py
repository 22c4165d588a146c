"""Masking: sanitizers that change values, delete records or add made-up records."""
