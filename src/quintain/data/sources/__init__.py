"""Sources: the data sets of the contests, real or simulated, one per module."""
