"""Exported: the goals and measures that the scoring program of a bundle knows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from quintain.contests import Track
from quintain.guesses import MembershipSetQuestion, NamingQuestion, Question, Truth
from quintain.guesses.linkage import LinkageQuestion
from quintain.guesses.pseudonym import PseudonymQuestion
from quintain.guesses.published_row import PublishedRowQuestion
from quintain.guesses.singling_out import SinglingOutQuestion
from quintain.rankings import Entry
from quintain.rankings.trimming import average_name


@dataclass(frozen=True, slots=True)
class Scored:
    """A measure on the leaderboard.

    Parameters
    ----------
    keys : for each reading of the measure, in order, the beginning of its columns' names. The first
        is also the name of the measure in ``plan.json``, and its average orders the leaderboard.
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
NAMING: Mapping[str, Scored] = {
    "measure/people-named-v1": Scored(
        ("named",),
        "People named",
        "The score is the share of the targets with a pseudonym whose pseudonym is named. 1 is "
        "perfect.",
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
_BESIDE_CONTROL = (
    "less that share of the control group, which was not in the data. Columns `beyond_...` "
    "compare the members with the best blind guess instead: the most frequent value of the control "
    "group in each column. Columns `members_...` and `control_...` are the two shares. 0 is chance."
)
RECONSTRUCTION: Mapping[str, Scored] = {
    "measure/cells-exact-v1": Scored(
        ("cells", "beyond", "members", "control"),
        "Cells rebuilt exactly",
        "The score is the share of the hidden values of members that are guessed right, "
        f"{_BESIDE_CONTROL}",
        pooled=True,
    ),
    "measure/cells-near-v1": Scored(
        ("near", "beyond", "members", "control"),
        "Cells rebuilt nearly",
        "The score is the share of the hidden values of members that are guessed right, numbers "
        "within {tolerance:.4g} of the distance between the bounds of their column, "
        f"{_BESIDE_CONTROL}",
        pooled=True,
    ),
    "measure/cells-by-rarity-v1": Scored(
        ("rarity", "beyond", "members", "control"),
        "Cells rebuilt, by rarity",
        "A hidden value weighs one over the number of targets with this value, so rare values "
        "count more. Numbers are equal within {tolerance:.4g} of the distance between the bounds "
        "of their column. The score is the weighted share of the hidden values of members that are "
        f"guessed right, the mean over columns, {_BESIDE_CONTROL}",
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


Facts = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ExportedGoal:
    """A goal on CodaBench.

    Parameters
    ----------
    module : the file of the scoring program that checks and measures its guesses.
    facts : of a question, what a guess is checked against; nothing secret.
    about : the key of the facts that lists what the truth is about; empty if no list is public.
    answer : how to answer, for the evaluation page.
    measures : the measures that the scoring program computes, by id.
    fields : the parameters of the goal that the check needs, beside the facts of the question.
    luck : for goals whose guesses have conditions on the columns of the data, what luck explains
        of each number of matches; it depends on the sizes of the truth alone.
    """

    module: str
    facts: Callable[[Question], Facts]
    about: str
    answer: str
    measures: Mapping[str, Scored]
    fields: tuple[str, ...] = ()
    luck: Callable[[Truth], dict[str, list[float]]] | None = None


def _targets(question: Question) -> Facts:
    names = np.unique(question.table.columns["target"].astype(np.str_))
    return {"targets": names.tolist()}


def _rows(question: Question) -> Facts:
    assert isinstance(question, MembershipSetQuestion)
    return {"population": question.population, "guesses": question.guesses}


def _targets_and_rows(question: Question) -> Facts:
    assert isinstance(question, PublishedRowQuestion)
    return {**_targets(question), "published": question.published}


def _targets_and_pseudonyms(question: Question) -> Facts:
    assert isinstance(question, NamingQuestion)
    return {**_targets(question), "published": question.published}


def _targets_and_traces(question: Question) -> Facts:
    assert isinstance(question, PseudonymQuestion)
    return {**_targets(question), "published": question.pseudonyms}


def _targets_and_halves(question: Question) -> Facts:
    return {**_targets(question), "halves": len(question.table)}


def _predicates(question: Question) -> Facts:
    assert isinstance(question, SinglingOutQuestion)
    return {"predicates": question.predicates}


def _isolation_luck(truth: Truth) -> dict[str, list[float]]:
    from scipy.stats import hypergeom

    members = int((truth.table.columns["member"] == 1).sum())
    others = len(truth.table) - members
    chances = hypergeom.pmf(1, others, np.arange(others + 1), members)
    return {f"{members}/{others}": chances.tolist()}


def _persons(question: Question) -> Facts:
    assert isinstance(question, LinkageQuestion)
    return {"persons": question.persons().tolist()}


EXPORTED: Mapping[str, ExportedGoal] = {
    "goal/membership-v1": ExportedGoal(
        "membership",
        _targets,
        "targets",
        "List every target of the task once, with the probability that its records were in the "
        "private data.",
        MEMBERSHIP,
    ),
    "goal/membership-set-v1": ExportedGoal(
        "membership_set",
        _rows,
        "",
        "List rows of the population that were in the private data, counted from 0: as many as the "
        "question asks for, all different.",
        MEMBERSHIP_SET,
    ),
    "goal/attribute-v1": ExportedGoal(
        "attribute",
        _targets,
        "targets",
        "List every target of the task once, with its hidden value.",
        ATTRIBUTE,
    ),
    "goal/published-row-v1": ExportedGoal(
        "published_row",
        _targets_and_rows,
        "targets",
        "List every target of the task once, with the row of the release that is about it, counted "
        "from 0. If a target may have no row, an empty cell says so.",
        PUBLISHED_ROW,
    ),
    "goal/naming-v1": ExportedGoal(
        "naming",
        _targets_and_pseudonyms,
        "targets",
        "List every target of the task once, with the pseudonym of the release that is this "
        "person. If a target may have none, an empty cell says so.",
        NAMING,
    ),
    "goal/pseudonym-v1": ExportedGoal(
        "pseudonym",
        _targets_and_traces,
        "targets",
        "List every target of the task once, with the pseudonym of the release that is this "
        "person's trajectory.",
        NAMING,
    ),
    "goal/linkability-v1": ExportedGoal(
        "linkability",
        _targets_and_halves,
        "targets",
        "List every target of the task once, with the number of the right half that belongs to it.",
        LINKABILITY,
    ),
    "goal/singling-out-v1": ExportedGoal(
        "singling_out",
        _predicates,
        "",
        "List predicates, each of which should fit exactly one private record. A row is a "
        "condition: the number of its predicate, a column, and the values from one end to the "
        "other. A predicate may have several rows.",
        SINGLING_OUT,
        luck=_isolation_luck,
    ),
    "goal/hidden-columns-v1": ExportedGoal(
        "hidden_columns",
        _targets,
        "targets",
        "List every target of the task once, with its hidden values.",
        HIDDEN_COLUMNS,
    ),
    "goal/reconstruction-v1": ExportedGoal(
        "reconstruction",
        _targets,
        "targets",
        "List every target of the task once, with its hidden values.",
        RECONSTRUCTION,
    ),
    "goal/linkage-v1": ExportedGoal(
        "linkage",
        _persons,
        "persons",
        "List every person once, with the pseudonym of each month, or the mark for none.",
        LINKAGE,
        fields=("guesses",),
    ),
}


def exported_goal(track: Track) -> ExportedGoal:
    """What the bundle knows about the goal of a track; of several goals, a bundle has one."""
    return EXPORTED[track.aims[0].goal.id]


def board_measure(track: Track) -> Scored:
    """The first measure of guesses of a track, as the leaderboard shows it."""
    return exported_goal(track).measures[track.guess_measures[0].measure.id]


@dataclass(frozen=True, slots=True)
class SiteAverage:
    """The last column of the leaderboard, by which CodaBench orders teams.

    Parameters
    ----------
    trim : the share of the lowest readings, and of the highest, that is left out.
    unranked : whether attacks on a release without a rank count.
    official : whether a board of the edition has this average and nothing else.
    """

    trim: float = 0.0
    unranked: bool = False
    official: bool = False

    @property
    def name(self) -> str:
        """Mean, trimmed mean or median."""
        return average_name(self.trim)

    def select(self, entries: Iterable[Entry]) -> list[str]:
        """The entries that count for attackers, as far as it is known now."""
        return [entry.id for entry in entries if self.unranked or entry.can_be_ranked]


def site_average(track: Track) -> SiteAverage:
    """The average of the first board of attackers that averages what the bundle measures.

    A mean of all readings if no board does: CodaBench needs a column to order teams by.
    """
    (reading, *_) = track.guess_measures[0].reads
    for board in track.board:
        trim = board.rule.trims.get(reading)
        if trim is not None:
            alone = len(board.rule.trims) == 1 and not board.rule.follows
            return SiteAverage(trim, board.unranked == "count", alone)
    return SiteAverage()


def parameters(track: Track) -> dict[str, Any]:
    """The parameters of the first measure of guesses, as ``plan.json`` has them."""
    return track.guess_measures[0].measure.model_dump(mode="json")
