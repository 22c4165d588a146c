"""A source that reads a table of the organisers' own."""
