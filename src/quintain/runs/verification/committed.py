"""Committed: every commitment belongs to an event, and every hidden file to a commitment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from quintain.commitment import Commitment, nonce
from quintain.journal.events import Event
from quintain.runs.folder import paths
from quintain.runs.folder.commitments import committed_files, stage_of
from quintain.runs.folder.folder import Folder


@dataclass(slots=True)
class Committed:
    """What the commitments of a folder say about its files.

    Parameters
    ----------
    problems : what is wrong with the commitments themselves, and files without a commitment.
    damaged : what is wrong with files that were committed to, by their path.
    leaves : the paths that each stage commits to.
    """

    problems: list[str] = field(default_factory=list)
    damaged: dict[str, str] = field(default_factory=dict)
    leaves: dict[str, set[str]] = field(default_factory=dict)

    def all_problems(self) -> list[str]:
        """Every problem as a sentence that begins with the file."""
        return [*self.problems, *(f"{name}: {text}" for name, text in self.damaged.items())]


def check_commitments(folder: Folder, events: tuple[Event, ...], key: bytes) -> Committed:
    """Compare every commitment with its event, and every file with its leaf."""
    out, files = Committed(), set(committed_files(folder.root))
    stages = dict(made for event in events if (made := stage_of(event)))
    out.problems += _extra(folder, set(stages))
    for stage, root in stages.items():
        commitment = _read(folder, stage, root, out)
        if commitment is not None:
            out.leaves[stage] = set(commitment.leaves)
            out.damaged |= dict(_damaged(folder, commitment, key, files))
    covered = {name for names in out.leaves.values() for name in names}
    out.problems += [f"{n}: no commitment covers this file" for n in sorted(files - covered)]
    return out


def _extra(folder: Folder, stages: set[str]) -> Iterator[str]:
    for path in sorted(folder.at(paths.COMMITMENTS).glob("*")):
        if path.suffix != ".json" or path.stem not in stages:
            name = path.relative_to(folder.root).as_posix()
            yield f"{name}: no event of the journal made this commitment"


def _read(folder: Folder, stage: str, root: str, out: Committed) -> Commitment | None:
    name, path = paths.commitment(stage), folder.at(paths.commitment(stage))
    try:
        content = path.read_bytes() if path.is_file() else b""  # reading a pipe would never end
        commitment = Commitment.model_validate_json(content)
        whole = commitment.check_root() and commitment.to_bytes() == content
    except (OSError, ValueError, TypeError):
        out.problems.append(f"{name}: is missing or cannot be read")
        return None
    if not whole:
        out.problems.append(f"{name}: the leaves do not give the root")
    if commitment.root != root:
        out.problems.append(f"{name}: the root is not the one in the journal")
    return commitment


def _damaged(
    folder: Folder, commitment: Commitment, key: bytes, files: set[str]
) -> Iterator[tuple[str, str]]:
    for name in sorted(commitment.leaves):
        if name not in files:
            yield name, "is missing"
        elif not commitment.check_digest(name, folder.digest(name), nonce(key, name)):
            yield name, "is not the file that was committed to"
