"""Parts that refuse: for tests of runs that go on without them."""

from typing import ClassVar

from quintain.attacks import Attack
from quintain.errors import DataError, Fault, KnowledgeError, PartError
from quintain.guesses import Question
from quintain.measures import ReleaseMeasure
from quintain.registry import register
from quintain.sanitizers import Sanitizer


class Shy(Sanitizer):
    """Refuses all data, or breaks where it has a mistake."""

    mistake: bool = False

    def sanitize(self, data, *, rng, noise):
        """Make no release."""
        if self.mistake:
            raise TypeError("a mistake in the code")
        raise PartError(f"shy needs bounds for age\nshy needs bounds for {len(data)} records")


class Picky(Attack):
    """Attacks only releases that claim nothing."""

    answers: ClassVar[tuple[type[Question], ...]] = (Question,)

    def infer(self, knowledge, release, *, rng):
        """Refuse a release with a claim."""
        if release.claim is not None:
            raise KnowledgeError("picky attacks no release with a claim")
        return knowledge.question.blind(rng=rng)


class Strict(ReleaseMeasure):
    """Measures nothing at all."""

    reads: ClassVar = {"strict": "lower"}

    def measure(self, original, release, test, *, rng):
        """Find a fault in every release."""
        raise DataError([Fault("strict reads no ages of people")])


def register_refusing_parts():
    """Register them; doctests import this module everywhere, so importing it must not."""
    register("shy-v1")(Shy)
    register("picky-v1")(Picky)
    register("strict-v1")(Strict)
