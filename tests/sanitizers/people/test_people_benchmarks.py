"""The benchmarks of people at a tiny size."""

import numpy as np
import pytest
from benchmarks.people import attacks, distinguish, marginals
from benchmarks.people.data import simulated

PATIENTS = simulated(120)


def test_errors_are_distances_of_marginals():
    assert set(marginals.errors(PATIENTS, PATIENTS).values()) == {0}
    turned = PATIENTS.take(np.arange(PATIENTS.size)[::-1])
    assert set(marginals.errors(PATIENTS, turned).values()) == {0}
    visits = len(PATIENTS.tables["visits"])
    mixed = np.random.default_rng(1).permutation(visits)
    place = PATIENTS.tables["visits"].rows.columns["place"][mixed]
    moved = marginals.errors(PATIENTS, PATIENTS.replace("visits", {"place": place}))
    assert moved["columns"] == moved["numbers"] == 0
    assert moved["pairs across"] > 0.02


def test_both_ways_give_people_and_a_line():
    for make in (marginals.together, marginals.apart):
        line = marginals.line("way", PATIENTS, make, 10.0, 3, 1)
        assert line.startswith("| way | 10 | 0.")
    kept = marginals.random_rows(
        marginals.stages(PATIENTS, 9)["visits"], 2, np.random.default_rng()
    )
    assert np.bincount(PATIENTS.tables["visits"].person[kept]).max() == 2


def test_the_added_person_is_the_worst_case():
    more, fewer = distinguish.neighbours()
    assert more.size == fewer.size + 1
    assert more.tables["visits"].lengths()[-1] == distinguish.MOST
    assert distinguish.line(1.0, 3, fault=False).startswith("| people-marginals | 1 | 0.00 |")


@pytest.mark.slow
def test_rows_and_histories_find_people_under_new_pseudonyms(monkeypatch, tmp_path):
    monkeypatch.setattr(attacks, "FOLDER", tmp_path)
    game = attacks.play("new pseudonyms", 15, 1)
    rows, tables, _, histories, learned = attacks.lines("new pseudonyms", [game])
    assert rows.startswith("| new pseudonyms | rows | 1.000 (")
    assert tables.startswith("| new pseudonyms | tables | 1.000 (")
    assert all("| – |" in line for line in (rows, tables, learned))
    assert "| 1.00 | 1.00 | 1.00 |" in histories
