"""Choosing: which targets, attacks and guesses count, by half of the runs; the rest judges them."""
