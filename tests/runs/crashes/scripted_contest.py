"""A small contest with teams' releases, in steps that can be interrupted and run again.

Every step has a fixed time, so a contest that was interrupted ends with the same bytes as one that
was not.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from quintain.commitment import sha256
from quintain.jobs.files import write_file
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.organising.freeze import reveal
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.join import Joining, join
from quintain.runs.organising.prepare import prepare
from quintain.runs.score import score
from quintain.runs.submissions.counting import submissions
from quintain.runs.submissions.submit import submit

EDITION = """\
id = "interrupted"
title = "A contest that is interrupted again and again"
goal = { use = "membership-set", guesses = 5 }

[dataset]
use = "adult"
rows = 120

[sample]
use = "subset"
rows = 30

[files]
header = false

[[phase]]
id = "anonymize"
submit = "release"
opens = 2026-05-01T00:00:00Z
closes = 2026-05-10T00:00:00Z

[[phase]]
id = "attack"
submit = "guess"
opens = 2026-05-11T00:00:00Z
closes = 2026-05-20T00:00:00Z

[[utility]]
use = "marginals"

[[privacy]]
use = "hit-rate"

[[board]]
id = "attackers"
use = "mean"
measure = "hit_rate"

[[team]]
id = "red"
"""

RELEASES = [("red", 20), ("blue", 21), ("red", 22), ("green", 23), ("blue", 24)]
"""Teams, and how many records of their sample they release; all but red join late."""

GUESSES = [("red", "blue"), ("blue", "red"), ("green", "red"), ("red", "green"), ("blue", "green")]
"""Attackers, and the releases that they attack."""

Acknowledge = Callable[[bytes], object]


def new(root: Path) -> Folder:
    """A folder with the rules that the organisers wrote."""
    write_file(root / paths.EDITION, EDITION.encode())
    return Folder(root)


def go_on(folder: Folder, acknowledge: Acknowledge) -> Iterator[str]:
    """Do whatever is left to do, and name each step before it is done.

    ``acknowledge`` is called with the receipt of each submission.
    """
    yield "prepare"
    prepare(folder, seed=11, now=_day(1))
    for team, rows in RELEASES:
        if team not in folder.state().roster.ids:
            yield "join"
            join(folder, [Joining(team)], now=_day(2))
        yield "submit"
        sample = folder.at(paths.team_sample(team, "main")).read_bytes().splitlines(keepends=True)
        _submit_once(folder, team, f"{rows}.csv", b"".join(sample[:rows]), _day(2), acknowledge)
    if "main" not in folder.state().handed_over:
        yield "hand over"
        hand_over(folder, now=_day(10))
    for number, (team, entry) in enumerate(GUESSES):
        yield "submit"
        guess = b"".join(b"%d\n" % (number + 3 * row) for row in range(5))
        _submit_once(folder, team, f"{entry}.csv", guess, _day(11), acknowledge)
    yield "score"
    score(folder, now=_day(21))
    yield "reveal"
    reveal(folder, now=_day(22))


def _submit_once(
    folder: Folder, team: str, name: str, content: bytes, now: datetime, acknowledge: Acknowledge
) -> None:
    """Submit, unless an earlier run did; it may have been interrupted before the receipt."""
    files = {name: sha256(content)}
    if any((one.team, one.files) == (team, files) for one in submissions(folder)):
        return
    accepted = submit(folder, team, {name: content}, now=now)
    acknowledge(accepted.receipt.to_bytes())


def contents(folder: Folder) -> Iterator[tuple[str, bytes]]:
    """Every file of a contest that is not hidden, and the journal."""
    for name in paths.files_below(folder.root, ""):
        yield name, folder.at(name).read_bytes()


def _day(day: int) -> datetime:
    return datetime(2026, 5, day, tzinfo=UTC)
