"""Editions and results made by hand, for the tests of the report."""

from __future__ import annotations

import math
from typing import Any

from quintain.contests.edition import Edition
from quintain.contests.loading.load import validate
from quintain.figures.matrix import Matrix
from quintain.measures import Reading
from quintain.rankings import Contestant, Entry, Results
from quintain.runs.report.section import matrix_of

FACTS: dict[str, Any] = {
    "commitments": {"prepare": "ab" * 32, "judge": "cd" * 32},
    "journal": {"events": 3, "root": "0" * 64},
    "submissions": 12,
    "test": False,
}
HOSTILE = (
    "<script>alert(1)</script>",
    '"onload=alert(1) x="',
    "'; </style><img src=x onerror=alert(1)>",
    "{{ 7 * 7 }} &amp; <!-- ",
    "turned \u202e around \x00 \ud800",
    "\u540d\u524d\u306e\u9577\u3044\u30c1\u30fc\u30e0",
    "x" * 200,
)


def edition(tracks: int = 1, **over: Any) -> Edition:
    """A small edition; every keyword replaces a key of the file."""
    table: dict[str, Any] = {
        "id": "case",
        "title": "A case",
        "description": "Made by hand.",
        "goal": {"use": "membership"},
        "dataset": {"use": "adult"},
        "sample": {"use": "targets"},
        "sanitizer": [{"use": "identity"}],
        "privacy": [{"use": "membership-advantage"}, {"use": "auc"}],
        "utility": [
            {"use": "marginals", "ways": 1, "name": "one_way", "at_most": 0.2},
            {"use": "marginals", "ways": 2, "name": "two_way"},
        ],
        "board": [{"id": "attackers", "title": "Attackers", "use": "count-wins"}],
        "baseline": [{"id": "blind", "name": "Blind", "attack": {"use": "random"}}],
    }
    if tracks > 1:
        table["track"] = [{"id": f"t{i}", "title": f"Track {i}"} for i in range(tracks)]
    return validate(table | over)


def advantage(value: float, half: float = 0.1, n: int = 400) -> Reading:
    """A reading of an attack."""
    return Reading(
        value=value, low=value - half, high=value + half, n=n, better="lower", method="by hand"
    )


def attack(value: float, half: float = 0.1) -> dict[str, Reading]:
    """The readings of a cell."""
    return {
        "membership_advantage": advantage(value, half),
        "auc": advantage(0.5 + value / 2, half / 2),
    }


def utility(one: float, two: float) -> dict[str, Reading]:
    """The readings of an entry."""
    return {
        "one_way": Reading.exact(one, 500, "lower"),
        "two_way": Reading.exact(two, 500, "lower"),
    }


def matrix(entries: int, attackers: int) -> Results:
    """A full matrix from hardly any leak to a lot, with a blind attacker in the last column."""
    made = tuple(
        Entry(
            f"sanitizer-epsilon{i}",
            None,
            utility(0.3 * (1 - i / entries) ** 3, 0.02 + 0.4 * (1 - i / entries)),
            ("one_way is 0.3, must be at most 0.2 (off by 0.1)",) if i == 0 else (),
        )
        for i in range(entries)
    )
    teams = [Contestant(f"team{j}", f"Team number {j}") for j in range(attackers - 1)]
    cells = {
        (entry.id, team.id): attack(
            max(-0.3, 0.95 * i / entries * (1 - j / attackers) + 0.06 * math.sin(7 * i + 3 * j))
        )
        for i, entry in enumerate(made)
        for j, team in enumerate(teams)
    }
    blind = Contestant("blind", "Blind", competing=False)
    cells |= {(e.id, "blind"): attack(0.04 * math.cos(i)) for i, e in enumerate(made)}
    return Results(made, (*teams, blind), cells)


def awkward() -> Results:
    """Everything that can be missing, infinite or hostile, in teams that attack one another."""
    inf = math.inf
    teams = tuple(Contestant(f"t{i}", name, i != 2) for i, name in enumerate(HOSTILE))
    one = {
        "t0": Reading.exact(inf, 10, "lower"),
        "t1": Reading(value=0.1, low=-inf, high=inf, n=10, better="lower"),
        "t2": Reading.missing("lower", "no <b>records</b> left"),
    }
    entries = tuple(
        Entry(
            team.id,
            team.id,
            {"one_way": one.get(team.id, Reading.exact(0.1, 5, "lower"))}
            | ({} if team.id == "t3" else {"two_way": Reading.exact(0.3, 5, "lower")}),
            ("<i>bad</i>",) if team.id == "t1" else (),
        )
        for team in teams
    )
    cells = {
        (entry.id, team.id): attack(0.1 * i - 0.2)
        for i, entry in enumerate(entries)
        for j, team in enumerate(teams)
        if i != j and (i + 2 * j) % 5
    }
    nothing = Reading.missing("lower", "all targets are of one class <b>")
    cells["t0", "t1"] = {"membership_advantage": nothing, "auc": nothing}
    cells["t0", "t2"] = {"membership_advantage": Reading.exact(inf, 3, "lower")}
    cells["t2", "t0"] = {"membership_advantage": Reading.exact(-inf, 3, "lower")}
    return Results(entries, teams, cells)


def first_matrix(results: Results, rules: Edition | None = None) -> Matrix:
    """The matrix that the heat map shows."""
    track = (rules or edition()).track[0]
    measured = track.privacy[0]
    return matrix_of(track, results, measured, next(iter(measured.reads)))
