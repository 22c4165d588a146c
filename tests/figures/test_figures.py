"""The figures of the report: what is luck, which colour it has, and where labels and ticks go."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quintain.figures.axis import axis
from quintain.figures.format import interval_name
from quintain.figures.heat_map import colours_of, heat_map
from quintain.figures.trade_off import Box, place
from quintain.measures import Reading
from quintain.measures.privacy.roc_curve import Auc
from quintain.rankings import Contestant, Entry, Results
from quintain.runs.report.section import Summary
from tests.figures import report_cases as cases


def test_luck_is_an_advantage_whose_interval_has_zero() -> None:
    entries = (Entry("a"), Entry("b"))
    team = (Contestant("x"), Contestant("y"))
    # Half widths are 0.1: 0.05 and -0.05 are luck, 0.2 is not, and neither is -0.2.
    cells = {
        ("a", "x"): cases.attack(0.05),
        ("a", "y"): cases.attack(-0.05),
        ("b", "x"): cases.attack(0.2),
        ("b", "y"): cases.attack(-0.2),
    }
    summary = Summary.of(cases.first_matrix(Results(entries, team, cells)))
    assert (summary.lucky, summary.measured, summary.safe) == (2, 4, ("a",))
    assert [worst.entry.id for worst in summary.most] == ["b"]
    assert [worst.entry.id for worst in summary.least] == ["a"]
    assert not summary.apart  # 0.2 - 0.1 is below 0.05 + 0.1


def test_luck_is_what_a_blind_attacker_may_get_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Auc, "chance", {})  # a measure that does not say what chance is
    edition = cases.edition(
        privacy=[{"use": "auc"}], board=[{"id": "b", "use": "mean", "measure": "auc"}]
    )
    entry = (Entry("a"),)
    team = (Contestant("x"), Contestant("y"), Contestant("blind"))
    # The blind attacker has auc 0.5 +- 0.05. A gap of 0.06 is within sqrt(2) * 0.05 = 0.0707,
    # although 0.5 is not in the interval; a gap of 0.08 is not.
    cells = {
        ("a", "x"): {"auc": cases.advantage(0.56, 0.05)},
        ("a", "y"): {"auc": cases.advantage(0.58, 0.05)},
        ("a", "blind"): {"auc": cases.advantage(0.5, 0.05)},
    }
    matrix = cases.first_matrix(Results(entry, team, cells), edition)
    assert matrix.lucky.tolist() == [[True, False, True]]
    alone = [matrix.reading(entry[0], who) for who in team]
    assert [one is not None and matrix.luck(entry[0], one) for one in alone] == [True, False, True]


def test_lower_can_be_worse_for_people() -> None:
    entry, team = (Entry("a"),), (Contestant("x"), Contestant("y"))
    cells = {("a", "x"): cases.attack(0.2), ("a", "y"): cases.attack(0.8)}
    lower = cases.first_matrix(Results(entry, team, cells))
    higher = replace(lower, better="higher", chance=replace(lower.chance, value=None))
    for matrix, who, value in ((lower, "y", 0.8), (higher, "x", 0.2)):
        worst = matrix.worst(entry[0])
        assert worst is not None
        assert (worst.attackers, worst.reading.value) == ((who,), value)
        ((x_step, y_step),) = colours_of(matrix).steps(matrix.grid.value)
        assert ("x" if x_step > y_step else "y") == who


def test_noise_is_pale() -> None:
    """A matrix of nothing but noise has no strong colours: they reach to the intervals' ends."""
    cells = {("a", f"t{i}"): cases.attack(0.02 * i - 0.04, half=0.2) for i in range(5)}
    teams = tuple(Contestant(f"t{i}") for i in range(5))
    colours = colours_of(cases.first_matrix(Results((Entry("a"),), teams, cells)))
    assert {abs(colours.step(0.02 * i - 0.04)) for i in range(5)} <= {0, 1}


def test_labels_cover_nothing() -> None:
    frame = Box(0, 0, 400, 300)
    points = [(50 + 7.0 * i, 100 + 11.0 * (i % 4), f"name {i}") for i in range(12)]
    dots = [Box(x - 6, y - 6, x + 6, y + 6) for x, y, _ in points]
    boxes = [label.box for label in place(points, dots, frame, 13) if label is not None]
    assert len(boxes) >= 10
    for i, box in enumerate(boxes):
        assert frame.holds(box)
        assert not any(map(box.meets, [*dots, *boxes[:i]]))


@settings(deadline=None)
@given(st.lists(st.floats(allow_subnormal=False, min_value=-1e9, max_value=1e9)), st.booleans())
def test_axes_hold_every_value(values: list[float], infinite: bool) -> None:
    scale = axis([*values, math.nan, *([math.inf, -math.inf] if infinite else [])], 300, 20)
    ticks = [at for at, _ in scale.ticks()]
    assert ticks == sorted(ticks, reverse=True)
    assert 2 <= len(ticks) <= 14
    slack = 1e-5 * scale.step
    for value in values:
        assert scale.low - slack <= value <= scale.high + slack
        assert 19.9 <= scale.at(value) <= 300.1
    if infinite:
        assert scale.at(math.inf) == 20
        assert scale.at(-math.inf) == 300


@pytest.mark.parametrize("value", [8e-307, -8e-307, 5e-324, 1e-289, 0.0])
def test_an_axis_has_room_around_the_smallest_numbers(value: float) -> None:
    scale = axis([value], 0, 100)
    assert scale.low < scale.high
    assert 0 <= scale.at(value) <= 100
    assert len(scale.ticks()) > 1


def test_intervals_of_different_levels_are_named_without_a_level() -> None:
    wide = Reading(value=0.5, low=0.1, high=0.9, n=8, better="lower", level=0.99)
    narrow = wide.model_copy(update={"level": 0.95})
    assert interval_name([wide]) == "99\u00a0% interval"
    assert interval_name([wide, narrow]) == "interval"
    assert interval_name([Reading.missing("lower", "nothing"), narrow]) == "95\u00a0% interval"


def test_the_report_states_the_level_of_its_readings() -> None:
    entries, team = (Entry("a"),), (Contestant("x"),)
    reading = cases.advantage(0.3, 0.1).model_copy(update={"level": 0.9})
    matrix = cases.first_matrix(
        Results(entries, team, {("a", "x"): {"membership_advantage": reading}})
    )
    assert "90\u00a0% interval: 0.200 to 0.400" in heat_map(matrix, colours_of(matrix))
