"""Questions: what attackers may want to know in a contest that the guide makes.

Each question brings the keys that belong together: the goal, how the private data are drawn, the
measure of privacy, the attacks of built-in players, and what a board ranks by.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from quintain.attacks import Attack
from quintain.errors import PartError, Rejected
from quintain.registry import build, find
from quintain.sanitizers import Sanitizer
from quintain.wording.languages import say, to_say
from quintain_host.organising.guide.guided import Changes, GuidedDraft, name_of
from quintain_host.organising.guide.rows import MOST_ROWS, refitted_rules
from quintain_host.organising.guide.typed import TypedFields

GIVEN = ("parameters", "claim", "methods")
"""What attackers get in every contest of the guide: how a release was made."""
POPULATION = "base"
"""The fact that attackers get the whole table, though not who was in the private data."""


@dataclass(frozen=True, slots=True)
class GuidedQuestion:
    """A question that attackers answer.

    Parameters
    ----------
    asks : the question in words.
    means : when to choose it.
    measure, reading : the measure of privacy and its reading, by which boards rank.
    design : how the private data are drawn.
    attacks : the attacks of built-in players, by the ids of the players.
    """

    asks: str
    means: str
    measure: str
    reading: str
    design: str
    attacks: Mapping[str, str]
    column: bool = False
    knows: bool = False


QUESTIONS: Mapping[str, GuidedQuestion] = {
    "membership": GuidedQuestion(
        to_say("Was this person in the data?"),
        to_say(
            "Attackers get whole records of people. Half of these people were in the private data."
        ),
        "membership-advantage",
        "membership_advantage",
        "targets",
        {
            "exact-match": "Exact match",
            "nearest": "Nearest record",
            "density-ratio": "Density ratio",
            "random": "Random guesses",
        },
    ),
    "published-row": GuidedQuestion(
        to_say("Which published row is this person's?"),
        to_say("For masking methods, which change rows: synthetic rows are about nobody."),
        "rows-found",
        "rows_found",
        "subset",
        {"row-linkage": "Record linkage", "nearest": "Nearest row", "random": "Random guesses"},
        knows=True,
    ),
    "attribute": GuidedQuestion(
        to_say("What is the hidden value of this person?"),
        to_say("Attackers know some columns of a person and want another one."),
        "excess-accuracy",
        "excess_accuracy",
        "targets",
        {
            "majority-given-known": "Majority given known",
            "nearest": "Nearest record",
            "random": "Random guesses",
        },
        column=True,
        knows=True,
    ),
}


def question_keys(
    use: str, *, rows: int, gives: tuple[str, ...] = GIVEN, **given: Any
) -> dict[str, Any]:
    """The keys of a question for a table with so many rows.

    Parameters
    ----------
    given : ``column`` and ``knows`` of the goal; ``targets`` and ``private``, the sizes.
    """
    question = QUESTIONS[use]
    goal = {"use": use, "column": given.get("column"), "knows": given.get("knows")}
    private = given.get("private") or rows // 2
    targets = given.get("targets") or max(10, min(200, rows // 6))
    sizes = {"targets": targets, "background": max(1, private - targets // 2)}
    return {
        "goal": {key: value for key, value in goal.items() if value},
        "sample": {"use": question.design}
        | ({"rows": private} if question.design == "subset" else sizes),
        "knowledge": {"gives": list(gives)},
        "privacy": [{"use": question.measure}],
    }


def attackers_of(use: str, gives: tuple[str, ...]) -> list[dict[str, Any]]:
    """The built-in attackers of a question that can work with what attackers get."""
    return [
        {"id": name, "name": title, "attack": {"use": name}}
        for name, title in QUESTIONS[use].attacks.items()
        if cast(type[Attack], find(Attack.family, name)).needs <= set(gives)
    ]


def fitting_specs(specs: list[Any], use: str) -> list[Any]:
    """The sanitizers that suit a question; synthetic rows belong to nobody."""
    return [spec for spec in specs if use != "published-row" or _tells_origins(spec)]


def _tells_origins(spec: Any) -> bool:
    table = spec if isinstance(spec, Mapping) else {"use": spec}
    try:
        plain = {key: value for key, value in table.items() if key not in ("grid", "name")}
        return cast(Sanitizer, build(Sanitizer.family, plain)).tells_origins()
    except (PartError, Rejected):
        return True  # the check of the edition file says what is wrong with it


def show_question(guided: GuidedDraft) -> dict[str, str]:
    """The fields of the step, as the edition file fills them in."""
    goal, sample = guided.table.get("goal", ""), guided.table.get("sample", {})
    fields = {"goal.use": name_of(goal)}
    if isinstance(goal, Mapping):
        fields["goal.column"] = str(goal.get("column", ""))
        fields |= {f"goal.knows.{name}": "yes" for name in goal.get("knows", ())}
    if isinstance(sample, Mapping):
        targets = sample.get("targets", "")
        half = targets // 2 if isinstance(targets, int) else 0
        fields["sample.targets"] = str(targets)
        fields["sample.rows"] = str(sample.get("rows") or sample.get("background", 0) + half)
    gives = guided.table.get("knowledge", {}).get("gives", ())
    return fields | ({"knowledge.base": "yes"} if POPULATION in gives else {})


def read_question(typed: TypedFields, guided: GuidedDraft) -> Changes:
    """The keys of the question that somebody chose."""
    use = typed.choice("goal.use", QUESTIONS)
    private = typed.whole("sample.rows", 10, MOST_ROWS)
    question = QUESTIONS[use or "membership"]
    given: dict[str, Any] = {"private": private}
    if question.design == "targets":
        given["targets"] = typed.whole("sample.targets", 2, MOST_ROWS)
    if question.column:
        given["column"] = typed.choice("goal.column", tuple(guided.attributes))
    if question.knows:
        hidden = given.get("column")
        knows = [name for name in guided.attributes if typed.is_ticked(f"goal.knows.{name}")]
        given["knows"] = [name for name in knows if name != hidden]
        if not given["knows"]:
            typed.faults["goal.knows"] = say("tick at least one other column that attackers know")
    typed.raise_if_any()
    assert use is not None  # else it is a fault
    gives = (POPULATION, *GIVEN) if typed.is_ticked("knowledge.base") else GIVEN
    keys = question_keys(use, rows=0, gives=gives, **given)
    players = [baseline for baseline in guided.baselines if "sanitizer" in baseline]
    kept = fitting_specs([player["sanitizer"] for player in players], use)
    players = [player for player in players if player["sanitizer"] in kept]
    if guided.table.get("sanitizer"):
        keys["sanitizer"] = fitting_specs(list(guided.table["sanitizer"]), use)
    boards = [{**board, "measure": question.reading} for board in guided.boards]
    keys |= {"baseline": [*attackers_of(use, gives), *players], "board": boards}
    if guided.teams_release:
        keys["rule"] = refitted_rules(guided, use, private or 1) or None
    return Changes(keys)
