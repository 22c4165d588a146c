"""Samples that overlap, live: teams that join together or late, a full house, and a stranger."""

from itertools import combinations
from pathlib import Path

import pytest

from quintain.contests import load
from quintain.data.files import read_trusted
from quintain.errors import Refused, Rejected
from quintain.runs.folder import paths
from quintain.runs.lint import lint_edition
from quintain.runs.organising.freeze import freeze
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.organising.join import Joining, join
from quintain.runs.organising.stages import seat_of
from quintain.runs.play import play
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from quintain.runs.tasks.experiments import draw_team_sample
from quintain.runs.verification.verify import verify
from tests.editions.live.live_contest import day, revealed, started

EXAMPLE = "examples/own-people/overlap.toml"
SMALL = {
    "dataset": {"rows": 190},
    "sample": {"rows": 50, "overlap": 10},
    "goal": {"guesses": 5},
    "rule": [{"use": "rows", "least": 10, "most": 100}],
    "baseline": [{"id": "blind", "attack": {"use": "random"}}],
}
TEAMS = '[[team]]\nid = "red"\n[[team]]\nid = "blue"\n'


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    """Two teams of the first day, and two that join in one step later."""
    folder = started(tmp_path_factory.mktemp("overlap") / "contest", EXAMPLE, SMALL, TEAMS)
    join(folder, [Joining("green"), Joining("gold")], now=day(1.5))
    return folder


def test_any_two_teams_have_ten_records_in_common(contest):
    track, state = contest.edition().track[0], contest.state()
    members = {}
    for team in ("red", "blue", "green", "gold"):
        seat = seat_of(track, state, team)
        sample = draw_team_sample(contest, track, team, seat, None)
        stored = read_trusted(
            contest.at(paths.team_sample(team, "main")), contest.private_schema(track)
        )
        assert stored.digest() == sample.private.digest()
        members[team] = sample.members
    for one, other in combinations(members.values(), 2):
        assert (one & other).sum() == 10


def test_a_fifth_team_finds_no_records_left(contest):
    with pytest.raises(Refused, match="190 records has room for 4 teams whose samples have 10"):
        join(contest, [Joining("late")], now=day(2))


@pytest.mark.slow
def test_it_is_scored_revealed_and_verified(contest, tmp_path):
    for team in ("red", "green"):
        private = contest.at(paths.team_sample(team, "main")).read_bytes()
        submit(contest, team, {"release.csv": private}, kind="release", now=day(2))
    hand_over(contest, now=day(3))
    score(contest, now=day(4))
    freeze(contest, "the contest is over", now=day(5))
    assert revealed(contest, day(6), tmp_path / "archive").problems == ()


@pytest.mark.slow
def test_the_example_is_short_says_what_it_reveals_and_rehearses(tmp_path):
    assert len(Path(EXAMPLE).read_text().splitlines()) <= 60
    findings = {finding.check: finding for finding in lint_edition(load(EXAMPLE))}
    assert "30% of a team's own records are in the sample of another" in (
        findings["known-rows"].message
    )
    assert not [finding for finding in findings.values() if finding.severity == "stop"]
    folder = play(load(EXAMPLE, quick=True), tmp_path / "run", seed=3)
    assert verify(folder).problems == ()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"dataset": {"rows": 400}},
            "2 samples of 300 records with 90 in common need 510 records; the population has 400",
        ),
        ({"shared_sample": True}, "shared_sample gives the same sample to all"),
        (
            {"phase": [{"id": "attack", "submit": "guess"}], "sanitizer": ["identity"]},
            "teams make no releases here",
        ),
    ],
)
def test_rules_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(Rejected, match=message):
        load(EXAMPLE, overrides=changes)
