"""The plot of intervals: every reading has its place, and names cannot act as markup."""

from xml.etree import ElementTree

from quintain.figures.interval_plot import IntervalGroup, interval_plot
from quintain.measures import Reading


def reading(value, reach=0.02):
    return Reading(value=value, low=value - reach, high=value + reach, n=10, better="lower")


def draw(*readings, label="mst"):
    group = IntervalGroup("nearest", tuple((label, given) for given in readings))
    return ElementTree.fromstring(interval_plot([group], 0.5, "AUC", "plot"))


def test_dots_stand_in_the_order_of_their_values():
    dots = draw(reading(0.55), reading(0.7), reading(0.9)).findall(".//circle")
    places = [float(dot.get("cx")) for dot in dots]
    assert places == sorted(places) and len(set(places)) == 3


def test_a_dot_whose_interval_reaches_chance_is_hollow():
    dots = draw(reading(0.51), reading(0.7)).findall(".//circle")
    assert [dot.get("class") for dot in dots] == ["dot luck", "dot"]


def test_what_was_not_measured_has_no_dot():
    drawn = draw(Reading.missing("lower", "refused"), reading(0.7))
    assert len(drawn.findall(".//circle")) == 1
    assert any(text.text == "not measured" for text in drawn.findall(".//text"))


def test_long_names_are_cut_and_names_are_no_markup():
    drawn = draw(reading(0.6), label="<script>" * 9)
    assert not drawn.findall(".//script")
    shown = [text.text for text in drawn.findall(".//text") if text.text.startswith("<")]
    assert [len(text) for text in shown] == [34]
