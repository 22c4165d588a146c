"""Asking: check the rules of tracks in which every attacker is asked about people of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from quintain.contests.lines import KeyPath
from quintain.contests.loading.references import Mistakes, part_in, table_of, tables_of
from quintain.errors import Fault
from quintain.guesses import Goal
from quintain.rankings import RankingRule
from quintain.registry import parts
from quintain.samples import Design


def asking_faults(edition: Mapping[str, Any]) -> Iterator[tuple[KeyPath, Fault]]:
    """The path of everything that does not fit the questions of attackers, and why."""
    for number, track in enumerate(tables_of(edition, "track")):
        for path, message in _question_faults(track, ("track", number)):
            yield path, Fault(str(message))


def _question_faults(track: Mapping[str, Any], at: KeyPath) -> Mistakes:
    each = track.get("targets_each")
    if track.get("questions", "shared") != "per attacker":
        if each is not None:
            yield (*at, "targets_each"), 'targets_each is for questions = "per attacker"'
        return
    if each is None:
        message = "say with targets_each about how many targets each attacker is asked"
        yield (*at, "questions"), message
    goal = cast(Goal | None, part_in("goal", track.get("goal")))
    if goal is not None and not _asks_apart(goal):
        fitting = (cls.name() for cls in parts("goal") if issubclass(cls, Goal) and _asks_apart(cls))
        message = f"{goal.id} cannot ask about some targets alone; these can: {', '.join(fitting)}"
        yield (*at, "goal"), message
    if table_of(track, "feedback").get("shown_on") is not None:
        yield (
            (*at, "feedback", "shown_on"),
            "the shown scores of one attacker would be about targets of the ranking of another; "
            "leave shown_on out, or share the questions",
        )
    for number, board in enumerate(tables_of(track, "board")):
        rule = cast(RankingRule | None, part_in("ranking", board))
        if rule is not None and rule.uses_found:
            yield (
                (*at, "board", number),
                "the board counts who found the same record, and attackers are asked about "
                "different people; share the questions, or leave found_by out",
            )
    targets = _targets(track)
    if isinstance(each, int) and targets is not None and each > targets:
        yield (*at, "targets_each"), f"the sample design has {targets} targets, fewer than {each}"


def _asks_apart(goal: Goal | type[Goal]) -> bool:
    return goal.by_target and goal.asks_apart


def _targets(track: Mapping[str, Any]) -> int | None:
    """How many targets the sample design has, if it says so."""
    sample = part_in("sample", track.get("sample"))
    return None if sample is None else cast(Design, sample).target_count
