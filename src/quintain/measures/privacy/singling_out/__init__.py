"""Privacy against singling out: how many descriptions fit exactly one person."""
