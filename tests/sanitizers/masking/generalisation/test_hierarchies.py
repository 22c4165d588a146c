"""Hierarchies: the groups of each level, given in an edition file or derived from the data."""

import numpy as np
import pytest

from quintain.contests import load
from quintain.data import Column, Schema, Table
from quintain.errors import EditionError, PartError, Rejected
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.sanitizers import sanitize
from quintain.sanitizers.masking.generalisation.classes import DistinctValues
from quintain.sanitizers.masking.generalisation.hierarchies import (
    derived_hierarchy,
    given_hierarchy,
)


def values_of(cells, **facts):
    column = Column(name="x", **facts)
    return DistinctValues.of(Table.of(Schema(columns=(column,)), {"x": cells}), "x")


def groups(hierarchy, values):
    """For each level the values that are together, without the missing value."""
    cells = values.contents(np.arange(len(values.values))).tolist()
    return [
        sorted([v for v, g in zip(cells, level, strict=False) if g == at] for at in set(level[:-1]))
        for level in hierarchy.levels
    ]


def test_widths_start_at_zero_and_the_last_level_has_everybody():
    values = values_of([21, 24, 25, 38, 40], kind="integer", low=17, high=90)
    levels = groups(given_hierarchy("part", values, (5.0, 20.0)), values)
    stored = [[[v + 17 for v in group] for group in level] for level in levels]
    assert stored == [
        [[21], [24], [25], [38], [40]],
        [[21, 24], [25], [38], [40]],
        [[21, 24, 25, 38], [40]],
        [[21, 24, 25, 38, 40]],
    ]


def test_cut_points_begin_an_interval():
    values = values_of([17.5, 18.0, 64.0, 65.0], kind="real")
    hierarchy = given_hierarchy("part", values, ((18.0, 65.0), (65.0,)))
    assert groups(hierarchy, values)[1:3] == [[[17.5], [18, 64], [65]], [[17.5, 18, 64], [65]]]


def test_values_that_no_group_names_stay_by_themselves_and_missing_is_apart_until_the_end():
    letters = ("a", "b", "c", "d")
    values = values_of(["a", "b", "c", "d", None], kind="category", values=letters, nullable=True)
    hierarchy = given_hierarchy("part", values, ((("a", "b"),), (("a", "b", "c"),)))
    assert groups(hierarchy, values)[1:] == [[[0, 1], [2], [3]], [[0, 1, 2], [3]], [[0, 1, 2, 3]]]
    assert [int((level == level[-1]).sum()) for level in hierarchy.levels] == [1, 1, 1, 5]


def test_times_are_grouped_by_periods_or_between_times():
    days = ["2019-12-31", "2020-01-01", "2020-01-31", "2020-07-01"]
    values = values_of(days, kind="time")
    monthly = given_hierarchy("part", values, ("month", "year"))
    sizes = [[len(group) for group in level] for level in groups(monthly, values)]
    assert sizes == [[1, 1, 1, 1], [1, 2, 1], [1, 3], [4]]
    parted = given_hierarchy("part", values, (("2020-01-31",),))
    assert [len(group) for group in groups(parted, values)[1]] == [2, 2]


def test_derived_levels_of_numbers_halve_the_records():
    values = values_of(list(range(32)), kind="integer", low=0, high=99)
    sizes = [len(set(level[:-1])) for level in derived_hierarchy(values).levels]
    assert sizes == [32, 16, 8, 4, 2, 1]
    skewed = values_of([0] * 90 + list(range(1, 11)), kind="integer", low=0, high=99)
    assert [len(set(level[:-1])) for level in derived_hierarchy(skewed).levels] == [11, 3, 2, 1]


def test_derived_levels_of_categories_keep_the_most_frequent():
    cells = ["a"] * 5 + ["b"] * 4 + ["c"] * 3 + ["d"] * 2 + ["e"]
    values = values_of(cells, kind="category", values=("e", "d", "c", "b", "a"))
    assert groups(derived_hierarchy(values), values)[1:] == [
        [[0, 1, 2], [3], [4]],
        [[0, 1, 2, 3], [4]],
        [[0, 1, 2, 3, 4]],
    ]


def test_derived_levels_of_times_are_days_months_years_and_decades():
    moments = ["2020-01-01T00:00", "2020-01-01T12:00", "2020-01-02T00:00", "2020-02-01T00:00",
               "2021-01-01T00:00", "2031-01-01T00:00"]  # fmt: skip
    values = values_of(moments, kind="time", time_format="%Y-%m-%dT%H:%M")
    sizes = [len(set(level[:-1])) for level in derived_hierarchy(values).levels]
    assert sizes == [6, 5, 4, 3, 2, 1]


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ([0], "level 1: the width 0 must be above 0"),
        (["moon"], "level 1: unknown period 'moon'; did you mean 'month'"),
        ([[65, 18]], "level 1: the cut points must be in ascending order"),
        ([[["a", "b"], ["b"]]], "level 1: b appears twice"),
        ([5, []], "level 2 is empty"),
        (5, "the levels of a column are a list, such as"),
        (
            [[5, "a"]],
            "level 1 must be a width, a period, a list of cut points, or a list of groups",
        ),
        ([10, [[1, 2]]], "level 2 must be a width"),
        ([True], "level 1 must be a width"),
    ],
)
def test_levels_that_make_no_sense_are_refused_when_they_are_read(levels, words):
    with pytest.raises(Rejected, match=words):
        build("sanitizer", {"use": "k-anonymity", "hierarchies": {"x": levels}})


@pytest.mark.parametrize(
    ("facts", "levels", "words"),
    [
        ({"kind": "integer"}, (5.0, 12.0), "level 2 .* 12 is not a multiple of 5"),
        ({"kind": "real"}, ("month",), "expected a width such as 0.5"),
        ({"kind": "time"}, (5.0,), 'expected a period such as "month"'),
        ({"kind": "time"}, (("soon",),), "soon.*expected a time written"),
        ({"kind": "category", "values": ("ab", "c")}, ((("abb",),),), "did you mean 'ab'"),
        (
            {"kind": "category", "values": ("a", "b", "c")},
            ((("a", "b"),), (("b", "c"),)),
            "level 2 of its hierarchy splits a group of level 1",
        ),
    ],
)
def test_levels_that_do_not_fit_their_column_are_refused_with_the_column(facts, levels, words):
    schema = Schema(columns=(Column(name="x", **facts),))
    part = build("sanitizer", {"use": "k-anonymity", "hierarchies": {"x": levels}})
    with pytest.raises(PartError, match=f"column 'x': .*{words}"):
        part.require(schema)


def test_all_hierarchies_that_do_not_fit_are_named_at_once():
    columns = (Column(name="x", kind="real"), Column(name="y", kind="time"))
    levels = {"x": ["month"], "y": [5]}
    part = build("sanitizer", {"use": "k-anonymity", "hierarchies": levels})
    with pytest.raises(PartError, match=r"column 'x': .*column 'y': "):
        part.require(Schema(columns=columns))


def test_an_edition_with_a_wrong_hierarchy_names_the_line(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(
        'include = "tiny"\nid = "mine"\n[[sanitizer]]\nuse = "k-anonymity"\n'
        'hierarchies = { education = [[["Bachelorss", "Masters"]]] }\n'
    )
    with pytest.raises(EditionError, match=r"mine.toml:3 .*did you mean 'Bachelors'"):
        load(file)


def test_local_cuts_follow_the_coarsest_level_first():
    cells = [20, 21, 22, 38, 39, 41, 45, 46]
    table = Table.of(
        Schema(columns=(Column(name="x", kind="integer", low=0, high=99),)), {"x": cells}
    )
    for levels, expected in (({}, [21] * 4 + [41] * 4), ({"x": [20]}, [22] * 5 + [45] * 3)):
        part = build("sanitizer", {"use": "k-anonymity", "k": 3, "hierarchies": levels})
        rng, noise = np.random.default_rng(0), Noise.for_test(1)
        release = sanitize(part, table, rng=rng, noise=noise).release
        assert [record["x"] for record in release.data.records()] == expected


def test_a_lattice_that_is_too_large_is_refused_with_advice():
    columns = tuple(Column(name=f"c{i}", kind="integer", low=0, high=99) for i in range(9))
    rng = np.random.default_rng(0)
    table = Table(Schema(columns=columns), {c.name: rng.integers(100, size=50) for c in columns})
    part = build("sanitizer", {"use": "k-anonymity", "method": "global"})
    with pytest.raises(PartError, match=r"10,077,696 combinations .* set method = \"local\""):
        part.sanitize(table, rng=rng, noise=Noise.for_test(1))
