"""Moves: what teams make of a kit that they downloaded, with built-in parts."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path

from quintain.runs.folder.zipped import open_packed
from quintain.runs.taking_part import answer, release


def sanitized(kit: Path, team: str, track: str, **sanitizer: object) -> dict[str, bytes]:
    """A release of the team's own sample, as ``quintain sanitize`` makes it."""
    with open_packed(kit) as folder:
        chosen = folder.edition().track_by_id(track)
        return release(folder, chosen, sanitizer, team=team, sample=None, seed=1)


def attacked(kit: Path, team: str, track: str, **attack: object) -> dict[str, bytes]:
    """Answers to every task of a track, as ``quintain attack`` makes them."""
    with open_packed(kit) as folder:
        chosen = folder.edition().track_by_id(track)
        return answer(folder, chosen, attack, team=team, tasks=(), seed=1)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Files as one zip, as people pack them."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return content.getvalue()
