"""Records: sanitizers that publish fewer or more records than they were given."""
