"""Hostile files: uploads that try to break the judge, by the kind of file."""
