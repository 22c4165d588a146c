"""What scoring costs when most of it was done before."""
