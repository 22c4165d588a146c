"""Where data comes from: the real files if you have them, a built-in stand-in if not."""

from __future__ import annotations

import hashlib
import os
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data.kinds import Data
from quintain.data.schema import Schema
from quintain.errors import DataError, Fault
from quintain.registry import Part

DATA_FOLDER = "QUINTAIN_DATA"
"""Environment variable that names the folder with the real files."""


class Source(Part, ABC):
    """A data set: a schema, a loader for the real files, and a generator that needs none.

    Parameters
    ----------
    rows : how many records; all of the real ones, or the generator's usual number, if not given.
    real : load the real files, from the folder that the environment variable QUINTAIN_DATA
        names, instead of generating the stand-in.
    """

    family: ClassVar[str] = "source"
    licence: ClassVar[str]
    obtain: ClassVar[str]
    """Where a person gets the real files, in a sentence or two."""

    rows: Annotated[int, Field(ge=1)] | None = None
    real: bool = False

    @property
    def simulated(self) -> bool:
        """Whether the records come from a generator, so that nobody real is among them."""
        return not self.real

    @classmethod
    def examples(cls) -> list[Self]:
        """A small stand-in, so that the generic checks are quick."""
        return [cls(rows=500)]

    @abstractmethod
    def data_schema(self) -> Schema:
        """The columns, known before any data is read."""

    @abstractmethod
    def generate(self, rng: np.random.Generator) -> Data:
        """Records of the built-in stand-in."""

    @abstractmethod
    def load(self) -> Data:
        """The real records, checked against known sizes and checksums."""

    def test_data(self, rng: np.random.Generator) -> Data | None:
        """Further records of the same kind that never enter a private sample, if there are any."""
        return None

    def data(self, rng: np.random.Generator) -> Data:
        """The data set: the real one cut to ``rows`` at random if asked for, or the stand-in."""
        if not self.real:
            return self.generate(rng)
        data = self.load()
        if self.rows is None or self.rows >= len(data):
            return data
        return data.take(np.sort(rng.choice(len(data), self.rows, replace=False)))

    def folder(self) -> Path:
        """Where the real files are looked for."""
        return Path(os.environ.get(DATA_FOLDER, "."))

    def find(self, name: str, sha256: str | None = None) -> Path:
        """A real file by name, its checksum verified; a sentence about where to get it if not."""
        file = self.folder() / name
        if not file.is_file():
            advice = f"{self.obtain} Then set {DATA_FOLDER} to its folder, or leave out real."
            raise DataError([Fault(f"not found in {self.folder()}. {advice}", name)])
        if sha256 is not None:
            found = hashlib.sha256(file.read_bytes()).hexdigest()
            if found != sha256:
                raise DataError([Fault(f"SHA-256 is {found}, expected {sha256}", name)])
        return file
