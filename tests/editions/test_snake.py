"""SNAKE 1: its editions say what the paper says."""

from datetime import UTC, datetime, timedelta

import pytest

from quintain.contests import builtin_names, load
from quintain.rankings.count_wins import CountWins
from quintain.sanitizers.synthetic.mst import Mst
from quintain.sanitizers.synthetic.pategan import PateGan
from quintain.sanitizers.synthetic.privbayes import PrivBayes

EPSILONS = (1.0, 10.0, 100.0, 1000.0)
OF_THE_PAPER = ("snake1", "snake1-sync", "snake1-both")


@pytest.mark.parametrize("names", [("snake1-both",), ("snake1", "snake1-sync")])
def test_the_dates_are_those_of_table_2(names):
    tracks = [track for name in names for track in load(name).track]
    first, second = (phase for track in tracks for phase in track.phase)
    assert first.opens == datetime(2023, 5, 18, tzinfo=UTC)
    assert first.closes.date() == datetime(2023, 6, 14, tzinfo=UTC).date()
    assert timedelta(weeks=4) - (first.closes - first.opens) == timedelta(seconds=1)
    days = [moment.date() for moment in (second.opens, second.closes)]
    assert [f"{day:%d %m %Y}" for day in days] == ["12 06 2023", "14 06 2023"]


@pytest.mark.parametrize("name", [*OF_THE_PAPER, "snake1-historic"])
def test_each_of_three_algorithms_is_attacked_with_each_privacy_parameter(name):
    for track in load(name).track:
        found = [(type(part), part.epsilon) for part in track.entries.values()]
        assert found == [
            (kind, epsilon) for kind in (Mst, PrivBayes, PateGan) for epsilon in EPSILONS
        ]
        assert not track.shared_sample


@pytest.mark.parametrize("name", [*OF_THE_PAPER, "snake1-historic"])
def test_attackers_get_population_algorithm_parameters_and_implementation(name):
    for track in load(name).track:
        (aim,) = track.aims
        assert aim.goal.id == "goal/membership-v1"
        assert {"base", "methods", "parameters", "code"} <= aim.threat.facts


@pytest.mark.parametrize("name", OF_THE_PAPER)
def test_a_team_has_as_many_points_as_algorithms_on_which_it_alone_is_best(name):
    for track in load(name).track:
        (board,) = track.board
        assert board.rule == CountWins(measure="membership_advantage", shared_win="none")


def test_the_second_track_varies_the_first_and_nothing_else():
    first, second = load("snake1-both").track
    same = {"id", "title", "sample", "phase"}
    assert first.model_dump(exclude=same) == second.model_dump(exclude=same)
    assert first.sample != second.sample


def test_editions_differ_in_goal_data_and_knowledge():
    tracks = [track for name in builtin_names() for track in load(name).track]
    goals = {aim.goal.id for track in tracks for aim in track.aims}
    assert {f"goal/{name}-v1" for name in ("membership", "attribute", "reconstruction")} < goals
    assert len({track.dataset.id for track in tracks}) > 4
    assert len({aim.threat.facts for track in tracks for aim in track.aims}) > 4
    handed_in = {tuple(phase.submit for phase in track.phase) for track in tracks}
    assert {("guess",), ("release", "guess")} <= handed_in
