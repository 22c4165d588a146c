"""Pseudonym: under which pseudonym does each person's trajectory appear?"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from quintain.data import Column, Schema, Table, Trajectories, as_trajectories
from quintain.errors import Faults, PartError
from quintain.guesses.goal import (
    TARGET,
    Guess,
    Question,
    Truth,
    check_targets,
    note_rows,
)
from quintain.guesses.known_traces import (
    KnownTracesGoal,
    KnownTracesQuestion,
    point_schema,
    published_place,
    target_points,
    traces_of,
)
from quintain.guesses.naming import PSEUDONYMS
from quintain.registry import register
from quintain.releases import Publication, Release
from quintain.samples import Sample
from quintain.wording.languages import say, tell

_PSEUDONYM = Column(name="pseudonym", kind="integer", low=0)
_ANSWER = Schema(columns=(TARGET, _PSEUDONYM))


@dataclass(frozen=True, slots=True, eq=False)
class PseudonymQuestion(KnownTracesQuestion):
    """Where each target was before, and how many pseudonyms the release has."""

    def known_traces(self) -> Trajectories:
        """The known trajectories, one per target, in the order of the targets."""
        return traces_of(self.table.drop(PSEUDONYMS.name))

    @property
    def pseudonyms(self) -> int:
        """How many people the release has; 0 if there is no target."""
        counts = self.table.columns[PSEUDONYMS.name]
        return int(counts[0]) if len(counts) else 0

    def answer(self, pseudonyms: npt.ArrayLike) -> Guess:
        """Make a guess from one pseudonym per target, in the order of :meth:`known_traces`."""
        targets = self.known_traces().ids
        columns = {"target": targets, "pseudonym": np.asarray(pseudonyms, np.int64)}
        return Guess(Table(_ANSWER, columns))

    def answer_by_pseudonym(
        self, published: Trajectories, pseudonyms: npt.ArrayLike, *, rng: np.random.Generator
    ) -> Guess:
        """The pseudonyms themselves are the answer."""
        return self.answer(pseudonyms)

    def blind(self, *, rng: np.random.Generator) -> Guess:
        """Give every target another pseudonym, at random, as long as there are enough."""
        targets, count = len(self.known_traces()), self.pseudonyms
        return self.answer(rng.choice(count, targets, replace=targets > count) if targets else [])


@register("pseudonym-v1")
class PseudonymGoal(KnownTracesGoal):
    """For each target, the pseudonym under which the release has the target's trajectory.

    Attackers know where each target was in an earlier period. The judge shuffles the trajectories
    of a release and numbers them from 0; these numbers are the pseudonyms. Whose trajectory it is
    depends on the name that the publisher gave it, not on the places in it. A publisher who gives
    everybody the trajectory of somebody else hides all names, and still publishes all places.

    References
    ----------
    Murakami et al., Designing a location trace anonymization contest, arXiv:2107.10407 (PWS Cup
    2019: ID disclosure).

    >>> import quintain as q
    >>> from quintain.testing.examples import exercise
    >>> question, truth, *_ = exercise(q.part("goal/pseudonym"), "trajectories")
    >>> {name: question.table.records()[0][name] for name in ("target", "pseudonyms", "x", "y")}
    {'target': 0, 'pseudonyms': 25, 'x': 5, 'y': 2}
    >>> truth.table.records()[0]
    {'target': 0, 'pseudonym': 18}
    """

    asks: ClassVar[type[Question]] = PseudonymQuestion
    by_target: ClassVar[bool] = True

    def hidden_bits(self, sample: Sample, *, half: bool = False) -> float:
        """The order of the trajectories."""
        return math.lgamma(len(sample.private) + 1) / math.log(2)

    def wish(self) -> str:
        """Describe the answer: one pseudonym per target."""
        return say("under which pseudonym each target appears, whose earlier places are known")

    def ask(self, sample: Sample, release: Release) -> tuple[Question, Truth]:
        """Ask about a release that is published as it is."""
        return self._ask(sample, release, Publication(release.data))

    def ask_published(
        self,
        sample: Sample,
        release: Release,
        published: Publication,
        *,
        rng: np.random.Generator,
    ) -> tuple[Question, Truth]:
        """Show the earlier places of all targets; keep the pseudonym of each."""
        return self._ask(sample, release, published)

    def _ask(
        self, sample: Sample, release: Release, published: Publication
    ) -> tuple[Question, Truth]:
        known, place = self.known_points(sample), published_place(sample, release, published)
        if (place < 0).any():
            raise PartError(
                f"{self.id} asks for whom each trajectory stands, and "
                f"{int((place < 0).sum())} of {len(place)} people have none in the release"
            )
        truth = {"target": known.ids, "pseudonym": place}
        question = self.about(known, as_trajectories(published.data))
        return question, Truth(Table(_ANSWER, truth))

    def about(self, known: Trajectories, published: Trajectories) -> PseudonymQuestion:
        """Show the known points, and how many people the release has."""
        points = target_points(known.with_ids(np.arange(len(known))))
        columns = {**points.columns, PSEUDONYMS.name: np.full(len(points), len(published))}
        return PseudonymQuestion(Table(self.question_schema(known.schema), columns))

    def trace_behind(self, guess: Guess, published: Trajectories, target: int) -> Trajectories:
        """The published trajectory that the guess names."""
        row = np.flatnonzero(guess.table.columns["target"].astype(np.str_) == str(target))
        return published.take(guess.table.columns["pseudonym"][row])

    def question_schema(self, data: Schema) -> Schema:
        """The name of the target, the number of pseudonyms, and the known points."""
        target, *others = point_schema(data).columns
        return Schema(columns=(target, PSEUDONYMS, *others))

    def truth_schema(self, data: Schema) -> Schema:
        """The name of the target and its pseudonym."""
        return _ANSWER

    def guess_schema(self, data: Schema) -> Schema:
        """The name of the target and a pseudonym."""
        return _ANSWER

    def question(self, table: Table, data: Schema) -> Question:
        """Rebuild the question from its file."""
        return PseudonymQuestion(table)

    def question_behind(self, truth: Truth, data: Schema) -> Question | None:
        """Return None: the truth does not show how many pseudonyms there are."""
        return None

    def check(self, guess: Guess, question: Question, faults: Faults) -> None:
        """Check that every target is answered once, with a pseudonym that exists."""
        assert isinstance(question, PseudonymQuestion)
        check_targets(guess.table, question.table, faults)
        given = guess.table.columns["pseudonym"]
        outside = np.flatnonzero(given >= question.pseudonyms)
        words = tell("the pseudonyms are 0..%(last)s", last=question.pseudonyms - 1)
        note_rows(faults, outside, "pseudonym", given, lambda _: words)
