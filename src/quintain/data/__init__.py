"""Stage 1, data: schemas, the kinds of data, files, and where data comes from.

``Table`` has one row per person. ``Transactions`` has many rows per person, each with a time.
``Series`` has one irregular time series per person, ``Trajectories`` one path on a grid. ``Trees``
has a tree of rows per person, from several tables. A ``TrainedModel`` is a classifier
that learned from such records. A ``Shape`` says how to treat such data, and a plugin may add one;
``people_of`` gives everybody in any of them as trees of rows. What does not belong here: anything
that knows of a private sample, a release or an attacker.
"""

from quintain.data.files import read, write
from quintain.data.files.limits import DEFAULT_LIMITS, Limits
from quintain.data.frames import from_frame, to_pandas, to_polars
from quintain.data.kinds import as_series, as_table, as_trajectories, as_transactions, is_data
from quintain.data.learning.learn import Learned, learn
from quintain.data.models import TrainedModel, as_model
from quintain.data.own_files.number_marks import decimal_mark
from quintain.data.people_shape import as_trees, people_of
from quintain.data.schema import Column, ModelForm, Schema
from quintain.data.series import Series
from quintain.data.shape import Data, Shape, see, shape_of
from quintain.data.table import Table
from quintain.data.trajectories import CellGrid, Trajectories
from quintain.data.transactions import Transactions
from quintain.data.trees import Trees

__all__ = [
    "DEFAULT_LIMITS",
    "CellGrid",
    "Column",
    "Data",
    "Learned",
    "Limits",
    "ModelForm",
    "Schema",
    "Series",
    "Shape",
    "Table",
    "TrainedModel",
    "Trajectories",
    "Transactions",
    "Trees",
    "as_model",
    "as_series",
    "as_table",
    "as_trajectories",
    "as_transactions",
    "as_trees",
    "decimal_mark",
    "from_frame",
    "is_data",
    "learn",
    "people_of",
    "read",
    "see",
    "shape_of",
    "to_pandas",
    "to_polars",
    "write",
]
