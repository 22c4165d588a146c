"""Source: where the data of a contest come from, real files or a built-in stand-in."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data.schema import Schema
from quintain.data.shape import Data
from quintain.errors import DataError, Fault
from quintain.jobs.files import file_digest
from quintain.registry import Part

DATA_FOLDER = "QUINTAIN_DATA"
"""Environment variable that names the folder with the real files."""


@dataclass(frozen=True, slots=True)
class FileUse:
    """What a contest takes from a data file of the organisers' own.

    Parameters
    ----------
    name : the name of the file.
    columns : the columns that enter a run as they are.
    numbered : the ids that enter as numbers, which say only what belongs together.
    left_out : the columns that never enter; empty where the file itself is not at hand.
    """

    name: str
    columns: tuple[str, ...]
    numbered: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


class Source(Part, ABC):
    """A data set: a schema, a loader for the real files, and a generator that needs no files.

    Parameters
    ----------
    rows : how many records; by default all real ones, or the usual number of the generator.
    real : load the real files instead of generating the stand-in. The environment variable
        QUINTAIN_DATA names their folder.
    """

    family: ClassVar[str] = "source"
    licence: ClassVar[str]
    obtain: ClassVar[str]
    """Where to get the real files, in a sentence or two."""

    settles: ClassVar[frozenset[str]] = frozenset()
    """The parameters that :meth:`settle` completes."""

    rows: Annotated[int, Field(ge=1)] | None = None
    real: bool = False

    @property
    def simulated(self) -> bool:
        """Whether the records come from a generator, so that they describe no real person."""
        return not self.real

    @classmethod
    def examples(cls) -> list[Self]:
        """A small stand-in, so that the generic checks are quick."""
        return [cls(rows=500)]

    @abstractmethod
    def data_schema(self) -> Schema:
        """The columns and their domains, known before any data are read."""

    @abstractmethod
    def generate(self, rng: np.random.Generator) -> Data:
        """Records of the built-in stand-in."""

    @abstractmethod
    def load(self) -> Data:
        """The real records, checked against known sizes and checksums."""

    def test_data(self, rng: np.random.Generator) -> Data | None:
        """Further records of the same kind that never enter a private sample, or None."""
        return None

    def data(self, rng: np.random.Generator) -> Data:
        """The stand-in, or the real records: all of them, or a random selection of ``rows``."""
        if not self.real:
            return self.generate(rng)
        data = self.load()
        if self.rows is None or self.rows >= len(data):
            return data
        return data.take(np.sort(rng.choice(len(data), self.rows, replace=False)))

    def folder(self) -> Path:
        """The folder with the real files; the current one if QUINTAIN_DATA is not set."""
        return Path(os.environ.get(DATA_FOLDER, "."))

    def find(self, name: str, sha256: str | None = None) -> Path:
        """The path of a real file with the right checksum; raises with advice how to get it."""
        file = self.folder() / name
        if not file.is_file():
            advice = (
                f"{self.obtain} Then set {DATA_FOLDER} to its folder, or leave out real = true."
            )
            raise DataError([Fault(f"not found in {self.folder()}. {advice}", name)])
        if sha256 is not None:
            check_digest(file, sha256)
        return file

    # What follows is for sources that read files of the organisers' own.

    @classmethod
    def settle(
        cls,
        table: Mapping[str, Any],
        folders: Sequence[Path],  # noqa: ARG003 -- for sources with files
    ) -> tuple[dict[str, Any], dict[str, Path]]:
        """The parameters with everything that they only refer to, and where the data files are.

        Parameters
        ----------
        table : the parameters as an edition file gives them.
        folders : where to look for files: beside the edition file first.
        """
        return dict(table), {}

    def own_files(self) -> dict[str, str]:
        """The SHA-256 of each data file of the organisers' own, by the name of the file."""
        return {}

    def make_copies(self) -> tuple[Self, dict[str, bytes]]:
        """What a run keeps of its own files: the source for fixed rules, and each copy by name.

        A copy has only what the contest uses, because it is published in the end. Raises with
        everything that is wrong with the files.
        """
        return self, {}

    def reading_copies(self, files: Mapping[str, Path]) -> Self:
        """The source of fixed rules, which reads the copies of a run at these places."""
        return self.with_files(files)

    def file_uses(self) -> tuple[FileUse, ...]:
        """What a contest takes from each of its own files."""
        return ()

    def with_files(self, files: Mapping[str, Path]) -> Self:
        """The same source, which finds its data files at these places."""
        return self

    def location(self, name: str) -> Path:
        """Where one of its own data files is."""
        return self.find(name, self.own_files().get(name))

    def own_faults(self) -> list[Fault]:
        """Everything that is wrong with its own data files."""
        return []

    def learned_domains(self) -> tuple[str, ...]:
        """The columns whose domain comes from the data, so that it reveals some of them."""
        return ()

    def unread_columns(self) -> tuple[str, ...]:
        """The columns of its own file that are not in the schema."""
        return ()

    def public_form(self) -> Self:
        """The source as the public rules describe it."""
        return self


def check_digest(file: Path, sha256: str, actual: str | None = None) -> None:
    """Refuse a file whose content is not the expected one; ``actual`` is its digest, if known."""
    digest = file_digest(str(file)) if actual is None else actual
    if digest != sha256:
        raise DataError([Fault(f"SHA-256 is {digest}, expected {sha256}", file.name)])
