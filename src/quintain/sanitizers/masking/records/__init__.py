"""Records: sanitizers that publish fewer or more records than the private data have."""
