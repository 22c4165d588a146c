"""Evidence assignment: weigh everything that purchases share by how far it can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.linkage.row_traits import Evidence, numbered, traits
from quintain.attacks.linkage.view import LinkageAttack, LinkageView, Month, assign, matched
from quintain.data.arrays import Floats, Rows
from quintain.registry import register

if TYPE_CHECKING:
    from scipy.sparse import csr_array

CANDIDATES = 30
"""So many persons per pseudonym are followed from month to month."""

FIRST = 0.5
"""The first estimate: half of the rows keep a trait."""

FEW = 128
"""Up to so many values, almost all persons share some, and dense products are faster."""

Trust = dict[str, float]


@register("evidence-assignment-v1")
class EvidenceAssignment(LinkageAttack):
    r"""Adds up log-likelihood ratios over everything two purchases can share, then matches.

    A published row keeps a trait of a row of its person with probability t; otherwise it has the
    trait of any row of the month. Let p be the share of a trait's value among the person's rows and
    q its share among all rows. Each row of a pseudonym then adds to the score of a person

    $$ \log(1 + \frac{t}{1 - t} \frac{p}{q}) $$

    summed over traits: item, day, price, quantity, exactly and roughly, and each with the item.
    The attack learns from the release how far it can trust a trait: after a first matching, t is
    the share of rows that seem to have kept it (expectation maximisation). So noise, swapped values
    and deleted rows lower the weight of the traits they change. Numbers of rows count as well.

    If pseudonyms stay the same from month to month, the evidence of all their months is added.

    Parameters
    ----------
    evidence : the attributes to compare. Where people swapped items but kept their own dates and
        prices, use ``["day", "price"]``.
    linked : add the evidence of other months under the same pseudonym.
    rounds : how often the attack estimates again how far it can trust each trait.

    References
    ----------
    Fellegi and Sunter, A theory for record linkage, JASA 64 (1969).

    >>> import numpy as np
    >>> import quintain as q
    >>> from quintain.testing.examples import experiment
    >>> sample, release = experiment("transactions")
    >>> question, truth = q.part("goal/linkage", first="2011-01", months=3).ask(sample, release)
    >>> knowledge, rng = q.Knowledge(question, sample.population), np.random.default_rng(0)
    >>> guess = q.attacks.EvidenceAssignment().infer(knowledge, release, rng=rng)
    >>> reading = q.measure("reidentification", guess, truth)["reid"]
    >>> f"finds {reading.value:.0%} of the pseudonyms"
    'finds 100% of the pseudonyms'
    """

    evidence: Annotated[tuple[Evidence, ...], Field(min_length=1, max_length=4)] = (
        "item",
        "day",
        "price",
        "quantity",
    )
    linked: bool = True
    rounds: Annotated[int, Field(ge=0, le=20)] = 1

    @classmethod
    def examples(cls) -> list[Self]:
        """All attributes, and dates and prices alone."""
        return [cls(), cls(evidence=("day", "price"), linked=False)]

    def link(self, view: LinkageView, *, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        """Match, learn which traits to trust, match again; then follow pseudonyms over months."""
        months = [Compared.of(month, self.evidence) for month in view.months()]
        trust: Trust = {}
        for _ in range(self.rounds):
            trust = learned(months, trust)
        scores = [month.score(trust) for month in months]
        if self.linked:
            scores = _followed(months, scores, len(view.shown.persons), len(view.known.persons))
        pseudonym_of = view.nothing()
        for compared, score in zip(months, scores, strict=True):
            assign(compared.month, score, pseudonym_of)
        return pseudonym_of


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """A month with the values of known and published rows, as numbers, for every trait."""

    month: Month
    values: dict[str, tuple[Rows, Rows, int]]

    @classmethod
    def of(cls, month: Month, evidence: tuple[Evidence, ...]) -> Compared:
        """Number the traits of a month's rows."""
        known, shown = (traits(s.bought, evidence) for s in (month.known, month.shown))
        return cls(month, {name: numbered(known[name], shown[name]) for name in known})

    def score(self, trust: Trust) -> Floats:
        """Pseudonyms x persons: the sum of log-likelihood ratios."""
        from scipy.sparse import hstack

        total = _sizes(self.month)
        many: list[tuple[csr_array, csr_array]] = []
        for name, (known, shown, size) in self.values.items():
            odds = trust.get(name, FIRST) / (1 - trust.get(name, FIRST))
            ratio = self._ratio(known, size)
            ratio.data = np.log1p(odds * ratio.data)
            count = self.month.shown.count(shown, size)
            if size <= FEW:
                total += count.toarray() @ ratio.toarray().T
            else:
                many.append((count, ratio))
        if many:
            counts, ratios = (hstack(side).tocsr() for side in zip(*many, strict=True))
            total += (counts @ ratios.T.tocsr()).toarray()
        return total

    def _ratio(self, known: Rows, size: int) -> csr_array:
        """Persons x values: how many times likelier a value is for one person than for any row."""
        from scipy.sparse import diags_array

        side = self.month.known
        overall = np.maximum(np.bincount(known, minlength=size), 1) / len(known)
        ratio = diags_array(1 / side.sizes()) @ side.count(known, size) @ diags_array(1 / overall)
        return ratio.tocsr()

    def kept(self, trust: Trust, person: Rows) -> dict[str, Floats]:
        """How likely each published row kept each trait, if the row belongs to this person."""
        out = {}
        rows = np.flatnonzero(person[self.month.shown.owner] >= 0)
        owner = person[self.month.shown.owner[rows]]
        for name, (known, shown, size) in self.values.items():
            odds = trust.get(name, FIRST) / (1 - trust.get(name, FIRST))
            ratio = odds * self._ratio(known, size)[owner, shown[rows]]
            out[name] = ratio / (1 + ratio)
        return out


def learned(months: list[Compared], trust: Trust) -> Trust:
    """Estimate which share of rows kept each trait, from the best matching so far."""
    kept: dict[str, list[Floats]] = {}
    for compared in months:
        for name, share in compared.kept(trust, matched(compared.score(trust))).items():
            kept.setdefault(name, []).append(share)
    means = {name: float(np.concatenate(shares).mean()) for name, shares in kept.items()}
    return {name: min(max(mean, 0.001), 0.999) for name, mean in means.items()}


def _sizes(month: Month) -> Floats:
    """Pseudonyms x persons: how well numbers of rows agree, if rows were deleted at random."""
    known, shown = month.known.sizes(), month.shown.sizes()
    kept = len(month.shown.owner) / len(month.known.owner)
    expected = known * kept
    # More rows than were known: nothing was deleted at random, and the spread must stay positive.
    spread = np.maximum(1 + expected * (1 - kept) + (0.1 * expected) ** 2, 0.01)
    score: Floats = -((shown[:, None] - expected) ** 2) / (2 * spread) - np.log(spread) / 2
    return np.maximum(score, -20)


def _followed(
    months: list[Compared], scores: list[Floats], pseudonyms: int, persons: int
) -> list[Floats]:
    """Add to the scores of each month the evidence for the same pair in other months.

    For each pseudonym only the best persons of a month count, by how far their scores are above the
    best score that does not count.
    """
    from scipy.sparse import csr_array

    excess = []
    for compared, score in zip(months, scores, strict=True):
        keep = min(CANDIDATES, score.shape[1] - 1)
        best = np.argpartition(-score, keep, axis=1)[:, : keep + 1]
        value = np.take_along_axis(score, best, axis=1)
        value -= value.min(axis=1, keepdims=True)
        pseudonym = np.repeat(compared.month.shown.everyone, keep + 1)
        person = compared.month.known.everyone[best.ravel()]
        shape = (pseudonyms, persons)
        excess.append(csr_array((value.ravel(), (pseudonym, person)), shape=shape))
    total = csr_array(sum(excess[1:], excess[0])) if excess else None
    out = []
    for compared, score, own in zip(months, scores, excess, strict=True):
        month = compared.month
        other = (total - own)[month.shown.everyone][:, month.known.everyone]
        out.append(score + other.toarray())
    return out
