"""Readings of subgroups: who is read, what is reported of several groups, and how sure it is."""

import math

import numpy as np
import pytest
from benchmarks.scoring.formula_intervals import coverage
from pydantic import ValidationError

from quintain.contests.fields import MeasuredPrivacy, MeasuredUtility
from quintain.data import Column, Schema, Table
from quintain.guesses import Guess, Truth
from quintain.guesses.membership import Membership, MembershipQuestion
from quintain.measures import Case, Reading
from quintain.measures.privacy.roc_curve import Auc, auc
from quintain.measures.subgroups import GroupSplit, NumberRange, Subgroups, mean_group, worst_group
from quintain.releases import NumberedRelease

COLUMNS = (
    Column(name="race", kind="category", values=("White", "Black", "Other")),
    Column(name="age", kind="integer", low=0, high=99),
    Column(name="pay", kind="real", nullable=True),
)
DATA = Schema(columns=COLUMNS)


def people(rows=60, seed=0):
    """Rows of people: two of three are white, the others black; nobody is other."""
    rng = np.random.default_rng(seed)
    return Table(
        DATA,
        {
            "race": (np.arange(rows) % 3 == 0).astype(int),
            "age": np.arange(rows),
            "pay": rng.normal(size=rows),
        },
    )


def membership(rows=60, seed=0):
    """An answered question about these people; every second one is a member."""
    table, rng = people(rows), np.random.default_rng(seed)
    names = np.arange(rows)
    goal = Membership()
    question = Table(goal.question_schema(DATA), {"target": names, **table.columns})
    members = names % 2 == 0
    scores = rng.random(rows) / 2 + members * rng.random(rows) / 2
    truth = Table(goal.truth_schema(DATA), {"target": names, "member": members})
    order = rng.permutation(rows)
    guess = Table(goal.guess_schema(DATA), {"target": names, "probability": scores}).take(order)
    return Case(Truth(truth), Guess(guess), MembershipQuestion(question)), members, scores


def read(case, **keys):
    return MeasuredPrivacy.model_validate({"use": "auc", **keys}).of_guesses([case])


@pytest.mark.parametrize(
    ("subgroup", "name", "inside"),
    [
        ({"race": "Black"}, "auc_race_black", lambda i: i % 3 == 0),
        ({"race": ["Black", "White"]}, "auc_race_black_or_white", lambda i: i >= 0),
        ({"age": {"at_least": 20, "below": 50}}, "auc_age_at_least_20_and_below_50", None),
        (
            {"race": "White", "age": {"at_most": 40}},
            "auc_age_at_most_40_race_white",
            lambda i: (i % 3 != 0) & (i <= 40),
        ),
    ],
)
def test_a_subgroup_is_read_as_if_only_its_targets_had_been_asked_about(subgroup, name, inside):
    case, members, scores = membership()
    inside = inside or (lambda i: (i >= 20) & (i < 50))
    mask = inside(np.arange(60))
    expected = auc(members[mask], scores[mask])
    assert read(case, subgroup=subgroup) == {name: expected}
    assert expected.n == mask.sum()


def test_the_name_does_not_depend_on_the_order_of_keys():
    one = Subgroups.of({"race": "Black", "age": 3}, None)
    other = Subgroups.of({"age": 3, "race": "Black"}, None)
    assert one.names_of("auc") == other.names_of("auc") == ("auc_age_3_race_black",)


def test_each_group_has_a_reading_and_a_given_name_begins_their_names():
    case, members, scores = membership()
    split = {"by": "race", "report": "each", "values": ["Black", "White"]}
    readings = read(case, subgroups=split, name="risk")
    black = np.arange(60) % 3 == 0
    assert readings == {
        "risk_race_black": auc(members[black], scores[black]),
        "risk_race_white": auc(members[~black], scores[~black]),
    }


def test_worst_and_mean_of_groups_by_hand():
    groups = [
        Reading(value=0.6, low=0.5, high=0.7, n=40, better="lower"),
        Reading(value=0.8, low=0.6, high=0.9, n=20, better="lower"),
    ]
    worst = worst_group(groups, Auc())
    # Two intervals of 97.5 % hold together: 2.2414 / 1.9600 times as long.
    longer = 2.241402727604945 / 1.959963984540054
    assert (worst.value, worst.n) == (0.8, 20)
    assert worst.low == pytest.approx(0.8 - 0.2 * longer)
    assert worst.high == pytest.approx(0.8 + 0.1 * longer)
    mean = mean_group(groups, Auc())
    assert (mean.value, mean.n) == (pytest.approx(0.7), 60)
    assert mean.low == pytest.approx(0.7 - math.hypot(0.1, 0.2) / 2)
    assert mean.high == pytest.approx(0.7 + math.hypot(0.1, 0.1) / 2)


def test_the_worst_group_is_the_lowest_where_higher_is_better():
    groups = [Reading.exact(v, 10, "higher") for v in (0.9, 0.4, 0.6)]
    assert worst_group(groups, Auc()).value == 0.4


def test_groups_without_people_are_left_out_unless_they_are_named():
    case, *_ = membership()
    (worst,) = read(case, subgroups={"by": "race", "report": "worst"}).values()
    assert worst.measured and "worst of 2 groups" in worst.method
    named = {"by": "race", "report": "worst", "values": ["White", "Other"]}
    (missing,) = read(case, subgroups=named).values()
    assert missing.note == "race = Other: race = Other has 0 targets; at least 10 are needed"


def test_too_few_targets_cannot_be_measured_in_words_with_numbers():
    case, *_ = membership()
    (reading,) = read(case, subgroup={"age": {"below": 7}}).values()
    assert not reading.measured
    assert reading.note == "age = below 7 has 7 targets; at least 10 are needed"


def test_a_target_with_several_rows_belongs_to_every_group_of_its_rows():
    case, *_ = membership()
    rows = case.question.table
    second = rows.take(np.arange(10)).replace({"race": np.full(10, 2)})
    wide = Case(case.truth, case.guess, MembershipQuestion(rows.concat(second)))
    (other,) = read(wide, subgroup={"race": "Other"}).values()
    assert other.n == 10


def utility(**keys):
    return MeasuredUtility.model_validate({"use": "marginals", **keys})


def test_a_release_is_read_by_the_rows_of_the_group_in_both_tables():
    original, release = people(), people(seed=1)
    black = np.arange(60) % 3 == 0
    expected = utility().of_release(original.take(black), release.take(black), None)
    readings = utility(subgroup={"race": "Black"}).of_release(original, release, None)
    assert list(readings.values()) == list(expected.values())
    assert list(readings) == [f"{name}_race_black" for name in expected]


def test_who_deletes_a_group_does_not_get_rid_of_its_reading():
    original = people()
    release = original.take(np.arange(60) % 3 != 0)
    readings = utility(subgroups={"by": "race", "report": "worst"}).of_release(
        original, release, None
    )
    (note,) = {reading.note for reading in readings.values()}
    assert note.endswith("race = Black has 0 released records; at least 10 are needed")


def test_records_that_name_their_private_record_follow_it_whatever_they_say_now():
    original = people()
    black = np.arange(60) % 3 == 0
    changed = original.replace({"race": np.zeros(60, int)})  # nobody is black any more
    numbered = NumberedRelease(changed, np.arange(60)).with_numbers()
    measured = MeasuredUtility.model_validate({"use": "equal-cells", "subgroup": {"race": "Black"}})
    readings = measured.of_release(original, numbered.take(np.arange(59, -1, -1)), None)
    whole = MeasuredUtility.model_validate("equal-cells")
    expected = whole.of_release(original.take(black), changed.take(black), None)
    assert [r.value for r in readings.values()] == [r.value for r in expected.values()]


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "a range needs"),
        ({"at_most": 1, "below": 2}, "not both"),
        ({"at_least": 3, "at_most": 2}, "no number is at least 3 and at most 2"),
        ({"at_least": 3, "below": 3}, "no number is"),
        ({"at_least": float("inf")}, "finite"),
    ],
)
def test_ranges_that_hold_nobody_are_refused(given, words):
    with pytest.raises(ValidationError, match=words):
        NumberRange(**given)


def test_each_needs_values_whose_names_differ():
    with pytest.raises(ValidationError, match="needs values"):
        GroupSplit(by="race", report="each")
    with pytest.raises(ValidationError, match="spelled 'a_b'"):
        GroupSplit(by="race", report="each", values=("a-b", "A b"))


def test_measures_without_subgroups_are_written_as_before():
    keys = set(MeasuredPrivacy.model_validate("auc").model_dump())
    assert keys == {"measure", "name", "at_least", "at_most", "gates"}


def test_the_worst_of_several_groups_has_no_known_chance():
    worst = MeasuredPrivacy.model_validate(
        {"use": "auc", "subgroups": {"by": "race", "report": "worst"}}
    )
    assert worst.chance == {}
    assert MeasuredPrivacy.model_validate({"use": "auc", "subgroup": {"race": "Black"}}).chance == {
        "auc_race_black": 0.5
    }
    assert worst.caption("auc_race_worst").endswith("The worst group by race.")


def test_intervals_of_groups_and_of_formulas_over_them_hold():
    """As often as they say, within three standard errors of 150 draws; the benchmark has more."""
    rates = coverage((0.3,) * 5, 150, rng=np.random.default_rng(1))
    assert min(rates.values()) >= 0.95 - 3 * math.sqrt(0.95 * 0.05 / 150), rates
