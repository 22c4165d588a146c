"""Rounds: how many times teams play, and what counts at the end.

All rounds of the guide have the same rules. They differ in their names and in the dates of their
phases; private data are drawn anew for each. A contest with one round has no name for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from quintain.wording.languages import to_say

MOST_ROUNDS = 9
TOGETHER: Mapping[str, str] = {
    "all": to_say("All rounds together"),
    "last": to_say("The last round alone"),
}
"""What counts at the end of a contest with several rounds."""


@dataclass(frozen=True, slots=True)
class GuidedRound:
    """A round with its phases.

    Parameters
    ----------
    at : where its keys stand in the edition file, as the names of its fields begin.
    id, title : empty if the contest has one round, which needs no name.
    """

    at: str
    id: str
    title: str
    phases: tuple[dict[str, Any], ...]

    @property
    def is_dated(self) -> bool:
        """Whether every phase opens and closes by itself."""
        return all("opens" in phase and "closes" in phase for phase in self.phases)


def with_number(rounds: Sequence[GuidedRound], number: int) -> list[GuidedRound]:
    """So many rounds: the last ones are taken out, or new ones follow, as long as the last one."""
    made = list(rounds[:number])
    while len(made) < number:
        made.append(_following(made[-1]))
    return made


def _following(last: GuidedRound) -> GuidedRound:
    """A round like another one, which opens when that one closes."""
    if not last.is_dated:
        return replace(last, id="", title="")
    length = last.phases[-1]["closes"] - last.phases[0]["opens"]
    phases = [
        {
            key: value + length if isinstance(value, datetime) else value
            for key, value in phase.items()
        }
        for phase in last.phases
    ]
    return replace(last, id="", title="", phases=tuple(phases))


def round_keys(
    rounds: Sequence[GuidedRound], boards: Sequence[Mapping[str, Any]], together: str
) -> dict[str, Any]:
    """The keys for rounds: their phases, and boards over all of them.

    Parameters
    ----------
    boards : those that every round has.
    together : what counts at the end, a key of ``TOGETHER``.
    """
    if len(rounds) == 1:
        return {"phase": list(rounds[0].phases), "track": None, "overall": None}
    ids = [guided_round.id or f"round-{place}" for place, guided_round in enumerate(rounds, 1)]
    tracks = [
        {
            "id": name,
            "title": guided_round.title or f"Round {place}",
            "phase": list(guided_round.phases),
        }
        for place, (name, guided_round) in enumerate(zip(ids, rounds, strict=True), 1)
    ]
    over_all = boards_over_all(boards, ids) if together == "all" else None
    return {"phase": None, "track": tracks, "overall": over_all}


def boards_over_all(
    boards: Sequence[Mapping[str, Any]], rounds: Sequence[str]
) -> list[dict[str, Any]]:
    """For every board of the rounds, one over all of them; the last one has the podium.

    So the order is turned round: the first board of a round is the one that counts most.
    """
    return [_over_all(board, rounds) for board in reversed(boards)]


def _over_all(board: Mapping[str, Any], rounds: Sequence[str]) -> dict[str, Any]:
    """A board over all rounds.

    A sum counts 0 for a round that a team left out. Where the lowest score wins that would be the
    best one, so ranks are added up there, of teams that have one in every round.
    """
    names = [f"{name}/{board['id']}" for name in rounds]
    made = {"id": board["id"], "title": f"{board.get('title', board['id'])}, all rounds"}
    if board.get("shown") == "risk":
        return {**made, "use": "inverse-rank-sum", "boards": names}
    return {**made, "use": "weighted-sum", "boards": dict.fromkeys(names, 1)}
