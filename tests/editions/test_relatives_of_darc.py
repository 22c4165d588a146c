"""Relatives of DARC whose attackers may say more or less: edition files, and at most a measure."""

from typing import ClassVar

import numpy as np
import pytest
from scipy.special import gammaln

from quintain.contests import load
from quintain.guesses import Guess
from quintain.guesses.linkage import Linkage
from quintain.measures import Case, GuessMeasure, Reading, reading_rng
from quintain.registry import register
from quintain.runs.organising.hand_over import hand_over
from quintain.runs.score import score
from quintain.runs.submissions.submit import submit
from tests.contest_folders import prepared

# PWSCup 2018: attackers stake as many pseudonyms as they like; a release is shot down if so many
# are right that luck, with one chance in three, would hardly have it.
PWSCUP_2018 = """\
include = "darc"
id = "pwscup-2018"
title = "PWSCup 2018"
baseline = []
award = []
dataset.rows = 1500

[[team]]
id = "red"

[[team]]
id = "blue"

[[privacy]]
use = "shot-down"

[[privacy]]
use = "shopping-baselines"

[[board]]
id = "survivors"
use = "defence"
measure = "shot_down"
shown = "risk"
utility = "U"

[[board]]
id = "attackers"
use = "mean"
measure = "shot_down"
"""

# INSAnonym: any number of names for a cell, worth one over their number if one is right.
INSANONYM = """\
include = "darc"
id = "insanonym"
title = "INSAnonym"
baseline = []
dataset.rows = 1500
goal = { use = "linkage", first = "2010-12", months = 13, guesses = 100 }

[[team]]
id = "red"

[[team]]
id = "blue"

[[privacy]]
use = "reidentification"
name = "reidentified"
credit = "shared"

[[privacy]]
use = "shopping-baselines"

[[privacy]]
use = "content-link"
counted = ["names", "rows", "persons"]

[[privacy]]
use = "content-link"
counted = ["names", "rows", "persons"]
by = "whole"
"""


def needed(staked, p=1 / 3, alpha=0.01 / 20):
    """The least number of hits that shoots down, by the formula of 2018: sum of C(n, i) p^i.

    A binomial tail would have (1 - p)^(n - i), too; without it, more hits are asked for.
    """
    i = np.arange(staked + 1)
    log = gammaln(staked + 1) - gammaln(i + 1) - gammaln(staked - i + 1) + i * np.log(p)
    tail = np.logaddexp.accumulate(log[::-1])[::-1]
    enough = np.flatnonzero(tail < np.log(alpha))
    return int(enough[0]) if len(enough) else staked + 1


@register("shot-down-v1")
class ShotDown(GuessMeasure):
    """Whether more staked names were right than luck would have it."""

    reads_goal: ClassVar = (Linkage,)
    reads: ClassVar = {"shot_down": "lower"}  # 1 if the release is shot down

    def measure(self, cases, *, rng):
        """Test the stake of every case."""
        down, staked = 0, 0
        for case in cases:
            hits, named = stake(case.truth.table, case.guess.table)
            down, staked = max(down, int(named > 0 and hits >= needed(named))), staked + named
        return {"shot_down": Reading.exact(float(down), max(staked, 1), "lower")}


def stake(truth, guess):
    person, *months = truth.schema.names
    row = {name: i for i, name in enumerate(guess.columns[person].astype(str))}
    rows = [row[name] for name in truth.columns[person].astype(str)]
    hits = named = 0
    for month in months:
        said = guess.columns[month].astype(str)[rows]
        named += int((said != "").sum())
        hits += int(((said == truth.columns[month].astype(str)) & (said != "")).sum())
    return hits, named


@pytest.mark.parametrize(("staked", "least"), [(7, 7), (100, 65), (1000, 612)])
def test_the_published_thresholds_of_2018(staked, least):
    assert needed(staked) == least


@pytest.fixture
def contest(tmp_path):
    """A prepared contest by one of the rules above, with a release of red."""

    def make(text):
        (tmp_path / "edition.toml").write_text(text)
        folder = prepared(tmp_path / "run", load(tmp_path / "edition.toml"), seed=1)
        head, *rows = (
            (folder.root / "teams/red/main/private.csv").read_text().rstrip("\n").split("\n")
        )
        named = ["p" + row for row in rows]
        submit(folder, "red", {"A.csv": "\n".join([head, *named]).encode()}, kind="release")
        hand_over(folder)
        track = folder.edition().track[0]
        (task,) = folder.tasks(track)
        return folder, folder.truth(track, task), folder.question(track, task)

    return make


def answer(truth, keep, more=""):
    """The truth for the first cells that hold a name, and nothing for the rest."""
    table = truth.table
    columns, left = dict(table.columns), keep
    for month in table.schema.names[1:]:
        cells = table.columns[month].astype(object)
        for row in np.flatnonzero(cells != ""):
            if left <= 0:
                cells[row] = ""
            else:
                cells[row] += more
                left -= 1
        columns[month] = cells.astype(str)
    return Guess(type(table)(table.schema, columns))


def as_csv(guess):
    from quintain.data.files import to_bytes

    return to_bytes(guess.table, ".csv")


def test_seven_sure_names_shoot_a_release_down_and_six_do_not(contest):
    folder, truth, _ = contest(PWSCUP_2018)
    for keep, down in ((6, 0.0), (7, 1.0)):
        case = Case(truth, answer(truth, keep))
        assert ShotDown().measure([case], rng=reading_rng())["shot_down"].value == down
    submit(folder, "blue", {"red.1.csv": as_csv(answer(truth, 7))}, kind="guess")
    found = score(folder)["main"]
    assert found.cells["red.1", "blue"]["shot_down"].value == 1.0


def test_a_name_among_four_is_worth_a_quarter(contest):
    folder, truth, _ = contest(INSANONYM)
    guess = answer(truth, 10**9, more=":x:y:z")
    submit(folder, "blue", {"red.1.csv": as_csv(guess)}, kind="guess")
    found = score(folder)["main"]
    assert found.cells["red.1", "blue"]["reidentified"].value == pytest.approx(0.25)
