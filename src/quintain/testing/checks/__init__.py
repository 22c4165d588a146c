"""Checks of parts, one file per family of parts, and the battery that collects them."""
