"""Team releases: the records in the file that a team submits, and the numbers in front of them.

Where a goal or a measure has to know whose record a row is, each row of the file names the private
record that it was made from. Nobody but the judge sees these numbers.
"""

from __future__ import annotations

import numpy as np

from quintain.contests import Track
from quintain.data import Data, as_table
from quintain.data.arrays import Rows
from quintain.errors import PartError
from quintain.releases import NumberedRelease
from quintain.runs.folder.folder import csv_bytes


def split_numbers(track: Track, data: Data) -> tuple[Data, Rows | None]:
    """The records of a release, and where each of them came from if the rows say it."""
    if not track.numbers_rows:
        return data, None
    release = NumberedRelease.of(as_table(data))
    return release.data, release.origins


def with_numbers(track: Track, data: Data, origins: Rows | None) -> Data:
    """The records of a release, each with the number of its private record if rows have numbers.

    Records without known origins count as made up.
    """
    if not track.numbers_rows:
        return data
    numbers = np.full(len(data), -1) if origins is None else origins
    return NumberedRelease(as_table(data), numbers).with_numbers()


def release_bytes(track: Track, data: Data, origins: Rows | None) -> bytes:
    """The file of a release as a team submits it."""
    if track.goal.needs_origins and origins is None:
        raise PartError(
            f"{track.goal.id} asks for published rows, and these records stand for nobody: "
            "use a sanitizer that masks records instead of one that makes new ones"
        )
    return csv_bytes(with_numbers(track, data, origins), header=track.files.header)
