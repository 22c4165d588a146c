"""Mending: for each finding of a rehearsal, the button that mends it or the step that can."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from quintain.host.access import NotThere
from quintain.host.organising.guide.gates import gate_spec
from quintain.host.organising.guide.guided import Changes, GuidedDraft
from quintain.host.organising.guide.questions import POPULATION, attackers_of, name_of
from quintain.languages import tell, to_say


@dataclass(frozen=True, slots=True)
class Mend:
    """What to do about a finding.

    Parameters
    ----------
    button : what the button says.
    step : the step of the guide that it leads to; empty if the button mends the draft at once.
    change : what it writes into the draft.
    """

    button: str
    step: str = ""
    change: Callable[[GuidedDraft], Changes] | None = None


def _withhold_population(guided: GuidedDraft) -> Changes:
    given = tuple(guided.table.get("knowledge", {}).get("gives", ()))
    gives = tuple(fact for fact in given if fact != POPULATION)
    use = name_of(guided.table["goal"])
    players = [own for own in guided.baselines if "attack" not in own]
    attackers = attackers_of(use, gives)
    return Changes({"knowledge": {"gives": list(gives)}, "baseline": [*attackers, *players]})


def _ask_for_same_rows(guided: GuidedDraft) -> Changes:
    others = [rule for rule in guided.table.get("rule", ()) if name_of(rule) != "rows"]
    return Changes({"rule": [*others, {"use": "rows", "same": True}]})


def _keep_cells(guided: GuidedDraft) -> Changes:
    measured = guided.table.get("utility", ())
    others = [spec for spec in measured if name_of(spec) != "equal-cells"]
    return Changes({"utility": [*others, gate_spec("equal-cells", 0.5)]})


_DATES = Mend(to_say("Set the dates"), "dates")
_COLUMNS = Mend(to_say("Look at the columns"), "columns")
_GATES = Mend(to_say("Change the gates"), "gates")
_QUESTION = Mend(to_say("Change the question"), "attackers")

MENDS: Mapping[str, Mend] = {
    "no-dates": _DATES,
    "phase-over": _DATES,
    "late-releases": _DATES,
    "overlapping-phases": _DATES,
    "shown-utility": _DATES,
    "no-team": Mend(to_say("Choose who may register"), "dates"),
    "learned-domains": Mend(to_say("Replace the ranges"), "columns"),
    "unread-columns": _COLUMNS,
    "linked-targets": _COLUMNS,
    "open-gates": _GATES,
    "known-rows": _QUESTION,
    "few-targets": _QUESTION,
    "independent-release": Mend(to_say("Change the sanitizers"), "releases"),
    "known-answers": Mend(to_say("Do not give attackers the table"), change=_withhold_population),
    "too-many-rows": Mend(
        to_say("Ask for as many rows as the original"), change=_ask_for_same_rows
    ),
    "wrong-numbers": Mend(to_say("Ask for half of the cells unchanged"), change=_keep_cells),
}


def mend_of(check: str) -> Mend | None:
    """What to do about a finding; None if the guide has no step for it."""
    return MENDS.get(check)


def mending(guided: GuidedDraft, check: str) -> Changes:
    """What the button of a finding writes into the draft."""
    mend = mend_of(check)
    if mend is None or mend.change is None:
        raise NotThere(tell("there is no button for this finding"))
    return mend.change(guided)


def findings_first(findings: list[dict[str, Any]], registration: str) -> list[dict[str, Any]]:
    """The findings, the gravest first; that nobody has joined yet is none if teams can register."""
    waits = registration in ("open", "approval", "invitation")
    kept = [own for own in findings if not (own["check"] == "no-team" and waits)]
    return sorted(kept, key=lambda own: own["severity"] != "stop")
