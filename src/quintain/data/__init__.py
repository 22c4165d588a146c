"""Stage 1, data: schemas, the four kinds of data, files, and where data comes from.

``Table`` has one row per person. ``Transactions`` has many rows per person, each with a time.
``Series`` has one irregular time series per person. ``Trees`` has a tree of rows per person, from
several tables. A ``Shape`` says how to treat such data, and a
plugin may add one. What does not belong here: anything that knows of a private sample, a release or
an attacker.
"""

from quintain.data.files import read, write
from quintain.data.files.limits import DEFAULT_LIMITS, Limits
from quintain.data.frames import from_frame, to_pandas, to_polars
from quintain.data.kinds import as_series, as_table, as_transactions, is_data
from quintain.data.learning.learn import Learned, learn
from quintain.data.people_shape import as_trees
from quintain.data.schema import Column, Schema
from quintain.data.series import Series
from quintain.data.shape import Data, Shape, see, shape_of
from quintain.data.table import Table
from quintain.data.transactions import Transactions
from quintain.data.trees import Trees

__all__ = [
    "DEFAULT_LIMITS",
    "Column",
    "Data",
    "Learned",
    "Limits",
    "Schema",
    "Series",
    "Shape",
    "Table",
    "Transactions",
    "Trees",
    "as_series",
    "as_table",
    "as_transactions",
    "as_trees",
    "from_frame",
    "is_data",
    "learn",
    "read",
    "see",
    "shape_of",
    "to_pandas",
    "to_polars",
    "write",
]
