"""Checks of parts, one file per family, and the battery that runs them."""
