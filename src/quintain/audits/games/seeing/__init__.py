"""Seeing: reduce a release to numbers about the targets, and keep nothing else."""
