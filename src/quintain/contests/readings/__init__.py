"""Readings of releases that no single measure gives: given from outside, or derived from others."""
