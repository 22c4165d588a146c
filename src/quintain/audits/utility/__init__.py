"""Utility beside privacy: how useful a release still is, and where it differs most."""
