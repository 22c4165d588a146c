"""Journal: everything that happens in a contest, in order, so that nobody can change it unseen.

What does not belong here: how a contest reacts to an event, and where a folder keeps its files.
"""
