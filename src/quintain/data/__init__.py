"""Stage 1, data: schemas, the kinds of data, files, and where data comes from.

``Table`` has one row per person. ``Transactions`` has many rows per person, each with a time.
``Series`` has one irregular time series per person, ``Trajectories`` one path on a grid. ``Trees``
has a tree of rows per person, from several tables. A ``TrainedModel`` is a classifier
that learned from such records. A ``Shape`` says how to treat such data, and a plugin may add one;
``people_of`` gives everybody in any of them as trees of rows. What does not belong here: anything
that knows of a private sample, a release or an attacker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quintain.on_demand import on_demand

if TYPE_CHECKING:
    from quintain.data.column import Column
    from quintain.data.files import read, write
    from quintain.data.files.limits import DEFAULT_LIMITS, Limits
    from quintain.data.frames import from_frame, to_pandas, to_polars
    from quintain.data.kinds import as_series, as_table, as_trajectories, as_transactions, is_data
    from quintain.data.learning.learn import Learned, learn
    from quintain.data.models import TrainedModel, as_model
    from quintain.data.own_files.number_marks import decimal_mark
    from quintain.data.people_shape import as_trees, people_of
    from quintain.data.schema import ModelForm, Schema
    from quintain.data.series import Series
    from quintain.data.shape import Data, Shape, see, shape_of
    from quintain.data.table import Table
    from quintain.data.trajectories import CellGrid, Trajectories
    from quintain.data.transactions import Transactions
    from quintain.data.trees import Trees

_PLACES = {
    "CellGrid": "trajectories",
    "Column": "column",
    "DEFAULT_LIMITS": "files.limits",
    "Data": "shape",
    "Learned": "learning.learn",
    "Limits": "files.limits",
    "ModelForm": "schema",
    "Schema": "schema",
    "Series": "series",
    "Shape": "shape",
    "Table": "table",
    "TrainedModel": "models",
    "Trajectories": "trajectories",
    "Transactions": "transactions",
    "Trees": "trees",
    "as_model": "models",
    "as_series": "kinds",
    "as_table": "kinds",
    "as_trajectories": "kinds",
    "as_transactions": "kinds",
    "as_trees": "people_shape",
    "decimal_mark": "own_files.number_marks",
    "from_frame": "frames",
    "is_data": "kinds",
    "learn": "learning.learn",
    "people_of": "people_shape",
    "read": "files",
    "see": "shape",
    "shape_of": "shape",
    "to_pandas": "frames",
    "to_polars": "frames",
    "write": "files",
}

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

# Who reads a file needs nothing that learns a schema.
__getattr__, __dir__ = on_demand(__name__, _PLACES)
