"""A table of one's own: made with a seed, learned, read and played."""
