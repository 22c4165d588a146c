"""Tables of an edition file that describe readings of releases, one kind per module."""
