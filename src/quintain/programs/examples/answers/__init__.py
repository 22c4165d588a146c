"""A model that answers queries: a logistic regression."""
