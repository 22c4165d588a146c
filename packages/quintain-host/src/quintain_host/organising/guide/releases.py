"""Releases: whether sanitizers of the organisers make them, or teams; and built-in sanitizers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from quintain.wording.languages import in_context, in_english, say, to_say
from quintain_host.organising.guide.guided import Changes, GuidedDraft, name_of
from quintain_host.organising.guide.questions import QUESTIONS, fitting_specs
from quintain_host.organising.guide.rounds import round_keys
from quintain_host.organising.guide.rows import read_rows, show_rows
from quintain_host.organising.guide.typed import TypedFields

WHO = {
    "organisers": to_say("Sanitizers that I choose: teams only attack"),
    "everybody": to_say("The teams: each anonymizes a private sample, then everybody attacks"),
}
MEDIAN = 0.5
"""The share of releases that the rule of attackers leaves out at both ends for a median."""


@dataclass(frozen=True, slots=True)
class GuidedSanitizer:
    """A sanitizer that the guide offers, with the one parameter that people choose."""

    title: str
    parameter: str = ""
    asks: str = ""
    value: float | int = 0
    numbers: bool = False
    """Whether the parameter counts something."""


SANITIZERS: Mapping[str, GuidedSanitizer] = {
    "identity": GuidedSanitizer(to_say("Publish everything as it is")),
    "rr": GuidedSanitizer(
        to_say("Randomized response"), "keep", to_say("share of kept values"), 0.8
    ),
    "rank-swapping": GuidedSanitizer(to_say("Rank swapping")),
    "microaggregation": GuidedSanitizer(
        to_say("Microaggregation"), "k", to_say("people in a group"), 5, True
    ),
    "k-anonymity": GuidedSanitizer(
        in_context("the name of a method", "k-anonymity"), "k", to_say("people in a class"), 5, True
    ),
    "pram": GuidedSanitizer(to_say("PRAM")),
    "independent": GuidedSanitizer(
        to_say("Independent columns"),
        "epsilon",
        in_context("a parameter of a method", "epsilon"),
        1.0,
    ),
    "mst": GuidedSanitizer(
        to_say("Synthetic data (MST)"),
        "epsilon",
        in_context("a parameter of a method", "epsilon"),
        1.0,
    ),
    "privbayes": GuidedSanitizer(
        to_say("Synthetic data (PrivBayes)"),
        "epsilon",
        in_context("a parameter of a method", "epsilon"),
        1.0,
    ),
}
FIRST = ("identity", "rr", "rank-swapping", "microaggregation")
"""The sanitizers of a new contest: quick ones that suit every question."""


def default_spec(name: str) -> dict[str, Any]:
    """A sanitizer with the values that the guide proposes."""
    offered = SANITIZERS[name]
    return {"use": name} | ({offered.parameter: offered.value} if offered.parameter else {})


def chosen_specs(guided: GuidedDraft) -> list[dict[str, Any]]:
    """The sanitizers in the edition file: of the organisers, or of built-in teams."""
    if guided.teams_release:
        written = [
            baseline["sanitizer"] for baseline in guided.baselines if "sanitizer" in baseline
        ]
    else:
        written = list(guided.table.get("sanitizer", ()))
    return [{"use": spec} if isinstance(spec, str) else dict(spec) for spec in written]


def show_releases(guided: GuidedDraft) -> dict[str, str]:
    """The fields of the step, as the edition file fills them in."""
    fields = {"who": "everybody" if guided.teams_release else "organisers", **show_rows(guided)}
    for spec in chosen_specs(guided):
        name = name_of(spec)
        if name in SANITIZERS:
            fields[f"use.{name}"] = "yes"
            fields[f"value.{name}"] = str(spec.get(SANITIZERS[name].parameter, ""))
    return fields


def read_releases(typed: TypedFields, guided: GuidedDraft) -> Changes:
    """The keys for who makes releases, and with which sanitizers."""
    who = typed.choice("who", WHO)
    specs = [spec for spec in chosen_specs(guided) if name_of(spec) not in SANITIZERS]
    for name, offered in SANITIZERS.items():
        if not typed.is_ticked(f"use.{name}"):
            continue
        spec: dict[str, Any] = {"use": name}
        if offered.parameter:
            at = f"value.{name}"
            read = typed.whole(at, 1, 10_000) if offered.numbers else typed.number(at)
            spec[offered.parameter] = read
        specs.append(spec)
    if not specs:
        typed.faults["who"] = say("tick at least one sanitizer")
    rules = read_rows(typed, guided) if who == "everybody" else None
    typed.raise_if_any()
    return Changes(release_keys(guided, specs, rules))


def release_keys(
    guided: GuidedDraft, specs: list[dict[str, Any]], rules: list[Any] | None
) -> dict[str, Any]:
    """The keys that belong to releases: sanitizers, players, rules, phases and boards.

    Parameters
    ----------
    rules : those of the releases of teams; None if teams make no releases.
    """
    teams = rules is not None
    specs = fitting_specs(specs, name_of(guided.table.get("goal", "")))
    attackers = [baseline for baseline in guided.baselines if "attack" in baseline]
    reading = QUESTIONS[name_of(guided.table["goal"])].reading
    boards = {board["id"]: board for board in guided.boards}
    attacking = boards.get("attackers", attackers_board(reading))
    if teams != guided.teams_release:
        attacking = _averaged(attacking, teams=teams)
    rounds = [
        replace(guided_round, phases=_phases(guided_round.phases, teams=teams))
        for guided_round in guided.rounds
    ]
    if not teams:
        return {
            "sanitizer": specs,
            "baseline": attackers,
            "rule": None,
            "board": [attacking],
            **round_keys(rounds, [attacking], guided.together),
        }
    players = [
        {"id": f"team-{name_of(spec)}", "name": _title(spec), "sanitizer": spec} for spec in specs
    ]
    defending = boards.get("anonymizers", anonymizers_board(reading))
    return {
        "sanitizer": None,
        "baseline": [*attackers, *players],
        "rule": rules or None,
        "board": [defending, attacking],
        **round_keys(rounds, [defending, attacking], guided.together),
    }


def _phases(written: Sequence[dict[str, Any]], *, teams: bool) -> tuple[dict[str, Any], ...]:
    """The phases of a round: attacks, and before them releases if teams make these."""
    known = {phase["submit"]: phase for phase in written}
    guessing = known.get("guess", {"id": "attack", "submit": "guess"})
    releasing = known.get("release", {"id": "anonymize", "submit": "release"})
    return (releasing, guessing) if teams else (guessing,)


def attackers_board(reading: str) -> dict[str, Any]:
    """The board of attackers in a new contest."""
    return {"id": "attackers", "title": "Attackers", "use": "mean", "measure": reading}


def _averaged(board: Mapping[str, Any], *, teams: bool) -> dict[str, Any]:
    """The board of attackers with a median where teams make releases, and else with a mean.

    A friend among the teams could make one attacker the first of a mean.
    """
    made = {key: value for key, value in board.items() if key != "trim"}
    return made | ({"trim": MEDIAN} if teams and board["use"] == "mean" else {})


def anonymizers_board(reading: str) -> dict[str, Any]:
    """The board of those who made releases, in a new contest."""
    return {"id": "anonymizers", "title": "Anonymizers", "use": "defence", "measure": reading}


def _title(spec: Mapping[str, Any]) -> str:
    offered = SANITIZERS.get(name_of(spec))
    return name_of(spec) if offered is None else in_english(offered.title)
