"""Panels: one file per risk; each runs its attacks on a pool and a release."""
