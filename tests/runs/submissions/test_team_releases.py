"""Contests in which teams make releases of private data of their own, and attack each other's."""

import json
from datetime import UTC, datetime

import pytest

from quintain.contests import load
from quintain.errors import FolderError, PhaseClosed, Refused, SubmissionError
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.play import play
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from quintain.runs.verification.verify import verify
from tests.contest_folders import written

EDITION = """\
id = "two-roles"
title = "Everybody sanitizes, everybody attacks"
goal = { use = "membership-set", guesses = 20 }

[dataset]
use = "adult"
rows = 600

[sample]
use = "subset"
rows = 150

[files]
header = false
strict = true

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

[[rule]]
use = "rows"
least = 100
most = 1000

[[utility]]
use = "marginals"
at_most = 0.1

[[privacy]]
use = "hit-rate"

[[board]]
id = "attackers"
use = "mean"
measure = "hit_rate"
"""

OVER = datetime(2026, 5, 10, tzinfo=UTC)
"""When the release phase is over."""

PLAYERS = """
[[baseline]]
id = "open"
sanitizer = { use = "identity" }
attack = { use = "exact-match" }

[[baseline]]
id = "noisy"
sanitizer = { use = "rr", keep = 0.5 }
attack = { use = "random" }
"""


@pytest.fixture
def contest(tmp_path):
    """A prepared live contest with teams red and blue."""
    teams = '[[team]]\nid = "red"\n[[team]]\nid = "blue"\n'
    return written(tmp_path / "contest", EDITION + teams)


def test_a_whole_contest_with_two_roles_is_played_and_verified(tmp_path):
    (tmp_path / "e.toml").write_text(EDITION + PLAYERS)
    folder = play(load(tmp_path / "e.toml"), tmp_path / "run", seed=2)
    track = json.loads((folder.root / "results/standings.json").read_bytes())["tracks"]["main"]
    entries = {entry["id"]: entry for entry in track["entries"]}
    assert entries["open"]["owner"] == "open"
    assert entries["open"]["accepted"]
    assert "tv1 is" in entries["noisy"]["faults"][0]
    assert "must be at most 0.1 (off by" in entries["noisy"]["faults"][0]
    places = track["boards"][0]["places"]
    # Noisy alone attacked a release that counts: its own has no rank.
    assert [(place["team"], place["rank"]) for place in places] == [("noisy", 1), ("open", None)]
    assert verify(folder).problems == ()


def test_each_team_gets_data_of_its_own(contest):
    red, blue = (
        (contest.root / f"teams/{team}/main/private.csv").read_text() for team in ("red", "blue")
    )
    assert red != blue
    assert len(red.splitlines()) == len(blue.splitlines()) == 150


def test_the_population_is_secret_until_the_releases_are_in(contest):
    assert not (contest.root / "public/main/base.parquet").exists()
    moment = contest.edition().track[0].phase[0].opens
    for team in ("red", "blue"):
        content = (contest.root / f"teams/{team}/main/private.csv").read_bytes()
        submit(contest, team, {"mine.csv": content}, kind="release", now=moment)
    hand_over(contest, now=OVER)
    assert (contest.root / "public/main/base.parquet").exists()
    assert sorted(p.name for p in (contest.root / "public/main/tasks").iterdir()) == ["blue", "red"]
    score(contest)
    assert verify(contest).problems == ()


@pytest.mark.parametrize(("keep", "names"), [(1, ["red"]), (2, ["red.2", "red.3"])])
def test_the_last_releases_of_a_team_count_and_as_many_as_the_phase_keeps(tmp_path, keep, names):
    phase = 'submit = "release"\n'
    text = EDITION.replace(phase, f"{phase}keep = {keep}\n") + '[[team]]\nid = "red"\n'
    folder = written(tmp_path / "contest", text)
    track = folder.edition().track[0]
    rows = (folder.root / "teams/red/main/private.csv").read_bytes().splitlines(keepends=True)
    sizes = (110, 120, 130)
    for size in sizes:
        handed_in = {"mine.csv": b"".join(rows[:size])}
        submit(folder, "red", handed_in, kind="release", now=track.phase[0].opens)
    hand_over(folder, now=OVER)
    tasks = folder.tasks(track)
    assert [task.entry for task in tasks] == names
    assert [len(folder.release(track, task).data) for task in tasks] == list(sizes[-keep:])


def test_the_order_in_which_a_team_handed_in_its_records_is_not_published(contest):
    # Row for row beside the private data, a release would tell whose record is whose.
    moment = contest.edition().track[0].phase[0].opens
    content = (contest.root / "teams/red/main/private.csv").read_bytes()
    submit(contest, "red", {"mine.csv": content}, kind="release", now=moment)
    hand_over(contest, now=OVER)
    lines = content.splitlines()
    shown = (contest.root / "public/main/tasks/red/release.csv").read_bytes().splitlines()
    assert sorted(shown) == sorted(lines)
    assert shown != lines
    track = contest.edition().track[0]
    data = contest.release(track, contest.tasks(track)[0]).data
    assert data.equals(data.take(data.order()))


def test_a_release_that_breaks_the_rules_is_refused_with_every_reason(contest):
    moment = contest.edition().track[0].phase[0].opens
    rows = (contest.root / "teams/red/main/private.csv").read_text().splitlines()[:99]
    rows[3] = rows[3].replace(rows[3].split(",")[0], "20s", 1)
    rows[5] = "100" + rows[5][2:]
    with pytest.raises(SubmissionError) as caught:
        submit(contest, "red", {"r.csv": "\r\n".join(rows).encode()}, kind="release", now=moment)
    text = str(caught.value)
    assert "r.csv:1: contains carriage returns" in text
    assert "r.csv:4 age='20s': expected an integer in 17..90" in text
    assert "r.csv:6 age='100': expected an integer in 17..90" in text
    with pytest.raises(SubmissionError, match="has 99 records; at least 100 are required"):
        good = "\n".join((contest.root / "teams/red/main/private.csv").read_text().split("\n")[:99])
        submit(contest, "red", {"r.csv": good.encode()}, kind="release", now=moment)


def test_a_header_where_there_is_none_is_named(contest):
    moment = contest.edition().track[0].phase[0].opens
    names = ",".join(contest.private_schema(contest.edition().track[0]).names)
    content = names + "\n" + (contest.root / "teams/red/main/private.csv").read_text()
    with pytest.raises(SubmissionError, match="is a header line; this format has none"):
        submit(contest, "red", {"r.csv": content.encode()}, kind="release", now=moment)


def test_lines_of_files_without_a_header_are_counted_from_one(contest):
    release, guess = (phase.opens for phase in contest.edition().track[0].phase)
    content = (contest.root / "teams/blue/main/private.csv").read_bytes()
    submit(contest, "blue", {"mine.csv": content}, kind="release", now=release)
    hand_over(contest, now=OVER)
    rows = [*range(18), 5, 9999]
    named = "".join(f"{row}\n" for row in rows).encode()
    with pytest.raises(SubmissionError) as caught:
        submit(contest, "red", {"blue.csv": named}, kind="guess", now=guess)
    assert str(caught.value).splitlines() == [
        "blue.csv:20 row='9999': the population has rows 0..599",
        "blue.csv:19 row='5': named before, on line 6",
    ]


def test_a_guess_in_the_release_phase_is_refused(contest):
    moment = contest.edition().track[0].phase[0].opens
    with pytest.raises(PhaseClosed, match="is not open"):
        submit(contest, "red", {"blue.csv": b"1\n"}, kind="guess", now=moment)


def test_who_is_late_with_a_release_is_told_so_and_not_of_tasks(contest):
    phases = contest.edition().track[0].phase
    with pytest.raises(SubmissionError) as caught:
        submit(contest, "red", {"late.csv": b"1\n"}, now=phases[1].opens)
    (told,) = str(caught.value).splitlines()
    assert told.startswith("late.csv: nothing can be answered yet: the releases of track ")
    assert f"releases were accepted until {phases[0].closes:%Y-%m-%d %H:%M} UTC" in told


def everything(folder):
    return {path: path.read_bytes() for path in folder.root.rglob("*") if path.is_file()}


def test_without_a_release_there_is_nothing_to_hand_over_and_nothing_changes(contest):
    before = everything(contest)
    with pytest.raises(FolderError, match="nothing to hand over: no team has submitted a release"):
        hand_over(contest, now=OVER)
    assert everything(contest) == before
    # Nothing is lost: once there is one, it is handed over.
    moment = contest.edition().track[0].phase[0].opens
    content = (contest.root / "teams/red/main/private.csv").read_bytes()
    submit(contest, "red", {"mine.csv": content}, kind="release", now=moment)
    hand_over(contest, now=OVER)
    assert [task.entry for task in contest.tasks(contest.edition().track[0])] == ["red"]
    score(contest)
    assert verify(contest).problems == ()


@pytest.mark.slow
def test_where_teams_make_no_releases_there_is_nothing_to_hand_over(copy):
    before = everything(copy)
    with pytest.raises(Refused, match="in this contest teams make no releases"):
        hand_over(copy)
    assert everything(copy) == before


def test_a_rehearsal_in_which_nobody_makes_a_release_is_still_played(tmp_path):
    players = '[[baseline]]\nid = "blind"\nattack = { use = "random" }\n'
    (tmp_path / "e.toml").write_text(EDITION + players)
    folder = play(load(tmp_path / "e.toml"), tmp_path / "run", seed=2)
    assert not (folder.root / "public/commitments/handover-main.json").exists()
    assert verify(folder).problems == ()
