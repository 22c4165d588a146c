"""Loading: checks of the plain tables of an edition, the files beside it, and places of faults."""
