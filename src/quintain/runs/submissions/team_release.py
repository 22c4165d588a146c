"""Team releases: the columns of the file that a team submits, and the records in it.

Where the goal asks for the published row of a person, each row of the file also names the private
record that it was made from. Nobody but the judge sees these numbers.
"""

from __future__ import annotations

from quintain.contests import Track
from quintain.data import Data, Schema, as_table
from quintain.data.arrays import Rows
from quintain.errors import PartError
from quintain.releases import NumberedRelease
from quintain.releases.numbered import numbered
from quintain.runs.folder.folder import Folder, csv_bytes


def release_schema(folder: Folder, track: Track) -> Schema:
    """The columns of a team's release; the number of the private record is the first, if needed."""
    schema = folder.private_schema(track)
    return numbered(schema) if track.goal.needs_origins else schema


def without_numbers(track: Track, data: Data) -> tuple[Data, Rows | None]:
    """The records of a team's release, and where each of them came from if the file says it."""
    if not track.goal.needs_origins:
        return data, None
    release = NumberedRelease.of(as_table(data))
    return release.data, release.origins


def release_bytes(track: Track, data: Data, origins: Rows | None) -> bytes:
    """The file of a release as a team submits it."""
    if track.goal.needs_origins:
        if origins is None:
            raise PartError(
                f"{track.goal.id} asks for published rows, and these records stand for nobody: "
                "use a sanitizer that masks records instead of one that makes new ones"
            )
        data = NumberedRelease(as_table(data), origins).with_numbers()
    return csv_bytes(data, header=track.files.header)
