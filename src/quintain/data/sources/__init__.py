"""Sources: one data set a file."""
