"""A contest of two rounds with dates, and the clock of its organisers."""

from datetime import UTC, datetime, timedelta

from quintain.jobs.files import write_file
from quintain.runs.folder.folder import Folder
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.prepare import prepare
from quintain.runs.submissions.submit import submit

TWO_ROUNDS = """\
id = "two-rounds"
title = "Everybody sanitizes, everybody attacks, twice"
goal = { use = "membership-set", guesses = 5 }
dataset = { use = "adult", rows = 200 }
sample = { use = "subset", rows = 40 }
privacy = ["hit-rate"]
knowledge = { gives = ["base"] }

[[board]]
id = "anonymizers"
use = "defence"
measure = "hit_rate"

[[board]]
id = "attackers"
use = "mean"
measure = "hit_rate"

[[baseline]]
id = "nearest"
attack = { use = "nearest" }

[[team]]
id = "red"

[[team]]
id = "blue"

[[track]]
id = "pre"
[[track.phase]]
id = "anonymize"
submit = "release"
opens = 2026-05-01T00:00:00Z
closes = 2026-05-02T00:00:00Z
[[track.phase]]
id = "attack"
submit = "guess"
opens = 2026-05-03T00:00:00Z
closes = 2026-05-04T00:00:00Z

[[track]]
id = "main"
[[track.phase]]
id = "anonymize"
submit = "release"
opens = 2026-05-05T00:00:00Z
closes = 2026-05-06T00:00:00Z
[[track.phase]]
id = "attack"
submit = "guess"
opens = 2026-05-07T00:00:00Z
closes = 2026-05-08T00:00:00Z
"""


def at(day: int, hour: int = 12) -> datetime:
    """A moment in May 2026; the contest begins on the first day."""
    return datetime(2026, 5, 1, tzinfo=UTC) + timedelta(days=day - 1, hours=hour)


def two_rounds(root, text=TWO_ROUNDS, *, now=None, seed=4) -> Folder:
    """The contest with its first round prepared."""
    write_file(root / "edition.toml", text.encode())
    folder = Folder(root)
    prepare(folder, seed=seed, now=now or at(1, 1))
    return folder


def release(folder, team, day, track="pre"):
    """A team submits its private sample as it is: valid, and easy to attack."""
    private = folder.at(f"teams/{team}/{track}/private.csv").read_bytes()
    return submit(folder, team, {"release.csv": private}, track=track, now=at(day))


def guess(folder, team, day, track="pre"):
    """A team names the first five rows of the population for every release of others."""
    tasks = folder.read(folder.edition().track_by_id(track)).tasks_for(team)
    files = {f"{task.name}.csv": b"row\n0\n1\n2\n3\n4\n" for task in tasks}
    return submit(folder, team, files, track=track, now=at(day))


def attacked(folder) -> Folder:
    """The first round: everybody releases, then everybody attacks."""
    for team in ("red", "blue"):
        release(folder, team, 1)
    hand_over(folder, "pre", now=at(2))
    for team in ("red", "blue"):
        guess(folder, team, 3)
    return folder


def everything(root) -> dict[str, bytes]:
    """Every file that counts, by path."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".cache" not in path.parts
    }
