"""Sanitizers on people: a person is a tree of rows, in one table or several."""
