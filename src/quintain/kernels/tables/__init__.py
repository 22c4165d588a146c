"""Tables in a coarse form, for computations that count values."""
