"""Own data: a folder keeps a copy of every data file that the organisers brought.

The copies lie among the secret files. Their paths do not contain a checksum, because commitments
name them in public. So a run depends on nothing
outside of its folder: workers, a run that goes on later and a verifier read the copy.
"""

from __future__ import annotations

from pathlib import Path

from quintain.contests import Edition
from quintain.errors import DataError, Faults
from quintain.runs.folder import paths
from quintain.runs.folder.privacy import make_root, write


def own_data_files(edition: Edition, version: int) -> dict[str, str]:
    """The paths of the copies, each with the SHA-256 that a version of the rules gives."""
    return {
        paths.data_file(version, track.id, name): digest
        for track in edition.track
        for name, digest in track.dataset.own_files().items()
    }


def keep_own_data(root: Path, edition: Edition, version: int = 1) -> None:
    """Copy the data files of an edition into a folder, before its rules are written.

    Raises with every fault in the files: rules that nobody can play must not be fixed.
    """
    faults = Faults()
    for source in dict.fromkeys(t.dataset for t in edition.track if t.dataset.own_files()):
        faults.extend(source.own_faults())
    faults.raise_if_any(DataError)
    make_root(root)
    for track in edition.track:
        for name in track.dataset.own_files():
            content = track.dataset.location(name).read_bytes()
            write(root, paths.data_file(version, track.id, name), content, durable=True)


def with_own_data(root: Path, edition: Edition, version: int) -> Edition:
    """The edition, whose data sets read the copies of a folder."""
    if not own_data_files(edition, version):
        return edition
    tracks = []
    for track in edition.track:
        names = track.dataset.own_files()
        places = {name: root / paths.data_file(version, track.id, name) for name in names}
        source = track.dataset.located(places) if places else track.dataset
        tracks.append(track.model_copy(update={"dataset": source}))
    return edition.model_copy(update={"track": tuple(tracks)})
