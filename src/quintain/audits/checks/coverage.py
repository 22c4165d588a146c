"""Coverage: what of the release no attack looked at, and texts that name people in it.

Attacks compare attributes. Ids and free texts are none, so the attacks leave them out, and so they
do with columns that two tables write differently. A verdict must not hide that.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from quintain.audits.verdict import Judgement
from quintain.measures.pooled.joint_test import log_choose

FEWEST_PEOPLE = 10
"""From so many released texts on, which only people of the original have, a release is unsafe."""
_LEVEL = 0.001
_MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Coverage:
    """What of a release the attacks compare, and what the rest tells without them.

    Parameters
    ----------
    compared : how many columns of the release the attacks see.
    uncompared : the names of the others, except those that never vary.
    proofs : why texts that were left out make the release unsafe, in sentences.
    notes : the same where no control says how many texts agree by chance.
    """

    compared: int
    uncompared: tuple[str, ...] = ()
    proofs: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def limits(self) -> tuple[str, ...]:
        """What the reader of the verdict should know, in sentences."""
        if not self.uncompared:
            return self.notes
        names = ", ".join(repr(name) for name in self.uncompared[:_MOST_NAMED])
        more = len(self.uncompared) - _MOST_NAMED
        names += f" and {more} more" if more > 0 else ""
        count = f"{len(self.uncompared)} of {self.compared + len(self.uncompared)}"
        uncompared = f"No attack looked at {count} columns of the release: {names}. The verdict "
        return (*self.notes, f"{uncompared}does not cover them; below is said why.")

    def judged(self, verdict: Judgement) -> Judgement:
        """The verdict, or "cannot-say" if nothing was found in the smaller part of the columns."""
        if verdict.verdict != "nothing-found" or len(self.uncompared) <= self.compared:
            return verdict
        reason = (
            f"The attacks found nothing, but they could compare only {self.compared} of "
            f"{self.compared + len(self.uncompared)} columns of the release with the original."
        )
        return Judgement("cannot-say", (reason, *verdict.reasons), verdict.limits)


def named_people(column: str, texts: Mapping[str, Collection[str]]) -> tuple[str, str]:
    """A proof, and a note, that a column of ids or texts is released as it is; empty if it is not.

    By chance, the release has as many texts that only the original has as texts that only the
    control has, in proportion. An exact test (Fisher) compares them. Row numbers agree by chance,
    and so they prove nothing.

    Parameters
    ----------
    texts : for "original", "release" and perhaps "control" the different texts of the column.

    >>> names = {"original": {f"a{i}" for i in range(50)}, "control": {f"b{i}" for i in range(50)}}
    >>> named_people("name", {**names, "release": {f"a{i}" for i in range(20)}})[0]
    "The release has 20 texts of the column 'name' which only people of the original have."
    >>> named_people("name", {**names, "release": {f"{k}{i}" for k in "ab" for i in range(20)}})
    ('', '')
    """
    original, released = set(texts["original"]), set(texts["release"])
    if "control" not in texts:
        same = len(original & released)
        words = f"The release has {same:,} of the {len(original):,} texts of the column {column!r} "
        words += "of the original. If they are no mere row numbers, they tell who these people are."
        return "", words if same >= FEWEST_PEOPLE else ""
    control = set(texts["control"])
    inside, outside = original - control, control - original
    hits, false = len(inside & released), len(outside & released)
    beyond = hits - false * len(inside) / max(1, len(outside))
    if beyond < FEWEST_PEOPLE or not outside or _chance(hits, false, inside, outside) > _LEVEL:
        return "", ""
    words = f"The release has {hits:,} texts of the column {column!r} which only people of the "
    return f"{words}original have.", ""


def _chance(hits: int, false: int, inside: set[str], outside: set[str]) -> float:
    """How probable so many hits are if the release takes texts from both sides alike."""
    many = np.arange(hits, min(hits + false, len(inside)) + 1)
    ways = log_choose(len(inside), many) + log_choose(len(outside), hits + false - many)
    total = log_choose(len(inside) + len(outside), np.array(hits + false))
    return float(np.exp(ways - total).sum())
