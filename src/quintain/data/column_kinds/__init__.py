"""The kinds of columns of our own, each in its file; importing this registers all of them.

``column`` says what a kind must say, and finds kinds. A plugin adds one in a file like these.
"""

from quintain.data.column_kinds import category, coordinates, identifier, integer, real, time

__all__ = ["category", "coordinates", "identifier", "integer", "real", "time"]
