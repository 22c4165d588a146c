"""Ranking: the rules by which boards rank teams."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from quintain.wording.languages import to_say
from quintain_host.organising.guide.gates import MEASURES, kind_of
from quintain_host.organising.guide.guided import Changes, GuidedDraft
from quintain_host.organising.guide.releases import MEDIAN
from quintain_host.organising.guide.rounds import TOGETHER, round_keys
from quintain_host.organising.guide.typed import TypedFields

ATTACKERS: Mapping[str, str] = {
    "median": to_say(
        "The median over all releases, which the release of a friend moves only a little"
    ),
    "mean": to_say("The mean over all releases"),
    "count-wins": to_say("The number of releases on which nobody attacks better"),
}
_RULES: Mapping[str, Mapping[str, Any]] = {
    "median": {"use": "mean", "trim": MEDIAN},
    "mean": {"use": "mean", "trim": None},
    "count-wins": {"use": "count-wins", "trim": None},
}
DEFENCE: Mapping[str, str] = {
    "worst": to_say("Its strongest attacker counts"),
    "mean": to_say("The mean of all attackers counts"),
}
LOSSES = tuple(measure.reading for measure in MEASURES.values() if measure.bound == "at_most")
"""Readings of which less is better, so that a risk and a loss can be averaged."""


def show_ranking(guided: GuidedDraft) -> dict[str, str]:
    """The fields of the step, as the edition file fills them in."""
    fields = {"overall": guided.together}
    for board in guided.boards:
        if board["id"] == "attackers":
            use = str(board.get("use", ""))
            fields["attackers.use"] = "median" if board.get("trim") == MEDIAN else use
        if board["id"] == "anonymizers":
            fields["anonymizers.attackers"] = str(board.get("attackers", "worst"))
            fields["anonymizers.utility"] = str(board.get("utility", ""))
    return fields


def ranked_losses(guided: GuidedDraft) -> list[str]:
    """The readings of utility that a board can average with the risk."""
    kinds = map(kind_of, guided.table.get("utility", ()))
    readings = [MEASURES[kind].reading for kind in kinds if kind is not None]
    return [reading for reading in readings if reading in LOSSES]


def read_ranking(typed: TypedFields, guided: GuidedDraft) -> Changes:
    """The boards with the rules that somebody chose, and what counts after several rounds."""
    boards: list[dict[str, Any]] = []
    for board in guided.boards:
        made = dict(board)
        if board["id"] == "attackers":
            made |= _RULES.get(typed.choice("attackers.use", ATTACKERS) or "", {})
        if board["id"] == "anonymizers":
            made["attackers"] = typed.choice("anonymizers.attackers", DEFENCE)
            loss = typed.choice("anonymizers.utility", ("", *ranked_losses(guided)))
            made |= {"utility": loss or None, "shown": "risk" if loss else None}
        boards.append({key: value for key, value in made.items() if value is not None})
    several = len(guided.rounds) > 1
    together = typed.choice("overall", TOGETHER) if several else guided.together
    typed.raise_if_any()
    assert together is not None  # else it is a fault
    return Changes({"board": boards, **round_keys(guided.rounds, boards, together)})
