"""Cached: the layout of the cache of an edition folder; it may be deleted at any time."""

from __future__ import annotations

from pathlib import Path

from quintain.runs.folder.paths import CACHE, CARD, TRACEBACK
from quintain.runs.folder.task import Task


def baseline_guess(attacker: str, task: Task) -> str:
    """A baseline's answer to a task."""
    return f"{CACHE}/guesses/{task.track}/{attacker}/{task.name}.csv"


def refused_guesses(track: str, attacker: str) -> str:
    """The folder with a file for each task that a baseline refused to answer."""
    return f"{CACHE}/refused/{track}/{attacker}"


def refused_guess(attacker: str, task: Task) -> str:
    """Why a baseline does not answer a task."""
    return f"{refused_guesses(task.track, attacker)}/{task.name}.txt"


def refused_release(track: str, team: str) -> str:
    """Why a baseline makes no release in a rehearsal."""
    return f"{CACHE}/releases/{track}/{team}/refused.txt"


def baseline_release(track: str, team: str) -> tuple[str, str]:
    """A baseline's release in a rehearsal, and its card."""
    place = f"{CACHE}/releases/{track}/{team}"
    return f"{place}/release.csv", f"{place}/{CARD}"


def program_output(number: int, task: Task, name: str) -> str:
    """A file that a program made for a task; ``number`` is the program's submission."""
    return f"{CACHE}/programs/{task.track}/{number:05d}/{task.name}/{name}"


def tracebacks(root: Path) -> list[Path]:
    """The tracebacks of programs that failed, without empty files."""
    files = root.glob(f"{CACHE}/programs/*/*/*/{TRACEBACK}")
    return sorted(path for path in files if path.stat().st_size)


def utility(task: Task) -> str:
    """The utility readings of a release."""
    return f"{CACHE}/utility/{task.track}/{task.name}.json"


def cell(track: str, entry: str, attacker: str) -> str:
    """The privacy readings of an attacker on an entry."""
    return f"{CACHE}/cells/{track}/{entry}/{attacker}.json"


def shown_cell(track: str, entry: str, attacker: str) -> str:
    """The readings on the targets that shown scores are about, if the ranking uses others."""
    return f"{CACHE}/shown/{track}/{entry}/{attacker}.json"


def cell_finds(track: str, entry: str, attacker: str) -> str:
    """Which records an attacker found in an entry, if a board needs to know."""
    return f"{CACHE}/finds/{track}/{entry}/{attacker}.bin"


def stored_readings(track: str) -> str:
    """The stored readings of all cells of a track, with their keys."""
    return f"{CACHE}/readings/{track}.bin"


def fresh(track: str) -> str:
    """The utility readings of fresh samples."""
    return f"{CACHE}/fresh/{track}.json"
