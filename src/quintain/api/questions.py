"""Questions: what a notebook asks an attack, about data frames of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from quintain.api.inputs import names_of, read_as, unpack_release
from quintain.attacks.attack import Attack
from quintain.data import Data, Schema, Table, Trees, as_trajectories, as_transactions, is_data
from quintain.data.arrow import to_arrow
from quintain.data.frames import arrow_of
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.learn import learn
from quintain.errors import KnowledgeError
from quintain.guesses import Goal, NamingQuestion, Question
from quintain.guesses.attribute import Attribute
from quintain.guesses.goal import target_table
from quintain.guesses.hidden_columns import HiddenColumns
from quintain.guesses.known_traces import KnownTracesGoal
from quintain.guesses.linkability import Linkability
from quintain.guesses.linkage import Linkage
from quintain.guesses.membership import Membership, MembershipQuestion
from quintain.guesses.membership_set import MembershipSet
from quintain.guesses.naming import PSEUDONYMS, Naming
from quintain.guesses.pseudonym import PseudonymGoal
from quintain.guesses.published_row import RELEASE_ROWS, PublishedRow
from quintain.guesses.reconstruction import Reconstruction
from quintain.guesses.singling_out import SinglingOut
from quintain.guesses.trace import TraceGoal
from quintain.wording.suggestion import suggestion

GoalName = Literal[
    "membership",
    "attribute",
    "published-row",
    "hidden-columns",
    "reconstruction",
    "linkability",
    "membership-set",
    "singling-out",
    "linkage",
    "naming",
    "pseudonym",
    "trace",
]
"""The goals by name; a goal itself has its own parameters."""

_GOALS: dict[GoalName, type[Goal]] = {
    "membership": Membership,
    "attribute": Attribute,
    "published-row": PublishedRow,
    "hidden-columns": HiddenColumns,
    "reconstruction": Reconstruction,
    "linkability": Linkability,
    "membership-set": MembershipSet,
    "singling-out": SinglingOut,
    "linkage": Linkage,
    "naming": Naming,
    "pseudonym": PseudonymGoal,
    "trace": TraceGoal,
}
"""Where an attack answers several questions, the first of them is the default."""

_WITHOUT_TARGETS = (MembershipSet, SinglingOut, Linkage)
_INFERRED = (Attribute, HiddenColumns)
_WITH_KNOWN = (*_INFERRED, PublishedRow)
_SHOWING_COLUMNS = (*_WITH_KNOWN, Linkability)


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """What the user of a notebook asks for, before the columns are known.

    Parameters
    ----------
    targets : a frame; for linkability, the left and the right halves side by side.
    population : a frame; None if attackers do not know the population.
    goal : the goal, if it was given with its parameters; else its class.
    secrets, known : the columns to infer, and those that attackers know; None if nothing is said.
    header : whether the first rows of files have the column names; None if nobody said it.
    """

    targets: Any
    population: Any
    goal: Goal | type[Goal]
    secrets: tuple[str, ...] = ()
    known: tuple[str, ...] | None = None
    header: bool | None = None

    @classmethod
    def of(
        cls,
        attack: Attack,
        goal: GoalName | Goal | None,
        *,
        targets: Any,
        population: Any,
        secret: str | Sequence[str],
        known: Sequence[str] | None,
        header: bool | None,
    ) -> Asked:
        """Check what was given against the goal; raises with every fault."""
        secrets = _secrets(secret)
        chosen = goal if isinstance(goal, Goal) else _fitting_goal(attack, goal, secrets)
        kind = chosen if isinstance(chosen, type) else type(chosen)
        name = kind.name()
        faults: list[str] = []
        if isinstance(chosen, Goal) and (secrets or known is not None):
            faults.append("goal= is a goal with its own columns: leave secret= and known= out")
        elif isinstance(chosen, type):
            faults += _faults_of_columns(attack, kind, secrets, known)
        if issubclass(kind, _WITHOUT_TARGETS):
            if targets is not None:
                faults.append(f"{name} is about everybody: leave targets= out")
            if population is None and kind is not SinglingOut:
                faults.append(f"{name} asks about everybody in the population: give population=")
        elif targets is None:
            faults.append(f"{name} asks about targets: give targets=, with one row for each")
        if issubclass(kind, Linkability) and targets is not None:
            targets, chosen = _join_halves(targets, chosen, faults, header)
        if faults:
            raise KnowledgeError("\n".join(faults))
        return cls(
            None if targets is None else unpack_release(targets),
            None if population is None else unpack_release(population),
            chosen,
            secrets,
            None if known is None else tuple(known),
            header,
        )

    def frames(self) -> dict[str, Any]:
        """The frames that are compared with the release, by name."""
        named = {"targets": self.targets, "population": self.population}
        return {name: frame for name, frame in named.items() if frame is not None}

    def columns_not_shown(self, release: Any) -> set[str]:
        """The columns of the release that the targets may lack."""
        goal = self.goal
        secrets: tuple[str, ...]
        if isinstance(goal, Attribute):
            secrets, known = (goal.column,), goal.knows
        elif isinstance(goal, HiddenColumns):
            secrets, known = goal.columns, goal.knows
        elif isinstance(goal, PublishedRow):
            secrets, known = (), goal.knows
        elif isinstance(goal, Linkability):
            secrets, known = (), (*goal.left, *goal.right)
        else:
            secrets, known = self.secrets, self.known
        unknown = () if known is None else set(names_of(release, self.header)) - set(known)
        return {*secrets, *unknown}

    def question(
        self, release: Data, targets: Data | None, population: Data | None
    ) -> tuple[Goal, Question]:
        """The goal with its question about data that were read, under the schema of the release."""
        schema = release.schema.records
        _require_names(schema, {"infer": self.secrets, "know": self.known or ()})
        goal = self.goal if isinstance(self.goal, Goal) else self._goal(schema, population)
        goal.require(schema)
        if isinstance(goal, Membership):
            return goal, MembershipQuestion(_number_targets(read_as(targets, schema)))
        if isinstance(goal, KnownTracesGoal):
            known = as_trajectories(read_as(targets, schema))
            return goal, goal.about(known, as_trajectories(release))
        if isinstance(goal, SinglingOut):
            counts = {"records": [len(release)], "predicates": [goal.predicates]}
            return goal, goal.question(Table.of(goal.question_schema(schema), counts), schema)
        if population is not None and (question := goal.question_about(population)) is not None:
            return goal, question
        if not isinstance(goal, _SHOWING_COLUMNS):
            raise KnowledgeError(f"a notebook cannot ask for {goal.name()}: play a contest")
        return goal, _about_targets(goal, schema, targets, len(release))

    def _goal(self, schema: Schema, population: Data | None) -> Goal:
        """The goal by its name, with the columns that the user named."""
        kind = self.goal
        if kind is Attribute:
            return Attribute(column=self.secrets[0], knows=self.known)
        if isinstance(kind, type) and issubclass(kind, HiddenColumns):
            return kind(columns=self.secrets, knows=self.known)
        if kind is PublishedRow:
            return PublishedRow(knows=self.known)
        if kind is Linkage:
            return _all_months(population)
        assert isinstance(kind, type)
        return kind()


def ask_about_people(
    attack: Attack, goal: GoalName | Goal | None, release: Trees, targets: Trees | None
) -> tuple[Goal, Question]:
    """The goal with its question about targets who have rows in several tables."""
    chosen = goal if isinstance(goal, Goal) else _fitting_goal(attack, goal, ())()
    chosen.require(release.schema)
    if not isinstance(chosen, Membership | Naming):
        raise KnowledgeError(f"a notebook cannot ask for {chosen.name()} about several tables")
    if targets is None:
        raise KnowledgeError(f"{chosen.name()} asks about targets: give targets=, their tables")
    numbers = np.arange(len(targets))
    rows = target_table(targets, numbers, numbers)
    if isinstance(chosen, Membership):
        return chosen, MembershipQuestion(rows)
    count = {PSEUDONYMS.name: np.full(len(rows), len(release))}
    table = Table(chosen.question_schema(release.schema), {**rows.columns, **count})
    return chosen, NamingQuestion(table, chosen.absent, whole=False)


def asks_about_targets(
    attack: Attack, goal: GoalName | Goal | None, secret: str | Sequence[str] = ""
) -> bool:
    """Whether the goal, or the one that secret and attack suggest, asks about given targets."""
    chosen = goal if isinstance(goal, Goal) else _fitting_goal(attack, goal, _secrets(secret))
    kind = chosen if isinstance(chosen, type) else type(chosen)
    return not issubclass(kind, _WITHOUT_TARGETS)


def _secrets(secret: str | Sequence[str]) -> tuple[str, ...]:
    return tuple(filter(None, [secret])) if isinstance(secret, str) else tuple(secret)


def _fitting_goal(attack: Attack, goal: GoalName | None, secrets: tuple[str, ...]) -> type[Goal]:
    """The goal that was named, or the one that the secrets and the attack suggest."""
    if goal is not None:
        if goal not in _GOALS:
            raise KnowledgeError(f"unknown goal {goal!r}{suggestion(goal, list(_GOALS))}")
        return _GOALS[goal]
    if secrets:
        return Attribute if len(secrets) == 1 else HiddenColumns
    fitting = (kind for kind in _GOALS.values() if issubclass(kind.asks, attack.answers))
    return next(fitting, Membership)


def _faults_of_columns(
    attack: Attack, kind: type[Goal], secrets: tuple[str, ...], known: Sequence[str] | None
) -> list[str]:
    faults = []
    if issubclass(kind, _INFERRED) and not secrets:
        faults.append(f"{attack.id} infers a column: name it in secret=")
    if secrets and not issubclass(kind, _INFERRED):
        faults.append("secret= names the column to infer, for questions about attribute alone")
    if len(secrets) > 1 and kind is Attribute:
        faults.append('attribute has one secret=; for several columns, goal="hidden-columns"')
    if known is not None and not issubclass(kind, _WITH_KNOWN):
        faults.append(f"known= is for secrets and published rows, not for {kind.name()}")
    return faults


def _join_halves(
    targets: Any, goal: Goal | type[Goal], faults: list[str], header: bool | None
) -> tuple[Any, Goal | type[Goal]]:
    """Two frames side by side, with the goal that has the columns of each."""
    if not isinstance(targets, tuple | list) or len(targets) != 2:
        if not isinstance(goal, Goal):
            faults.append("linkability joins two frames: give targets=(left, right)")
        return targets, goal
    left, right = (_as_arrow(unpack_release(half), header) for half in targets)
    both = [name for name in left.column_names if name in right.column_names]
    if both:
        faults.append(f"these columns are in both halves of the targets: {', '.join(both)}")
    if len(left) != len(right):
        faults.append(
            f"the halves are about the same people, but the left one has {len(left)} rows and the "
            f"right one {len(right)}"
        )
    if faults:
        return targets, goal
    for name in right.column_names:
        left = left.append_column(name, right.column(name))
    if isinstance(goal, Goal):
        return left, goal
    names = left.column_names[: -len(right.column_names)]
    return left, Linkability(left=tuple(names), right=tuple(right.column_names))


def _as_arrow(given: Any, header: bool | None) -> pa.Table:
    if isinstance(given, str | PathLike):
        file = InputTable.of(given, header=header)
        given = learn(file).read(file)
    return to_arrow(given) if is_data(given) else arrow_of(given)


def _require_names(schema: Schema, named: dict[str, tuple[str, ...]]) -> None:
    """Raise with every column that somebody named and the release does not have."""
    faults = [
        f"unknown column to {verb} {name!r}{suggestion(name, list(schema.names))}"
        for verb, names in named.items()
        for name in names
        if name not in schema
    ]
    if faults:
        raise KnowledgeError("\n".join(faults))


def _about_targets(goal: Goal, schema: Schema, targets: Any, published: int) -> Question:
    """The question of a goal that shows some columns of numbered targets."""
    wanted = goal.question_schema(schema)
    names = [name for name in wanted.names if name in schema]
    table = _number_targets(read_as(targets, schema.select(names)))
    numbers = np.arange(len(table))
    columns = {RELEASE_ROWS.name: np.full(len(table), published), "half": numbers, **table.columns}
    return goal.question(Table(wanted, {name: columns[name] for name in wanted.names}), schema)


def _all_months(population: Data | None) -> Linkage:
    """To name the pseudonyms of all people in all months of the population."""
    if population is None or not Linkage.can_see(population.schema):
        raise KnowledgeError(
            "linkage is about transactions: give data of this kind, or schema= with the shape "
            "transactions"
        )
    return Linkage.of_all_months(as_transactions(population))


def _number_targets(records: Data) -> Table:
    numbers = np.arange(len(records))
    return target_table(records, numbers, numbers)
