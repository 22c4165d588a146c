"""A crowd on a site: many teams that look at pages and submit guesses at the same time."""
