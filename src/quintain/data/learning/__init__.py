"""Learning: a schema made from the cells of data, for people who have data and no schema.

A domain that is learned from private data reveals something about the people in them: the largest
age is somebody's age. So everything here names the columns whose domain was learned.
"""
