"""Loading: what lies beside an edition file, and where in its files a fault is."""
