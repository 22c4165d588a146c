"""Deep generator: what all networks that draw tables share, and their models as safetensors."""

from __future__ import annotations

import json
from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data import Schema, Table
from quintain.data.arrays import Array
from quintain.data.files.limits import DEFAULT_LIMITS
from quintain.data.files.model_cells import read_tensors, tensor_bytes
from quintain.errors import DataError, Faults, PartError
from quintain.kernels.mixed_columns import Encoded, MixedCoding, Normalisation
from quintain.kernels.networks import Device, computing, has_torch
from quintain.releases import FocalPoint
from quintain.sanitizers.synthesizer import Arrays, FittedModel
from quintain.sanitizers.synthetic.generators.generator import TableGenerator

if TYPE_CHECKING:
    import torch

Width = Annotated[int, Field(ge=4, le=4096)]
"""How many units a hidden layer has."""
Hidden = Annotated[tuple[Width, ...], Field(min_length=1, max_length=6)]

_BLOCK = 10_000
"""How many records are drawn at a time."""
_LARGEST_FILE = DEFAULT_LIMITS.model_copy(update={"rows": 100_000_000})


@dataclass(frozen=True, slots=True, eq=False)
class DeepModel(FittedModel):
    """A trained network with the coding of its columns; it claims no privacy.

    Parameters
    ----------
    coding : how records become numbers and codes.
    weights : the tensors by name.
    steps : how many steps of noise the model takes back; 0 if it takes none.
    device : where to draw records; it is no part of the file.
    """

    kind: ClassVar[str]

    schema: Schema
    size: int
    coding: MixedCoding
    weights: dict[str, Array]
    steps: int = 0
    device: Device = "cpu"

    @abstractmethod
    def draw(self, rows: int, device: torch.device, *, rng: np.random.Generator) -> Encoded:
        """Draw the numbers and codes of this many records."""

    def sample(self, rows: int, *, rng: np.random.Generator) -> Table:
        """Draw records in blocks, and turn them back into values."""
        import torch

        sizes = [min(_BLOCK, rows - start) for start in range(0, rows, _BLOCK)]
        with computing(self.device, self.kind) as device, torch.no_grad():
            blocks = [self.draw(size, device, rng=rng) for size in sizes]
        numbers, codes = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
        return self.coding.decode(Encoded(numbers, codes))

    def focal_points(self) -> tuple[FocalPoint, ...]:
        """Give no focal points, because a network chooses no statistics to preserve."""
        return ()

    def arrays(self) -> Arrays:
        """Give the coding and the weights."""
        steps = {"noise.steps": np.array([self.steps])}
        weights = {f"net.{name}": weight for name, weight in self.weights.items()}
        return {**self.coding.arrays(), **steps, **weights}

    @classmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> Self:
        """Make a model from what :meth:`arrays` gave."""
        coding = MixedCoding.from_arrays(schema, arrays)
        weights = {n.removeprefix("net."): a for n, a in arrays.items() if n.startswith("net.")}
        return cls(schema, size, coding, weights, int(arrays["noise.steps"][0]))

    def to_bytes(self) -> bytes:
        """The model as the content of a safetensors file, which anybody's library reads."""
        head: dict[str, Any] = {"size": self.size, "schema": self.schema.model_dump()}
        arrays = self.arrays()
        head["empty"] = {  # a tensor has at least one number
            name: [str(array.dtype), list(array.shape)]
            for name, array in arrays.items()
            if not array.size
        }
        tensors = {name: array for name, array in arrays.items() if array.size}
        return tensor_bytes(tensors, {"kind": self.kind, "head": json.dumps(head)})

    @classmethod
    def from_bytes(cls, content: bytes) -> FittedModel:
        """Read a model from its file; the class must be the one that wrote it."""
        faults = Faults()
        tensors, metadata = read_tensors(content, _LARGEST_FILE, faults)
        faults.raise_if_any(DataError)
        if metadata.get("kind") != cls.kind:
            kind = metadata.get("kind", "unknown")
            raise PartError(f"the file holds a {kind} model, not a {cls.kind} model")
        head = json.loads(metadata["head"])
        for name, (dtype, shape) in head["empty"].items():
            tensors[name] = np.zeros(shape, dtype)
        return cls.from_arrays(Schema.model_validate(head["schema"]), head["size"], tensors)


class DeepGenerator(TableGenerator):
    """Trains a network on the private records, and releases records drawn from it.

    Parameters
    ----------
    rows : how many records to draw; if not given, as many as the private data has.
    steps : how many training steps.
    batch : how many records each step reads.
    rate : the length of the first steps.
    device : where to compute: "cpu" gives the same bytes for the same seed, "cuda" is a GPU, "auto"
        uses a GPU if the machine has one.
    """

    normalisation: ClassVar[Normalisation]

    steps: Annotated[int, Field(ge=1, le=1_000_000)] = 3000
    batch: Annotated[int, Field(ge=2, le=100_000)] = 500
    rate: Annotated[float, Field(gt=0, le=0.1)] = 1e-3
    device: Device = "auto"

    @classmethod
    def examples(cls) -> list[Self]:
        """A tiny one; none if PyTorch is missing."""
        return [cls(steps=3, batch=20)] if has_torch() else []

    def fit(self, data: Table, *, rng: np.random.Generator) -> DeepModel:
        """Code the columns, and train the network."""
        with computing(self.device, self.id) as device:
            coding = MixedCoding.learn(data, self.normalisation, rng=rng)
            return self.train(data, coding, device, rng=rng)

    @abstractmethod
    def train(
        self, data: Table, coding: MixedCoding, device: torch.device, *, rng: np.random.Generator
    ) -> DeepModel:
        """Train the network on coded records."""
