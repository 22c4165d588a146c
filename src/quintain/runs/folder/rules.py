"""The rules of a folder: fixed before anything else, and published as far as they may be.

Rules that say more than attackers may know are published without those parts. The full rules are
then among the secret files, under the same commitment, and are revealed with them. Every version of
the rules stays in the folder, because a submission is judged by the rules of its time.
"""

from __future__ import annotations

from pathlib import Path

from quintain.contests import Edition
from quintain.contests.redaction import redact, redact_names
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.own_data import own_data_files
from quintain.runs.folder.privacy import make_root, write


def write_rules(root: Path, edition: Edition, version: int = 1) -> None:
    """Write the rules that are valid from now on, and what everybody may read of them."""
    make_root(root)
    for path, content in rules_files(redact_names(edition), version).items():
        write(root, path, content, durable=True)


def are_those_of(folder: Folder, edition: Edition) -> bool:
    """Whether the rules of a folder are those of an edition."""
    known = (edition, redact_names(edition))
    return folder.rules().to_bytes() in [rules.to_bytes() for rules in known]


def rules_files(edition: Edition, version: int) -> dict[str, bytes]:
    """The files of a version of the rules, given the full rules.

    In the order of writing: the copy that makes a folder a prepared one comes last.
    """
    shown, files = redact(edition), {}
    if shown is not edition:
        files[paths.rules(version, paths.SECRET)] = edition.to_bytes()
    return {**files, paths.rules(version): shown.to_bytes(), paths.RULES: shown.to_bytes()}


def committed_rules(edition: Edition, version: int) -> list[str]:
    """The files of a version that a commitment covers."""
    files = [name for name in rules_files(edition, version) if name != paths.RULES]
    files += own_data_files(edition, version)
    return [*files, paths.SEEDS, paths.PUBLIC_KEY] if version == 1 else files


def write_public_key(root: Path, key: str) -> None:
    """Write the public key of all signatures; the first commitment covers it."""
    write(root, paths.PUBLIC_KEY, f"{key}\n".encode(), durable=True)
