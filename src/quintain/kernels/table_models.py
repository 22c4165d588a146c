"""Table models: a network that draws tables, with the coding of its columns, as one file.

The file is a safetensors file: the tensors of the network and of the coding, and a short text with
the kind of network and the schema. Sanitizers write it, and attackers who get it read it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from quintain.data import Schema
from quintain.data.arrays import Array
from quintain.data.files.limits import DEFAULT_LIMITS
from quintain.data.files.model_cells import read_tensors, tensor_bytes
from quintain.errors import DataError, Fault, Faults
from quintain.kernels.mixed_columns import MixedCoding

_LIMITS = DEFAULT_LIMITS.model_copy(update={"rows": 100_000_000})
_NETWORK, _STEPS = "net.", "noise.steps"


@dataclass(frozen=True, slots=True, eq=False)
class TableNetwork:
    """A trained network with the coding of its columns.

    Parameters
    ----------
    kind : which generator it is of, such as "tabddpm".
    schema : the columns of its records.
    size : how many records it learned from.
    coding : how records become numbers and codes.
    weights : the tensors of the network by name.
    steps : how many steps of noise the network takes back; 0 if it takes none.
    """

    kind: str
    schema: Schema
    size: int
    coding: MixedCoding
    weights: dict[str, Array]
    steps: int = 0

    def arrays(self) -> dict[str, Array]:
        """The coding and the network as arrays, without kind, schema and size."""
        network = {f"{_NETWORK}{name}": weight for name, weight in self.weights.items()}
        return {**self.coding.arrays(), _STEPS: np.array([self.steps]), **network}

    @classmethod
    def from_arrays(
        cls, kind: str, schema: Schema, size: int, arrays: dict[str, Array]
    ) -> TableNetwork:
        """Make a model from what :meth:`arrays` gave."""
        coding = MixedCoding.from_arrays(schema, arrays)
        weights = {
            name.removeprefix(_NETWORK): array
            for name, array in arrays.items()
            if name.startswith(_NETWORK)
        }
        return cls(kind, schema, size, coding, weights, int(arrays[_STEPS][0]))

    def to_bytes(self) -> bytes:
        """The content of a safetensors file, which anybody's library reads."""
        arrays = self.arrays()
        empty = {name: str(array.dtype) for name, array in arrays.items() if not array.size}
        head: dict[str, Any] = {"size": self.size, "schema": self.schema.model_dump()}
        head["empty"] = empty  # a tensor of the format has at least one number
        tensors = {name: array for name, array in arrays.items() if array.size}
        return tensor_bytes(tensors, {"kind": self.kind, "head": json.dumps(head)})

    @classmethod
    def from_bytes(cls, content: bytes) -> TableNetwork:
        """Read a model from its file; raises a ``DataError`` with every fault."""
        faults = Faults()
        tensors, metadata = read_tensors(content, _LIMITS, faults)
        faults.raise_if_any(DataError)
        try:
            head = json.loads(metadata["head"])
            arrays = {**tensors, **{name: np.zeros(0, of) for name, of in head["empty"].items()}}
            schema = Schema.model_validate(head["schema"])
            return cls.from_arrays(metadata["kind"], schema, int(head["size"]), arrays)
        except (KeyError, ValueError, TypeError, IndexError, AttributeError) as problem:
            message = f"is not a model of a table: {type(problem).__name__} {problem}"
            raise DataError([Fault(message)]) from None
