"""Scored: the measures that the scoring program of a bundle computes, and their names there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from quintain.contests import Track
from quintain.errors import QuintainError


@dataclass(frozen=True, slots=True)
class Scored:
    """A measure on the leaderboard.

    Parameters
    ----------
    key : the beginning of its columns' names, and its name in ``plan.json``.
    title : its name on the leaderboard.
    text : what the evaluation page says about it.
    pooled : whether the targets of all repetitions are counted together; otherwise each repetition
        is measured and the mean is shown.
    """

    key: str
    title: str
    text: str
    pooled: bool


_TPR = Scored(
    "tpr",
    "True positive rate",
    "The true positive rate is the share of the members above the lowest threshold that lets "
    "at most {fpr:.4g} of the others pass. 1 is perfect.",
    pooled=False,
)
_CALLED = "A target is called a member if its probability is above one half."
SCORED: Mapping[str, Scored] = {
    "measure/membership-advantage-v1": Scored(
        "adv",
        "Membership advantage",
        f"{_CALLED} The membership advantage is the share of the members called members, less the "
        "share of the others called members. 0 is chance, 1 is perfect, negative is worse than "
        "chance.",
        pooled=True,
    ),
    "measure/accuracy-v1": Scored(
        "acc",
        "Accuracy",
        f"{_CALLED} The accuracy is the share of the targets on the right side. 1 is perfect.",
        pooled=True,
    ),
    "measure/auc-v1": Scored(
        "auc",
        "Area under the curve",
        "The area under the curve is the chance that a random member gets a higher probability "
        "than a random other target; ties count half. 0.5 is chance, 1 is perfect.",
        pooled=False,
    ),
    "measure/tpr-at-fpr-v1": _TPR,
    "measure/tpr-at-fpr-v2": _TPR,  # the versions differ in their intervals alone
}


def scored(track: Track) -> Scored:
    """The first privacy measure of a track, if the scoring program can compute it."""
    measure = track.guess_measures[0].measure
    if measure.id not in SCORED:
        raise QuintainError(
            f"track {track.id} is measured first by {measure.id}, which the scoring program for "
            f"CodaBench cannot compute; list one of these first: {', '.join(SCORED)}"
        )
    return SCORED[measure.id]


def parameters(track: Track) -> dict[str, Any]:
    """The parameters of the first privacy measure, as ``plan.json`` has them."""
    return track.guess_measures[0].measure.model_dump(mode="json")
