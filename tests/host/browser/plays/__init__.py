"""Whole contests in a browser: from registration to reveal, and checked on the command line."""
