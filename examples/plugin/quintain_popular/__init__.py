"""An example of a plugin: importing this module registers its attack."""

from typing import ClassVar

import numpy as np

from quintain.attacks import Attack, Knowledge
from quintain.data import as_table
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.registry import register
from quintain.releases import Release


@register("popular-v1")
class Popular(Attack):
    """Guesses that targets with a rare combination of values in the release were in the data.

    >>> import pandas as pd
    >>> import quintain as q
    >>> jobs = q.Column(name="job", kind="category", values=("baker", "nurse", "smith"))
    >>> release = pd.DataFrame({"job": ["baker", "baker", "baker", "smith"]})
    >>> targets = pd.DataFrame({"job": ["baker", "smith", "nurse"]})
    >>> attack, schema = Popular(columns=1), q.Schema(columns=(jobs,))
    >>> guess = q.attack(attack, release, targets=targets, schema=schema)
    >>> print(guess.to_pandas().round(2).to_string(index=False))
    target  probability
         0         0.50
         1         0.83
         2         0.17

    Parameters
    ----------
    columns : how many of the first columns make a combination.
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)

    columns: int = 2

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Score targets higher the rarer their combination is in the release; absent ones get 0."""
        question, released = knowledge.question_as(MembershipQuestion), as_table(release.data)
        names = released.schema.names[: self.columns]
        both = question.records().select(names).concat(released.select(names)).row_keys()
        counts = np.bincount(both[len(question.table) :], minlength=int(both.max()) + 1)
        seen = counts[both[: len(question.table)]]
        return question.answer_by_rank(question.by_target(np.where(seen > 0, 1 / (1 + seen), 0.0)))
