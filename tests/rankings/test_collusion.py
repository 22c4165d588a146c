"""Who knew a release too well: a friend's release stands out, and honest contests are let alone."""

import csv

import numpy as np
import pytest

from quintain.measures import Reading
from quintain.rankings import Contestant, Entry, Results
from quintain.rankings.collusion import (
    _largest_of_others,
    _low_medians,
    polish,
    residual_pairs,
    stands_out,
)

BEST = (0.5, 1.0)


def results_of(found, *, baselines=0, better="lower", noise=0.03, entries=None):
    """Teams that attack each other's releases; the last rows are baselines."""
    attackers, releases = found.shape
    names = [f"t{a}" for a in range(attackers)]
    owners = names[: attackers - baselines]
    listed = tuple(Entry(f"r{e}", owners[e] if e < len(owners) else None) for e in range(releases))
    cells = {
        (entry.id, name): {
            "m": Reading(value=v, low=v - 2 * noise, high=v + 2 * noise, n=200, better=better)
        }
        for a, name in enumerate(names)
        for entry, v in zip(listed, found[a].tolist(), strict=True)
        if entry.owner != name and not np.isnan(v)
    }
    contestants = tuple(
        Contestant(name, competing=a < attackers - baselines) for a, name in enumerate(names)
    )
    return Results(listed, contestants, cells)


def guilty(results, within=BEST):
    pairs = residual_pairs(results, "m", within)
    return {(pair.attacker, pair.entry) for pair in pairs if stands_out(pair)}


def honest(rng, teams=8, baselines=6, releases=None, luck=0.02):
    shape = teams + baselines, releases or teams
    skill, weakness = 0.04 * rng.standard_exponential((shape[0], 1)), 0.03 * rng.random(shape[1])
    return np.clip(0.5 + skill + weakness + luck * rng.standard_normal(shape), 0, 1)


def test_the_releases_of_two_friends_stand_out():
    found = honest(np.random.default_rng(3))
    found[0, [2, 5]] = 0.98
    assert guilty(results_of(found, baselines=6)) == {("t0", "r2"), ("t0", "r5")}


def test_two_friends_of_four_hiders_are_seen_by_a_seeker_that_hides_nothing():
    found = np.random.default_rng(3).binomial(200, 0.5, (16, 4)) / 200
    found[4, 1:3] = 0.98
    assert guilty(results_of(found, baselines=11)) == {("t4", "r1"), ("t4", "r2")}


def test_friends_who_read_each_other_do_not_hide_it():
    found = honest(np.random.default_rng(4))
    found[np.ix_([0, 2, 5], [2, 5])] = 0.98
    assert ("t0", "r2") in guilty(results_of(found, baselines=6))


def test_a_reading_that_is_better_when_it_is_higher_for_people_is_turned():
    found = honest(np.random.default_rng(5))
    found[1, 3] = 1.0
    results = results_of(1 - found, baselines=6, better="higher")
    assert guilty(results, (0.5, 0.0)) == {("t1", "r3")}


def test_skill_and_weak_releases_are_no_agreement():
    found = honest(np.random.default_rng(6))
    found[0] += 0.3
    found[:, 3] += 0.15
    assert guilty(results_of(np.clip(found, 0, 1), baselines=6)) == set()


def test_what_a_baseline_finds_as_well_is_no_agreement():
    found = honest(np.random.default_rng(7))
    found[[0, 12], 2] = 0.97
    assert guilty(results_of(found, baselines=6)) == set()


def test_few_attacks_tell_nothing():
    found = honest(np.random.default_rng(8), teams=4, baselines=0)
    found[0, 2] = 0.98
    pairs = residual_pairs(results_of(found), "m", BEST)
    assert (pairs[0].attacker, pairs[0].entry, pairs[0].chance) == ("t0", "r2", None)


def test_organisers_baselines_and_own_releases_are_not_listed():
    found = honest(np.random.default_rng(9), releases=10)
    found[13, 1], found[0, 9] = 0.99, 0.99
    pairs = residual_pairs(results_of(found, baselines=6), "m", BEST)
    assert pairs
    assert {type(pair.chance) for pair in pairs} <= {float, type(None)}  # JSON takes no NumPy
    assert not {pair.attacker for pair in pairs} & {f"t{i}" for i in range(8, 14)}
    assert all(pair.owner not in ("", pair.attacker) for pair in pairs)


def test_of_a_hundred_contests_without_friends_at_most_four_have_a_pair():
    rng = np.random.default_rng(11)
    alarms = sum(bool(guilty(results_of(honest(rng), baselines=6))) for _ in range(100))
    assert alarms <= 4  # one is expected at most, and five have a chance of 0.4 %


def test_the_published_final_round_of_amic_has_no_pair(real_data):
    path = real_data / "amic_final_matrix.csv"
    if not path.is_file():
        pytest.skip(f"no published matrix: {path} is not there")
    with path.open() as file:
        head, *rows = csv.reader(file)
    names = [row[0] for row in rows]
    cells = {
        (entry, row[0]): {"m": Reading.exact(float(text) / 100, 100, "lower")}
        for row in rows
        for entry, text in zip(head[1:], row[1:], strict=True)
        if text.strip()
    }
    entries = tuple(Entry(name, name if name in names else None) for name in head[1:])
    results = Results(entries, tuple(map(Contestant, names)), cells)
    assert guilty(results, (0.0, 1.0)) == set()
    assert residual_pairs(results, "m", (0.0, 1.0))[0].residual > 0.5


def test_a_contest_without_readings_has_no_pairs():
    assert residual_pairs(Results((), (), {}), "m", BEST) == []
    entries, teams = (Entry("r", "a"),), (Contestant("a"), Contestant("b"))
    for reading in (Reading.missing("lower", "refused"), Reading.exact(float("inf"), 1, "lower")):
        results = Results(entries, teams, {("r", "b"): {"m": reading}})
        assert residual_pairs(results, "m", BEST) == []


def test_missing_readings_stay_missing():
    table = np.array([[np.nan, 0.5, np.nan], [0.2, 0.4, np.nan], [0.3, np.nan, np.nan]])
    left = polish(table)
    assert (np.isnan(left) == np.isnan(table)).all()
    assert np.nanmax(np.abs(left)) < 0.2


def noisy_pair(extra, noise, *, tables=1):
    """The chance of a residual of so much where all others are 0 and readings have this noise."""
    found = np.full((10, 10), 0.5)
    found[0, 5] += extra
    (pair,) = residual_pairs(results_of(found, baselines=2, noise=noise), "m", BEST, tables=tables)
    return pair


def test_the_chance_falls_with_the_fourth_power_of_the_residual_over_the_noise():
    # The interval reaches twice the noise each way: 1.96 standard deviations.
    deviation = 2 * 0.05 / 1.959964
    assert noisy_pair(0.4, 0.05).chance == pytest.approx((0.4 / deviation) ** -4, rel=1e-6)
    assert noisy_pair(0.4, 0.05, tables=3).chance == pytest.approx(
        3 * (0.4 / deviation) ** -4, rel=1e-6
    )
    assert noisy_pair(0.4, 0.6).chance == 1.0
    assert stands_out(noisy_pair(0.4, 0.05)) and not stands_out(noisy_pair(0.4, 0.14))
    # Who learned less than half of what there is to learn gained little by it.
    assert noisy_pair(0.25, 0.01).chance < 1e-3
    assert noisy_pair(0.24, 0.01).chance == 1.0


def test_a_pair_says_what_was_read_and_what_was_to_be_expected():
    pair = noisy_pair(0.4, 0.05)
    assert (pair.attacker, pair.entry, pair.owner) == ("t0", "r5", "t5")
    assert (pair.value, pair.expected) == pytest.approx((0.9, 0.5))
    assert pair.residual == pytest.approx(0.4)
    found = np.full((10, 10), 0.5)
    found[0, 5], found[1, 6], found[2, 7] = 0.1, 0.2, 0.05
    lower = residual_pairs(results_of(found, better="higher"), "m", (0.5, 0.0))
    assert [one.attacker for one in lower] == ["t2", "t0", "t1"]
    assert [one.residual for one in lower] == pytest.approx([0.45, 0.4, 0.3])
    assert [(one.value, one.expected) for one in lower] == [
        pytest.approx(two) for two in ((0.05, 0.5), (0.1, 0.5), (0.2, 0.5))
    ]


def test_the_lower_of_two_middle_numbers_is_the_median_and_nothing_is_0():
    values = np.array([[4.0, 1.0, np.nan], [2.0, 3.0, np.nan], [1.0, np.nan, np.nan]])
    assert _low_medians(values, 0).tolist() == [[2.0, 1.0, 0.0]]
    assert _low_medians(values, 1).tolist() == [[1.0], [2.0], [1.0]]
    assert _low_medians(np.full((1, 2), np.nan), 1).tolist() == [[0.0]]


def test_friends_of_an_attacker_and_short_tables_say_nothing():
    residual = np.zeros((13, 5))
    residual[1] = 0.3
    owners = [1, 2, 3, 4, 5]
    own = residual.copy()
    own[0, 0] = 1.0  # attacker 0 knows best the release of attacker 1
    assert _largest_of_others(own, 0, owners) == 0.0
    own[0, 1] = 0.5  # exactly half as much is not known as well
    own[2] = 0.2
    assert _largest_of_others(own, 0, owners) == 0.2
    own[0, 1] = 0.51
    assert _largest_of_others(own, 0, owners) == 0.0
    # 45 readings of three attackers are enough, and no fewer.
    wide = np.zeros((4, 15))
    wide[0, 0] = 1.0
    none = [None] * 15
    assert _largest_of_others(wide, 0, none) == 0.0
    fewer = wide.copy()
    fewer[1, 0] = np.nan
    assert _largest_of_others(fewer, 0, none) is None
    assert _largest_of_others(np.zeros((3, 40)), 0, [None] * 40) is None
    silent = np.zeros((4, 40))
    silent[3] = np.nan
    assert _largest_of_others(silent, 0, [None] * 40) is None
