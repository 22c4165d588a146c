"""Closings: checkpoints that are signed when a phase closes, for everybody to keep.

The signed lines say what closed and when, so a checkpoint explains itself wherever it is kept::

    quintain/snake1
    42
    CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=
    closed main attack 2026-05-20T00:00:00Z
    signed 2026-05-20T00:00:07Z
    audit-log 318 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08

    — quintain/snake1 Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo...
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from quintain.errors import NotVerified
from quintain.journal.checkpoint import Checkpoint
from quintain.journal.events import read_time, write_time
from quintain.journal.state import State
from quintain.runs.folder import paths

if TYPE_CHECKING:
    from quintain.contests import Edition, Phase, Track

_CLOSING = re.compile(rf"{paths.CHECKPOINTS}/[0-9]{{3,6}}\.txt")


@dataclass(frozen=True, slots=True)
class Occasion:
    """What a checkpoint is signed for: a phase closed, or everything was revealed.

    Parameters
    ----------
    track, phase : the phase; both are empty at the reveal.
    """

    time: datetime
    track: str = ""
    phase: str = ""

    def line(self) -> str:
        """The occasion as a signed line.

        >>> Occasion(read_time("2026-05-20T00:00:00Z"), "main", "attack").line()
        'closed main attack 2026-05-20T00:00:00Z'
        """
        what = f"closed {self.track} {self.phase}" if self.phase else "revealed"
        return f"{what} {write_time(self.time)}"

    def __str__(self) -> str:
        return f"phase {self.phase} of track {self.track}" if self.phase else "the reveal"


@dataclass(frozen=True, slots=True)
class Closing:
    """A checkpoint of an occasion, as it was published.

    Parameters
    ----------
    path : its place in the folder.
    time : when it was signed.
    text : what people keep.
    """

    path: str
    occasion: Occasion
    time: datetime
    checkpoint: Checkpoint
    text: str

    @property
    def name(self) -> str:
        """The name of its file."""
        return Path(self.path).name

    @property
    def number(self) -> int:
        """Its number among the closings of a contest, from 1."""
        return int(Path(self.path).stem)


def read_closing(path: str, text: str, key: str) -> Closing:
    """The closing in a text; raises ``NotVerified`` if the organisers did not sign it."""
    checkpoint = Checkpoint.read(text, key)
    moments = [_time(line[7:]) for line in checkpoint.extension if line.startswith("signed ")]
    every = occasions_in(checkpoint)
    if len(every) != 1 or len(moments) != 1:
        raise NotVerified("this checkpoint does not say what closed, or when it was signed")
    return Closing(path, every[0], moments[0], checkpoint, text)


def occasions_in(checkpoint: Checkpoint) -> list[Occasion]:
    """What a checkpoint was signed for, as its lines say; nothing for most checkpoints."""
    return _occasions(checkpoint.extension)


def _occasions(lines: Iterable[str]) -> list[Occasion]:
    every = []
    for line in lines:
        match line.split(" "):
            case ["closed", track, phase, time]:
                every.append(Occasion(_time(time), track, phase))
            case ["revealed", time]:
                every.append(Occasion(_time(time)))
    return every


def _time(text: str) -> datetime:
    try:
        time = read_time(text)
    except ValueError:
        time = None
    if time is None or time.tzinfo is None:
        raise NotVerified(f"{text[:40]!r} is not a time in UTC")
    return time


def closing_paths(root: Path) -> list[str]:
    """The paths of all closings of a folder, the oldest first."""
    names = paths.files_below(root, paths.CHECKPOINTS)
    return [name for name in names if _CLOSING.fullmatch(name)]


def last_closing_time(root: Path) -> datetime | None:
    """When the last phase closed whose checkpoint is signed; None if there is none yet.

    Nothing is checked: a wrong time can only make an event late.
    """
    for path in reversed(closing_paths(root)):
        lines = (root / path).read_text(errors="replace").splitlines()
        with suppress(NotVerified):
            return max((occasion.time for occasion in _occasions(lines)), default=None)
    return None


def closing_lines(occasion: Occasion, now: datetime, further: tuple[str, ...]) -> tuple[str, ...]:
    """The lines that are signed with a checkpoint."""
    return (occasion.line(), f"signed {write_time(now)}", *further)


def occasions(rules: Edition, state: State, now: datetime) -> Iterator[Occasion]:
    """Everything so far for which a checkpoint should be there, in order.

    A phase that was extended after it had closed is an occasion once more. A phase closes when it
    has closed for every team.
    """
    over = [
        Occasion(time, track.id, phase.id)
        for track in rules.track
        if track.id in state.prepared
        for phase in state.for_last_team(track).phase
        if (time := _closing_time(track, phase, state, now)) is not None
    ]
    yield from sorted(over, key=lambda occasion: occasion.time)
    if state.revealed is not None:
        yield Occasion(state.revealed.moment)


def _closing_time(track: Track, phase: Phase, state: State, now: datetime) -> datetime | None:
    """When a phase closed: by its date, by the hand-over, or with the contest."""
    moments = [phase.closes, None if state.frozen is None else state.frozen.moment]
    if phase.submit == "release" and track.id in state.handed_over:
        moments.append(state.handed_over[track.id].moment)
    return min((moment for moment in moments if moment is not None and moment <= now), default=None)
