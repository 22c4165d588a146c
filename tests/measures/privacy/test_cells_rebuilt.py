"""Cells rebuilt: right cells, near cells, rare cells, and what members have beyond controls."""

import numpy as np
import pytest

import quintain as q
from quintain.guesses.reconstruction import Reconstruction
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.cells_rebuilt import (
    CellsByRarity,
    CellsExact,
    CellsNear,
    _HiddenCells,
    _reading,
    _spread,
)
from quintain.testing import case_of

GOAL = Reconstruction(columns=("colour", "size"))


def case(members, colours, sizes, guessed_colours, guessed_sizes):
    names = [f"t{number}" for number in range(len(members))]
    truth = {"target": names, "member": members, "colour": colours, "size": sizes}
    guess = {"target": names, "colour": guessed_colours, "size": guessed_sizes}
    return case_of(GOAL, truth, guess)


def drawn(rng, people=80, member_share=0.5, control_share=0.5):
    """A case in which a share of the cells of members and of controls is right."""
    members = np.arange(people) % 2
    colours = rng.choice(["red", "green", "blue"], people, p=[0.7, 0.2, 0.1])
    sizes = rng.integers(-2, 10, people)
    right = rng.random((2, people)) < np.where(members, member_share, control_share)
    wrong = {"red": "green", "green": "blue", "blue": "red"}
    guessed = [c if ok else wrong[c] for c, ok in zip(colours, right[0], strict=True)]
    numbers = np.where(right[1], sizes, (sizes + 8) % 12 - 2)
    return case(members.tolist(), colours.tolist(), sizes.tolist(), guessed, numbers.tolist())


def values(measure, *cases):
    return {n: r.value for n, r in measure.measure(cases, rng=reading_rng()).items()}


def test_members_and_controls_are_counted_apart():
    one = case([1, 1, 0, 0], ["red"] * 4, [1, 2, 3, 4], ["red"] * 4, [1, 2, 3, 9])
    read = values(CellsExact(), one)
    assert read["exact_members"] == 1.0
    assert read["exact_learned"] == 0.75
    assert read["exact_memorised"] == 0.25
    assert read["exact_over_blind"] == 0.5  # red for everybody is right, one size is not


def test_numbers_count_within_the_tolerance_and_categories_do_not():
    one = case([1, 0], ["red", "red"], [3, 3], ["blue", "red"], [4, 9])
    assert values(CellsExact(), one)["exact_members"] == 0.0
    assert values(CellsNear(tolerance=1 / 11), one)["near_members"] == 0.5
    assert values(CellsNear(tolerance=0.0), one) == {
        name.replace("exact", "near"): value for name, value in values(CellsExact(), one).items()
    }


def test_for_all_targets_together_a_column_scores_its_mean_recall():
    rng = np.random.default_rng(3)
    one = drawn(rng, people=200)
    truth, guess = one.truth.table, one.guess.table
    both = []
    for name in GOAL.columns:
        true, given = truth.columns[name], guess.columns[name]
        both.append(np.mean([(given[true == v] == v).mean() for v in np.unique(true)]))
    everybody = truth.replace({"member": np.ones(200, np.int32)})
    # One more control makes the readings exist; it has the weight of its own values only.
    cells = CellsByRarity()._cells([Case(type(one.truth)(everybody), one.guess)])
    assert cells.share(cells.inside, cells.right)[0] == pytest.approx(np.mean(both))


def test_the_most_frequent_value_scores_one_over_the_number_of_values():
    colours = ["red"] * 6 + ["green"] * 2 + ["red"] * 6 + ["green"] * 2
    one = case([1] * 8 + [0] * 8, colours, [5] * 16, ["red"] * 16, [5] * 16)
    read = values(CellsByRarity(), one)
    assert read["rarity_members"] == pytest.approx((1 / 2 + 1) / 2)
    assert read["rarity_over_blind"] == pytest.approx(0)


def test_repetitions_are_pooled():
    rng = np.random.default_rng(5)
    first, second = drawn(rng, member_share=0.9), drawn(rng, member_share=0.1)
    means = [values(CellsExact(), one)["exact_members"] for one in (first, second)]
    assert values(CellsExact(), first, second)["exact_members"] == pytest.approx(np.mean(means))


def test_without_a_control_nothing_is_measured():
    one = case([1, 1], ["red"] * 2, [1, 2], ["red"] * 2, [1, 2])
    readings = CellsExact().measure([one], rng=reading_rng())
    assert {r.note for r in readings.values()} == {"all targets are of one class"}


def test_shares_of_all_or_nothing_have_intervals_with_a_length():
    one = case([1, 1, 0, 0], ["red"] * 4, [1] * 4, ["red"] * 4, [1] * 4)
    reading = CellsExact().measure([one], rng=reading_rng())["exact_memorised"]
    assert reading.low < 0 < reading.high


@pytest.mark.slow
@pytest.mark.parametrize("measure", [CellsExact(), CellsByRarity()])
def test_the_interval_of_the_difference_covers_it(measure):
    rng = np.random.default_rng(11)
    first = next(iter(measure.reads))
    readings = [
        measure.measure([drawn(rng, 120, 0.6, 0.4)], rng=reading_rng())[first] for _ in range(300)
    ]
    covered = np.mean([r.low <= 0.2 <= r.high for r in readings])
    assert covered > 0.92  # 95 % with 300 draws, and three deviations


def test_members_whose_every_cell_is_right_are_found():
    one = case([1, 1, 0], ["red"] * 3, [1, 2, 3], ["red"] * 3, [1, 3, 3])
    assert CellsExact().found_records(one).tolist() == [True, False, False]


def test_a_missing_value_is_right_if_it_is_guessed_to_be_missing():
    from quintain.data import Column, Schema, Table
    from quintain.guesses import Guess, Truth

    pay = Column(name="pay", kind="real", low=0, high=10, nullable=True)
    goal = Reconstruction(columns=("pay",))
    data = Schema(columns=(pay,))
    truth = Table.of(goal.truth_schema(data), {"target": "ab", "member": [1, 0], "pay": [None, 5]})
    guess = Table.of(goal.guess_schema(data), {"target": "ab", "pay": [None, None]})
    readings = q.measure("cells-near", Guess(guess), Truth(truth))
    assert readings["near_members"].value == 1.0
    assert readings["near_learned"].value == 0.0


def test_a_share_counts_one_more_person_with_all_right_and_one_with_none():
    each = np.array([1.0, 0.0, 0.5])
    share = 0.5
    deviations = [*(each - share), 1 - share, 0 - share]
    assert _spread(share, each) == pytest.approx(sum(d**2 for d in deviations) / 4 / 3)
    deviations = [*(each - 0.2), 1 - 0.2, 0 - 0.2]
    assert _spread(0.2, each) == pytest.approx(sum(d**2 for d in deviations) / 4 / 3)


def test_an_interval_ends_where_shares_end():
    reading = _reading(0.5, 0.01, 7, 0.0)
    assert (reading.low, reading.high) == pytest.approx((0.5 - 0.1959964, 0.5 + 0.1959964))
    assert (reading.value, reading.n) == (0.5, 7)
    assert (_reading(0.9, 0.04, 7, 0.0).high, _reading(0.1, 0.04, 7, 0.0).low) == (1.0, 0.0)
    assert _reading(-0.9, 0.04, 7, -1.0).low == -1.0


def test_the_share_of_a_group_is_the_mean_over_columns_by_weight():
    weights = np.array([[1.0, 3.0, 1.0], [1.0, 1.0, 1.0]])
    right = np.array([[True, False, True], [True, True, False]])
    cells = _HiddenCells(np.array([True, True, False]), right, right, weights)
    share, each = cells.share(cells.inside, cells.right)
    assert share == pytest.approx((1 / 4 + 2 / 2) / 2)
    # Half the sum of weight times what is beyond the share, over the mean weight.
    first = (1 * (1 - 0.25) / 2, 3 * (0 - 0.25) / 2)
    assert each == pytest.approx([share + first[0] / 2, share + first[1] / 2])
    assert each.mean() == pytest.approx(share)


def test_one_class_of_targets_says_nothing():
    for members in ([1, 1], [0, 0]):
        one = case(members, ["red"] * 2, [1, 2], ["red"] * 2, [1, 2])
        read = CellsExact().measure([one], rng=reading_rng())
        assert not any(reading.measured for reading in read.values())
    two = case([1, 0], ["red"] * 2, [1, 2], ["red"] * 2, [1, 2])
    read = CellsExact().measure([two], rng=reading_rng())
    assert [reading.n for reading in read.values()] == [2, 1, 1, 1]
    assert [reading.low >= -1 for reading in read.values()] == [True] * 4
