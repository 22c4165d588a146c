"""Curves: every entry keeps its style, and no name is cut."""

from __future__ import annotations

from quintain.figures.curves import curve_plot
from quintain.measures import Curve, Reading
from quintain.rankings import Entry

CURVE = Curve("people found", "known values", {1: "one", 2: "two"})
LONG = "A team with a name that is longer than any room beside a line"


def entry(name: str, one: float, two: float) -> tuple[str, Entry]:
    readings = {
        "one": Reading.exact(one, 10, "lower"),
        "two": Reading.exact(two, 10, "lower"),
    }
    return name, Entry(name, None, readings)


def test_the_legend_goes_from_the_highest_line_to_the_lowest_with_full_names() -> None:
    plot = curve_plot(CURVE, [entry("low", 0.1, 0.2), entry(LONG, 0.3, 0.9)], "c")
    assert plot is not None
    assert [line.name for line in plot.lines] == [LONG, "low"]
    assert plot.left_out == 0


def test_an_entry_has_the_same_style_in_every_plot() -> None:
    rising = [entry("a", 0.1, 0.2), entry("b", 0.1, 0.9)]
    falling = [entry("a", 0.1, 0.9), entry("b", 0.1, 0.2)]
    styles = []
    for entries in (rising, falling):
        plot = curve_plot(CURVE, entries, "c")
        assert plot is not None
        styles.append({line.name: line.key for line in plot.lines})
    assert styles[0] == styles[1]
    assert styles[0]["a"] != styles[0]["b"]


def test_an_entry_without_all_readings_has_no_line() -> None:
    gap = ("gap", Entry("gap", None, {"one": Reading.exact(0.5, 10, "lower")}))
    assert curve_plot(CURVE, [gap], "c") is None


def test_only_the_highest_twelve_lines_are_drawn() -> None:
    plot = curve_plot(CURVE, [entry(f"e{i}", 0.5, i / 20) for i in range(15)], "c")
    assert plot is not None
    assert plot.lines[0].name == "e14"
    assert (len(plot.lines), plot.left_out) == (12, 3)
