"""Views: what everybody may see of a contest, as typed values for pages and for the API.

A view reads the public files of an edition folder, the rows around a contest, and what a worker has
published. It never reads a truth, a key or a submission. Before the end, the results of a contest
are not even in a place where a view looks.
"""
