"""The yearly census sample of US households: real files, or simulated households."""
