"""How many friends lift an attacker: counted with the rules of an edition, warned of by lint."""

import numpy as np
import pytest

from quintain.contests import load
from quintain.runs.accomplices import (
    HonestContest,
    MadeUp,
    decided_by_friends,
    friends_needed,
    share_of_wins,
)

EDITION = """
format = "quintain.edition/1"
id = "mine"
title = "Mine"
goal = { use = "membership" }
dataset = { use = "adult", rows = 1000 }
sample = { use = "targets", targets = 50, members = "half", background = 50 }
knowledge = { gives = ["base"] }
privacy = [{ use = "auc" }]
phase = [{ id = "protect", submit = "release" }, { id = "attack", submit = "guess" }]
board = [{ id = "defenders", use = "defence", measure = "auc" }, { id = "attackers", BOARD }]
"""


@pytest.fixture
def parse(tmp_path):
    """Reads the text of an edition."""

    def read(text):
        path = tmp_path / "mine.toml"
        path.write_text(text)
        return load(path)

    return read


@pytest.fixture
def needed(parse):
    """Counts the friends that the last board of an edition asks for."""

    def count(board, teams, most=None, edition=EDITION):
        track = parse(edition.replace("BOARD", board)).track[0]
        made_up = MadeUp(track, HonestContest(teams=teams))
        return friends_needed(made_up, track.board[-1], most or teams - 2)

    return count


MEAN = 'use = "mean", measure = "auc"'


@pytest.mark.slow
def test_one_friend_decides_a_mean_and_half_of_the_teams_a_median(needed):
    assert needed(MEAN, 10) == 1
    assert needed(f"{MEAN}, trim = 0.5", 10) >= 4
    assert needed('use = "formula", of = "attackers", formula = "mean(auc)"', 10) == 1
    assert needed('use = "formula", of = "attackers", formula = "median(auc)"', 10) >= 4
    assert needed('use = "count-wins", measure = "auc"', 10) > 1


DEFENCE = 'use = "defence", measure = "auc", attackers = "mean"'


@pytest.mark.slow
def test_one_who_answers_wrongly_decides_a_mean_over_attackers(needed):
    assert needed(DEFENCE, 10) == 1
    assert needed(f"{DEFENCE}, trim = 0.5", 10) >= 4
    assert needed('use = "defence", measure = "auc"', 10) >= 6
    formula = 'use = "formula", formula = "1 - {}(auc)"'
    assert needed(formula.format("mean"), 10) == 1
    assert needed(formula.format("median"), 10) >= 4


@pytest.mark.slow
def test_a_friend_must_keep_its_place_among_the_first(needed):
    first = f'{MEAN}, board = "defenders", top = 3'
    assert needed(first, 4) == 1  # all releases of others are among the first three
    assert needed(first, 12, most=3) is None


@pytest.mark.slow
def test_releases_of_the_organisers_count_beside_those_of_teams(needed):
    keeps = ", ".join(f"0.{i}" for i in range(11, 41))
    line = f'sanitizer = [{{ use = "rr", grid = {{ keep = [{keeps}] }} }}]\n'
    assert needed(MEAN, 10, edition=EDITION + line) > needed(MEAN, 10)


@pytest.mark.slow
def test_without_friends_an_average_attacker_wins_as_often_as_others(parse):
    track = parse(EDITION.replace("BOARD", MEAN)).track[0]
    made_up = MadeUp(track, HonestContest(teams=5, skill=0.0))
    share = share_of_wins(made_up, track.board[-1], np.copy, contests=400, seed=3)
    assert share == pytest.approx(0.2, abs=0.07)


@pytest.mark.slow
def test_the_warning_names_how_many_of_how_many(parse):
    edition = parse(EDITION.replace("BOARD", MEAN))
    (finding,) = decided_by_friends(edition, edition.track[0])
    assert (finding.severity, finding.check) == ("warning", "accomplices")
    assert "on the board attackers, 1 of 10 teams" in finding.message


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["hide-and-seek", "mico", "mico-answers", "trips", "trips-both", "two-goals", "darc",
             "amic", "recipes", "jury", "snake1"],
)  # fmt: skip
def test_the_editions_that_are_shipped_need_no_warning(name):
    edition = load(name)
    findings = [f for track in edition.track for f in decided_by_friends(edition, track)]
    assert findings == []


@pytest.mark.slow
def test_the_rules_of_2020_are_warned_of():
    edition = load("hide-and-seek", profile="compat-2020")
    findings = [finding.message for finding in decided_by_friends(edition, edition.track[0])]
    assert ["hiders-mean, 1 of 10" in findings[0], "seekers, 1 of 10" in findings[1]] == [True] * 2
    assert len(findings) == 2


@pytest.mark.slow
def test_found_records_are_made_up_where_a_board_needs_them(needed):
    board = 'use = "formula", of = "attackers", formula = "sum(1 / found_by)"'
    edition = EDITION.replace('"auc"', '"membership-advantage"', 1)
    edition = edition.replace('measure = "auc"', 'measure = "membership_advantage"')
    assert needed(board, 6, edition=edition) == 1
