"""Standalone: measures and rankings of files that are in no edition folder."""
