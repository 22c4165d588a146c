"""The rules of a folder: frozen when it is prepared, and published as far as they may be.

Rules that say more than attackers may know are published without those parts. The full rules are
then among the secret files, under the same commitment, and are revealed with them.
"""

from __future__ import annotations

from pathlib import Path

from quintain.commitment import canonical_json
from quintain.contests import Edition
from quintain.contests.redaction import redact, redact_names, withheld
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.privacy import make_root, write


def freeze(root: Path, edition: Edition) -> None:
    """Write the rules that are valid from now on, and what everybody may read of them."""
    make_root(root)
    for path, content in _files(redact_names(edition)).items():
        write(root, path, content, durable=True)


def are_those_of(folder: Folder, edition: Edition) -> bool:
    """Whether the frozen rules of a folder are those of an edition."""
    known = (edition, redact_names(edition))
    return folder.edition().to_bytes() in [rules.to_bytes() for rules in known]


def frozen_files(folder: Folder) -> dict[str, bytes]:
    """What the files of the rules must contain, given the full rules."""
    edition = folder.edition()
    if folder.at(paths.FULL_RULES).is_file():
        return _files(edition)
    # Nothing is withheld, or the folder is older than withheld rules.
    return {paths.RULES: edition.to_bytes()}


def _files(edition: Edition) -> dict[str, bytes]:
    """In the order of writing: the public rules last, so that a folder with them is complete."""
    shown, files = redact(edition), {}
    if shown is not edition:
        files[paths.FULL_RULES] = edition.to_bytes()
    for track in edition.track:
        if withheld(track):
            names = {"format": "quintain.entries/1", "entries": list(track.entries)}
            files[paths.entries(track.id)] = canonical_json(names)
    return {**files, paths.RULES: shown.to_bytes()}
