"""Metadata: read the schemas that other tools write: SDV, Frictionless and Croissant.

They say what kind of column it is, but rarely which values it may have. The other domains then come
from the given data. That is right for public data and wrong for private data, so the result names
the columns that it concerns.
"""

from quintain.data.metadata.reading import ForeignSchema, read_metadata

__all__ = ["ForeignSchema", "read_metadata"]
