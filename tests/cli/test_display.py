"""How the command line shows progress and numbers where there is no terminal."""

import math

import pytest

from quintain.cli.display import number, print_table, progress
from quintain.jobs.progress import track


def test_a_stage_is_one_line_whatever_goes_on_inside_of_it(capsys):
    with progress():
        for _ in track(range(2), "releases", 2):
            for _ in track(range(3), "training", 3):
                pass
        for _ in track(range(1), "attacks", 1):
            pass
    assert capsys.readouterr().err == "releases: 2 of 2\nattacks: 1 of 1\n"


def test_a_stage_without_work_is_not_mentioned(capsys):
    with progress():
        assert list(track([], "attacks", 0)) == []
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"),
        (math.nan, "-"),
        (-0.068, "-0.068"),
        (877.0, "877"),
        (11990.4, "11990"),
        (math.inf, "inf"),
    ],
)
def test_numbers_are_plain(value, shown):
    assert number(value) == shown


def test_a_file_has_room_for_long_names_and_luck_is_written_for_people(capsys):
    name = "independent-epsilon100-" * 5
    score = {"value": 0.5, "low": 0.5, "high": 0.5}
    place = {"rank": 1, "team": name, "score": score, "p": 6.2e-101}
    print_table("Attackers", {"places": [place], "unit": "mean", "floor": None})
    text = capsys.readouterr().out
    line = text.split("\n")[4]
    assert name in line
    assert "< 0.001" in line
    assert "luck: how likely attackers who guess blindly reach" in text


def test_a_board_says_why_a_release_is_disqualified(capsys):
    score = {"value": 0.0, "low": 0.0, "high": 0.0}
    places = [
        {"rank": 1, "team": "blue", "score": score, "p": None, "note": "late"},
        {"rank": None, "team": "red", "score": score, "p": None, "note": "disqualified: tv1 is 3"},
    ]
    print_table("Models", {"places": places, "unit": "protection", "floor": None})
    text = capsys.readouterr().out
    assert "red: disqualified: tv1 is 3" in text
    assert "blue: late" not in text
    assert "rank -:" not in text
