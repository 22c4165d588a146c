"""Scored: the measures that the scoring program of a bundle computes, and their names there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scored:
    """A measure on the leaderboard.

    Parameters
    ----------
    keys : for each reading of the measure, in order, the beginning of its columns' names. The first
        is also the name of the measure in ``plan.json``, and its mean orders the leaderboard.
    title : its name on the leaderboard.
    text : what the evaluation page says about it.
    pooled : whether all repetitions are counted together; otherwise each repetition is measured
        and the mean is shown.
    """

    keys: tuple[str, ...]
    title: str
    text: str
    pooled: bool

    @property
    def key(self) -> str:
        """The beginning of the names of the columns that order the leaderboard."""
        return self.keys[0]


_TPR = Scored(
    ("tpr",),
    "True positive rate",
    "The true positive rate is the share of the members above the lowest threshold that lets "
    "at most {fpr:.4g} of the others pass. 1 is perfect.",
    pooled=False,
)
_CALLED = "A target is called a member if its probability is above one half."
MEMBERSHIP: Mapping[str, Scored] = {
    "measure/membership-advantage-v1": Scored(
        ("adv",),
        "Membership advantage",
        f"{_CALLED} The membership advantage is the share of the members called members, less the "
        "share of the others called members. 0 is chance, 1 is perfect, negative is worse than "
        "chance.",
        pooled=True,
    ),
    "measure/accuracy-v1": Scored(
        ("acc",),
        "Accuracy",
        f"{_CALLED} The accuracy is the share of the targets on the right side. 1 is perfect.",
        pooled=True,
    ),
    "measure/auc-v1": Scored(
        ("auc",),
        "Area under the curve",
        "The area under the curve is the chance that a random member gets a higher probability "
        "than a random other target; ties count half. 0.5 is chance, 1 is perfect.",
        pooled=False,
    ),
    "measure/tpr-at-fpr-v1": _TPR,
}
MEMBERSHIP_SET: Mapping[str, Scored] = {
    "measure/hit-rate-v1": Scored(
        ("hit",),
        "Hit rate",
        "The hit rate is the share of the named rows that were in the private data. 1 is perfect.",
        pooled=True,
    ),
}
ATTRIBUTE: Mapping[str, Scored] = {
    "measure/excess-accuracy-v1": Scored(
        ("excess", "beyond", "members", "control"),
        "Excess accuracy",
        "The excess accuracy is the share of the members whose hidden value is guessed right, less "
        "that share of the control group, which was not in the data. Columns `beyond_...` compare "
        "the members with the best blind guess instead: the most frequent value of the control "
        "group. Columns `members_...` and `control_...` are the two shares. 0 is chance, 1 is "
        "perfect.",
        pooled=True,
    ),
    "measure/excess-within-v1": Scored(
        ("within", "beyond", "members", "control"),
        "Excess within",
        "The score is the share of the members whose hidden number is guessed within "
        "{tolerance:.4g}, less that share of the control group, which was not in the data. Columns "
        "`beyond_...` compare the members with the best blind guess instead: the number that is "
        "right for most of the control group. Columns `members_...` and `control_...` are the two "
        "shares. 0 is chance, 1 is perfect.",
        pooled=True,
    ),
}
PUBLISHED_ROW: Mapping[str, Scored] = {
    "measure/rows-found-v1": Scored(
        ("rows",),
        "Rows found",
        "The score is the share of the targets with a row whose row is named. 1 is perfect.",
        pooled=True,
    ),
}
LINKABILITY: Mapping[str, Scored] = {
    "measure/halves-linked-v1": Scored(
        ("linked", "members", "control"),
        "Halves linked",
        "The score is the share of the members whose two halves are joined, less that share of the "
        "control group, which was not in the data. Columns `members_...` and `control_...` are the "
        "two shares. 0 is chance, 1 is perfect.",
        pooled=True,
    ),
}
SINGLING_OUT: Mapping[str, Scored] = {
    "measure/isolation-v1": Scored(
        ("excess", "isolated", "luck"),
        "Isolation",
        "The score is the share of the predicates that fit exactly one private record, less the "
        "share that would do so by luck. Columns `isolated_...` and `luck_...` are the two shares. "
        "0 is chance.",
        pooled=True,
    ),
}
HIDDEN_COLUMNS: Mapping[str, Scored] = {
    "measure/cells-found-v1": Scored(
        ("cells",),
        "Cells found",
        "The score is the share of the hidden values that are guessed right. 1 is perfect.",
        pooled=True,
    ),
}
LINKAGE: Mapping[str, Scored] = {
    "measure/reidentification-v1": Scored(
        ("reid",),
        "Re-identification",
        "The re-identification rate is the share of the persons and months with a pseudonym for "
        "which it is named. 1 is perfect. Where a cell may contain several names, `{credit}` "
        'decides what a right one is worth: "first" counts the first name only, "falling" gives '
        'the i-th of {names} names ({names} - i + 1) / {names}, and "shared" gives 1 / N for N '
        "names.",
        pooled=True,
    ),
}
