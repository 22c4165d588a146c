"""Risk: one harm that a release can do to people. Audits run every registered risk that fits.

A risk is a part in a file of its own: the question that attackers are asked, their attacks, what
reads the answers, and the words of the report. A plugin adds one as it adds an attack.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Literal, cast

import numpy as np

from quintain import registry
from quintain.attacks import Attack
from quintain.audits.pool import Evidence, PeoplePool, Pool, RecordPool, RowsOfTable
from quintain.audits.results import Finding, Histories, NotComputed
from quintain.data import Data, as_table
from quintain.data.data_part import DataPart
from quintain.errors import KnowledgeError
from quintain.guesses import Question
from quintain.jobs.executor import SERIAL, Executor
from quintain.jobs.progress import track
from quintain.randomness.seeds import SeedTree
from quintain.releases import Release

BY_USER = "added"
"""Attacks that the user adds draw from seeds of their own, so that no other figure moves."""

Added = Sequence[tuple[Attack, np.random.Generator]]
"""Attacks that the user adds, each with its own draws."""

Criterion = Literal["presence", "isolation", "connection", "deduction"]
"""What regulators ask about: who is in the data, who stands alone, whose records can be joined, and
what can be concluded about somebody. A dossier cites a risk wherever a document asks about one of
its criteria."""

Piece = Callable[[], Any]
"""A piece of an audit's work that needs no other one, and can be sent to another process."""


@dataclass(frozen=True, slots=True)
class RiskWords:
    """A risk for people who decide; risks with the same harm share their words.

    Parameters
    ----------
    title : its name.
    question : what an attacker wants.
    success : what a share of members means, with the places {total}, {found} and {about}.
    more : what a difference means, with the place {more} as well.
    others : what the same share means for people outside the data.
    reference : what a difference is a difference to.
    name : what the list of what was left out calls it; by default the title.
    says : what a dossier says that attackers do; by default the question.
    place : where reports show it; smaller numbers first, then by the name in findings.
    always : whether every report names it, measured or not.
    criteria : what regulators ask that it speaks to.
    """

    title: str
    question: str
    success: str = "Of {total} people in the data, the attack succeeds for {found}"
    more: str = "Of {total} people in the data, the attack succeeds for {found} {more}"
    others: str = "of {total} people outside the data, {found}"
    reference: str = "than outside the data"
    name: str = ""
    says: str = ""
    place: int = 100
    always: bool = False
    criteria: tuple[Criterion, ...] = ()

    def noun(self) -> str:
        """What the list of what was left out calls the risk.

        >>> RiskWords("Singling out", "").noun(), RiskWords("Inference", "", name="guesses").noun()
        ('singling out', 'guesses')
        """
        return self.name or self.title.lower()


@dataclass(frozen=True, slots=True)
class RiskResult:
    """What the attacks of one risk found.

    Parameters
    ----------
    evidence : for the one test of the whole audit.
    findings : for the report.
    not_computed : which attacks or columns were left out, and why.
    histories : what the rows of people give away together, if that is what the risk is about.
    without_rows : of people with several tables, those whose single rows no attack looked at.
    """

    evidence: tuple[Evidence, ...] = ()
    findings: tuple[Finding, ...] = ()
    not_computed: tuple[NotComputed, ...] = field(default=())
    histories: Histories | None = None
    without_rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class AuditedRelease:
    """What the risks of an audit look at.

    Parameters
    ----------
    original : the private data; attackers do not get them unless the question says so.
    pool : original and control, mixed; None for data that are audited without a control.
    known, secrets : what attackers know of a person, and what they want to know.
    added : attacks that the user adds.
    people : people and pseudonyms with all their rows; None if the release does not tell which rows
        belong together.
    tables : of people with several tables, the rows of each table. The units are places in the
        pool, which has one record for each person. Else empty.
    """

    original: Data
    release: Release
    seeds: SeedTree
    pool: Pool | RecordPool | None = None
    known: Sequence[str] | None = None
    secrets: Sequence[str] | None = None
    added: tuple[Attack, ...] = ()
    people: PeoplePool | None = None
    tables: Mapping[str, RowsOfTable] = field(default_factory=dict)

    def mixed_release(self) -> Release:
        """The released table in random order, for attacks that choose among released rows.

        They prefer the first of equally near ones. If the rows of the original came first, they
        would find members by the order alone, which is a finding of its own (``RowOrder``).
        """
        table = as_table(self.release.data)
        rows = self.seeds.rng("order").permutation(len(table))
        return replace(self.release, data=table.take(rows))

    def table_pool(self) -> Pool:
        """The pool of an audit of tables."""
        assert isinstance(self.pool, Pool)  # risks for tables are asked about tables alone
        return self.pool


class Risk(DataPart, ABC):
    """One harm: a question, attacks that answer it, measures that read them, and words.

    Attributes
    ----------
    harm : what findings and reports call it; risks for other kinds of data may share it.
    seed : where its draws come from.
    turn : when it is asked; smaller numbers first, then by id. The order is part of the joint test.
    asks : the question; attacks that answer it can be added by users.
    needs_control : whether an audit without a control leaves it out.
    several_rows : whether it is about people with several rows alone.
    only_added : whether it has no attacks of its own, and users add all of them.
    curves : whether its evidence says who is in the data, so that reports draw ROC curves of it.
    """

    family: ClassVar[str] = "risk"
    harm: ClassVar[str]
    seed: ClassVar[str]
    turn: ClassVar[int] = 100
    asks: ClassVar[type[Question]]
    words: ClassVar[RiskWords]
    needs_control: ClassVar[bool] = True
    several_rows: ClassVar[bool] = False
    only_added: ClassVar[bool] = False
    curves: ClassVar[bool] = False

    @abstractmethod
    def measure(self, audited: AuditedRelease, *, rng: np.random.Generator) -> RiskResult:
        """Ask all attacks, and read their answers."""

    def pieces(self, audited: AuditedRelease, *, rng: np.random.Generator) -> Sequence[Piece]:
        """The same work in pieces, for several workers; one piece unless a risk says otherwise."""
        return [partial(self.measure, audited, rng=rng)]

    def join(self, audited: AuditedRelease, outcomes: Sequence[Any]) -> RiskResult:
        """What the outcomes of all pieces say together, in the order of the pieces."""
        return cast(RiskResult, outcomes[0])

    def added(self, audited: AuditedRelease) -> Added:
        """The attacks of the user that answer the question of this risk, each with its draws."""
        fitting = [attack for attack in audited.added if self.takes(attack)]
        return [
            (attack, audited.seeds.rng(self.seed, BY_USER, number))
            for number, attack in enumerate(fitting)
        ]

    @classmethod
    def takes(cls, attack: Attack) -> bool:
        """Whether an attack answers the question of this risk."""
        return issubclass(cls.asks, attack.answers)


def fitting_risks(shape: str) -> list[Risk]:
    """Every registered risk for this kind of data, in the order in which they are asked.

    >>> names = [risk.name() for risk in fitting_risks("table")]
    >>> names[:4], names[4:]
    (['membership-risk', 'inference-risk', 'linkability-risk', 'singling-out-risk'],
     ['histories-risk', 'aggregates-risk', 'rows-risk', 'secret-values-risk', 'linked-parts-risk',
      'reconstruction-risk'])
    """
    return [risk for risk in every_risk() if shape in risk.shapes]


def every_risk() -> list[Risk]:
    """Every registered risk, in the order in which audits ask them."""
    made = [cast(type[Risk], part)() for part in registry.parts("risk")]
    return sorted(made, key=lambda risk: (risk.turn, risk.id))


def risks_without_control(
    shape: str, added: Sequence[Attack] = (), *, one_row: bool = True
) -> tuple[str, ...]:
    """The names of all risks that an audit of such data asks only if it has a control.

    >>> risks_without_control("table")
    ('membership inference', 'attribute inference', 'linkability', 'singling out')
    >>> risks_without_control("transactions")
    ()
    """
    names = [
        risk.words.noun()
        for risk in fitting_risks(shape)
        if risk.needs_control
        and not (risk.several_rows and one_row)
        and (not risk.only_added or any(map(risk.takes, added)))
    ]
    return tuple(dict.fromkeys(names))


def risks_of_other_data(shape: str) -> tuple[str, ...]:
    """The names of the risks that every report names and that nobody asks about such data.

    >>> risks_of_other_data("series"), risks_of_other_data("table")
    (('attribute inference', 'linkability', 'singling out'), ())
    """
    harms = {risk.harm for risk in fitting_risks(shape)}
    others = [risk for risk in every_risk() if risk.words.always and risk.harm not in harms]
    return tuple(dict.fromkeys(risk.words.noun() for risk in others))


def run_risks(
    audited: AuditedRelease, executor: Executor = SERIAL, others: Sequence[Piece] = ()
) -> tuple[list[tuple[Risk, RiskResult]], list[Any]]:
    """Ask every risk that fits the data, and do other pieces of work beside.

    The results do not depend on how many workers do it. Without a control, the risks that need one
    are not asked.
    """
    fitting = fitting_risks(audited.release.data.schema.shape)
    risks = [risk for risk in fitting if audited.pool is not None or not risk.needs_control]
    pieces = [risk.pieces(audited, rng=audited.seeds.rng(risk.seed)) for risk in risks]
    every = [piece for of_risk in pieces for piece in of_risk]
    outcomes = run_pieces([*others, *every], executor, "attacks")
    beside, rest = outcomes[: len(others)], iter(outcomes[len(others) :])
    measured = [
        (risk, risk.join(audited, [next(rest) for _ in of_risk]))
        for risk, of_risk in zip(risks, pieces, strict=True)
    ]
    return measured, beside


def run_pieces(pieces: Sequence[Piece], executor: Executor, title: str) -> list[Any]:
    """The outcomes of all pieces, in their order.

    >>> run_pieces([partial(sum, (1, 2)), partial(max, (5, 4))], SERIAL, "sums")
    [3, 5]
    """
    finished = executor.run(_finish, list(enumerate(pieces)))
    return [outcome for _, outcome in sorted(track(finished, title, len(pieces)), key=_place)]


def _finish(numbered: tuple[int, Piece]) -> tuple[int, Any]:
    number, piece = numbered
    return number, piece()


def _place(numbered: tuple[int, Any]) -> int:
    return numbered[0]


def find_attacks(given: Sequence[Attack | str], shape: str) -> tuple[Attack, ...]:
    """The attacks that a user adds, by name or as parts; raises with all that no risk can ask."""
    attacks = [
        cast(Attack, registry.build("attack", attack)) if isinstance(attack, str) else attack
        for attack in given
    ]
    faults = list(_unusable(attacks, fitting_risks(shape), shape))
    if faults:
        raise KnowledgeError("\n".join(faults))
    return tuple(attacks)


def _unusable(attacks: Sequence[Attack], risks: Sequence[Risk], shape: str) -> Iterator[str]:
    questions = ", ".join(f"{risk.asks.about()} ({risk.name()})" for risk in risks)
    for attack in attacks:
        if not isinstance(attack, Attack):
            yield f"{attack!r} is not an attack"
        elif not any(risk.takes(attack) for risk in risks):
            about = " or ".join(question.about() for question in attack.answers)
            yield f"{attack.id} answers questions about {about}; an audit asks about {questions}"
        elif shape not in attack.shapes:
            yield f"{attack.id} is for {' or '.join(attack.shapes)}, not for {shape}"
