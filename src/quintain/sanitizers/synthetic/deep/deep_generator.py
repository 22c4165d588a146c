"""Deep generator: what all networks that draw tables share, and their models as safetensors."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data import Schema, Table
from quintain.data.arrays import Array
from quintain.errors import PartError
from quintain.kernels.mixed_columns import Encoded, MixedCoding, Normalisation
from quintain.kernels.networks import Device, computing, has_torch
from quintain.kernels.table_models import TableNetwork
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


@dataclass(frozen=True, slots=True, eq=False)
class DeepModel(FittedModel):
    """A trained network with the coding of its columns; it claims no privacy.

    Parameters
    ----------
    coding : how records become numbers and codes.
    weights : the tensors by name.
    steps : how many steps of noise the model takes back; 0 if it takes none.
    device : where to draw records; the file does not have it.
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
        return self._as_file().arrays()

    @classmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> Self:
        """Make a model from what :meth:`arrays` gave."""
        return cls._of(TableNetwork.from_arrays(cls.kind, schema, size, arrays))

    def to_bytes(self) -> bytes:
        """The model as the content of a safetensors file, which anybody's library reads."""
        return self._as_file().to_bytes()

    @classmethod
    def from_bytes(cls, content: bytes) -> FittedModel:
        """Read a model from its file; the class must be the one that wrote it."""
        file = TableNetwork.from_bytes(content)
        if file.kind != cls.kind:
            raise PartError(f"the file holds a {file.kind} model, not a {cls.kind} model")
        return cls._of(file)

    def _as_file(self) -> TableNetwork:
        return TableNetwork(
            self.kind, self.schema, self.size, self.coding, self.weights, self.steps
        )

    @classmethod
    def _of(cls, file: TableNetwork) -> Self:
        return cls(file.schema, file.size, file.coding, file.weights, file.steps)


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
    publish_model : whether the release carries the trained model, as a safetensors file.
    """

    normalisation: ClassVar[Normalisation]

    steps: Annotated[int, Field(ge=1, le=1_000_000)] = 3000
    batch: Annotated[int, Field(ge=2, le=100_000)] = 500
    rate: Annotated[float, Field(gt=0, le=0.1)] = 1e-3
    device: Device = "auto"
    publish_model: bool = False

    @classmethod
    def examples(cls) -> list[Self]:
        """A tiny one; none if PyTorch is missing."""
        return [cls(steps=3, batch=20, device="cpu")] if has_torch() else []

    def fit(self, data: Table, *, rng: np.random.Generator) -> DeepModel:
        """Code the columns, and train the network."""
        with computing(self.device, self.id) as device:
            coding = MixedCoding.learn(data, self.normalisation, rng=rng)
            return self.train(data, coding, device, rng=rng)

    def model_file(self, model: FittedModel) -> bytes:
        """The file of the model, if the release carries it."""
        return model.to_bytes() if self.publish_model else b""

    @abstractmethod
    def train(
        self, data: Table, coding: MixedCoding, device: torch.device, *, rng: np.random.Generator
    ) -> DeepModel:
        """Train the network on coded records."""
