"""Counting: which of the submitted releases and guesses count, and how a team chooses them."""
