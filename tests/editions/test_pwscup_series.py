"""The rules of PWSCup 2023 in two rounds, with rules that need no formula.

The matrices are small, and what must come out is computed here from the rules.
"""

import csv

import numpy as np
import pytest

from quintain.contests import load
from quintain.runs.standalone.matrix import rank_matrix

# 2023: privacy is one minus the best attack, averaged with utility; attackers are averaged over
# everybody else's release; ties are broken; preliminary and final round count 1 to 9.
EDITION_2023 = """\
include = "tiny"
id = "pwscup-2023"
title = "PWSCup 2023"
sanitizer = []
baseline = []

[[phase]]
id = "anonymize"
submit = "release"

[[phase]]
id = "attack"
submit = "guess"

[[privacy]]
use = "auc"
name = "inferred"

[[utility]]
use = "histogram"
name = "utility"

[[board]]
id = "attackers"
use = "mean"
measure = "inferred"

[[board]]
id = "anonymizers"
use = "defence"
measure = "inferred"
utility = "utility"
ties = ["attackers"]

[[overall]]
id = "anonymizers"
use = "weighted-sum"
boards = { "pre/anonymizers" = 0.1, "main/anonymizers" = 0.9 }

[[track]]
id = "pre"

[[track]]
id = "main"
"""


@pytest.fixture
def round_files(tmp_path):
    """A matrix of five teams, their utilities, and both as arrays."""

    def make(seed, tie=False):
        rng = np.random.default_rng(seed)
        attacks = np.round(rng.uniform(0.2, 0.9, (5, 5)), 3)  # attackers x entries
        utility = np.round(rng.uniform(0.3, 0.9, 5), 3)
        if tie:
            attacks[:, 1], utility[1] = attacks[:, 0], utility[0]
            attacks[0, 1] = attacks[1, 0] = attacks[2:, 0].min() / 2
        np.fill_diagonal(attacks, np.nan)
        teams = [f"t{i}" for i in range(5)]
        cells = [["", *teams]]
        cells += [
            [team, *("" if np.isnan(v) else str(v) for v in row)]
            for team, row in zip(teams, attacks.tolist(), strict=True)
        ]
        read = [["entry", "utility"], *([t, str(u)] for t, u in zip(teams, utility, strict=True))]
        for name, rows in ((f"cells{seed}.csv", cells), (f"utility{seed}.csv", read)):
            with (tmp_path / name).open("w", newline="") as file:
                csv.writer(file).writerows(rows)
        return tmp_path / f"cells{seed}.csv", tmp_path / f"utility{seed}.csv", attacks, utility

    return make


def edition(tmp_path, text):
    path = tmp_path / "edition.toml"
    path.write_text(text)
    return load(path)


def scores(board):
    return np.array([board.score_of(f"t{i}").value for i in range(5)])


def test_the_rules_of_2023(tmp_path, round_files):
    rules = edition(tmp_path, EDITION_2023)
    cells, read, attacks, utility = round_files(1)
    boards = {
        board.id: board
        for board in rank_matrix(rules, rules.track_by_id("main"), cells, utility=read).boards
    }
    expected = (utility + 1 - np.nanmax(attacks, axis=0)) / 2
    assert scores(boards["anonymizers"]) == pytest.approx(expected, abs=5e-6)
    assert scores(boards["attackers"]) == pytest.approx(np.nanmean(attacks, axis=1), abs=5e-6)


def test_ties_of_2023_are_broken_by_the_attack(tmp_path, round_files):
    rules = edition(tmp_path, EDITION_2023)
    cells, read, attacks, _ = round_files(2, tie=True)
    ranked = rank_matrix(rules, rules.track_by_id("main"), cells, utility=read).boards
    attackers, anonymizers = ranked
    both = scores(anonymizers)
    assert both[0] == both[1]
    better = 0 if np.nanmean(attacks[0]) > np.nanmean(attacks[1]) else 1
    assert anonymizers.rank_of(f"t{better}") + 1 == anonymizers.rank_of(f"t{1 - better}")
    assert attackers.rank_of(f"t{better}") < attackers.rank_of(f"t{1 - better}")


def test_two_rounds_of_2023(tmp_path, round_files):
    rules = edition(tmp_path, EDITION_2023)
    (first, read1, a1, u1), (second, read2, a2, u2) = round_files(3), round_files(4)
    (_, pre) = rank_matrix(rules, rules.track_by_id("pre"), first, utility=read1).boards
    given = tmp_path / "pre.csv"
    given.write_text("".join(f"{p.team},{p.score.value}\n" for p in pre.places))
    done = rank_matrix(
        rules,
        rules.track_by_id("main"),
        second,
        utility=read2,
        given={"pre/anonymizers": given},
    )
    expected = 0.1 * (u1 + 1 - np.nanmax(a1, axis=0)) / 2 + 0.9 * (u2 + 1 - np.nanmax(a2, 0)) / 2
    assert scores(done.overall[0]) == pytest.approx(expected)


def test_a_utility_file_with_faults_is_refused_with_all_of_them(tmp_path, round_files):
    rules = edition(tmp_path, EDITION_2023)
    cells, read, *_ = round_files(6)
    read.write_text("entry,usefulness\nt0,0.5\nnobody,0.2\nt1,much\n")
    with pytest.raises(Exception, match="usefulness") as caught:
        rank_matrix(rules, rules.track_by_id("main"), cells, utility=read)
    # A name nothing reads, an entry nobody made, a word for a number; t2, t3 and t4 have no line.
    assert len(caught.value.faults) == 6
