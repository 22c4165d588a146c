"""Utility: how much of the original a release keeps."""
