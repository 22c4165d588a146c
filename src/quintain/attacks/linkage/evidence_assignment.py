"""Evidence assignment: weigh everything that purchases share by how far it can be trusted.

Purchases share traits: numbers by which two of them can be compared, exactly and roughly. Where the
attacker may run the sanitizer, a shadow release of the known purchases stands for them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.linkage.view import LinkageAttack, LinkageView, Month, assign, best_owners
from quintain.attacks.shadows import shadow_runs
from quintain.attacks.threat import Fact, Knowledge
from quintain.data import Transactions, as_transactions
from quintain.data.arrays import Array, Floats, Rows
from quintain.errors import KnowledgeError
from quintain.guesses import Guess
from quintain.kernels.purchases import Purchases
from quintain.registry import register
from quintain.releases import Release

if TYPE_CHECKING:
    from scipy.sparse import csr_array


Evidence = Literal["item", "day", "price", "quantity"]

DAYS = 5
"""So many days in a row count as about the same day."""
LEVEL = 0.25
"""Prices and quantities whose logarithms are in the same stretch of this length are about equal."""

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
            trust = learn_trust(months, trust)
        scores = [month.score(trust) for month in months]
        if self.linked:
            scores = _add_other_months(
                months, scores, len(view.shown.persons), len(view.known.persons)
            )
        pseudonym_of = view.nothing()
        for compared, score in zip(months, scores, strict=True):
            assign(compared.month, score, pseudonym_of)
        return pseudonym_of


@register("shadow-evidence-v1")
class ShadowEvidence(EvidenceAssignment):
    """Runs the sanitizer on the known purchases, and compares the release with the result.

    Row i of this shadow release stands for row i of the known purchases. So it shows the dates,
    prices and numbers of rows to expect for each person. Changes that the sanitizer makes without
    chance then protect nobody. Everything else is as in evidence-assignment-v1.

    Parameters
    ----------
    evidence : the attributes to compare; leave out those that the sanitizer changes at random.
    linked : add the evidence of other months under the same pseudonym.
    rounds : how often the attack estimates again how far it can trust each trait.

    >>> import numpy as np
    >>> import quintain as q
    >>> from quintain.testing.examples import experiment
    >>> from quintain.sanitizers.sanitizer import Shadow
    >>> sample, _ = experiment("transactions")
    >>> sanitizer = q.part("sanitizer/pseudonyms")
    >>> release = q.sanitize(sanitizer, sample.population, seed=1)
    >>> question, truth = q.part("goal/linkage", first="2011-01", months=3).ask(sample, release)
    >>> knowledge = q.Knowledge(question, sample.population, code=Shadow(sanitizer))
    >>> rng = np.random.default_rng(0)
    >>> guess = q.attacks.ShadowEvidence().infer(knowledge, release, rng=rng)
    >>> reading = q.measure("reidentification", guess, truth)["reid"]
    >>> f"finds {reading.value:.0%} of the pseudonyms"
    'finds 100% of the pseudonyms'
    """

    needs: ClassVar[frozenset[Fact]] = frozenset({"base", "code"})

    evidence: Annotated[tuple[Evidence, ...], Field(min_length=1, max_length=4)] = ("day", "price")
    linked: bool = False

    @classmethod
    def examples(cls) -> list[Self]:
        """Examples for the test battery: the defaults, and all evidence."""
        return [cls(), cls(evidence=("item", "day", "price", "quantity"), linked=True)]

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Link the release with the shadow instead of the known purchases themselves."""
        view = LinkageView.of(replace(knowledge, base=_shadow(knowledge, rng)), release)
        return view.answer(self.link(view, rng=rng))


def traits(bought: Purchases, evidence: tuple[Evidence, ...]) -> dict[str, Array]:
    """Compute one value per row for each trait; two rows share a trait if the values are equal.

    Traits are the exact attributes, rough values in two overlapping grids (so that close values
    share a cell of at least one grid), and each attribute together with the item.
    """
    columns: dict[str, Array] = {}
    if "item" in evidence:
        kinds = np.unique([name[:3] for name in bought.items], return_inverse=True)[1]
        columns |= {"item": bought.item, "kind of item": kinds[bought.item]}
    if "day" in evidence:
        columns |= {"day": bought.day}
        columns |= {f"about the day {i}": (bought.day + i * DAYS // 2) // DAYS for i in (0, 1)}
    for name in ("price", "quantity"):
        if name in evidence:
            value = getattr(bought, name)
            level = np.log(np.maximum(value, 1e-9)) / LEVEL
            columns[name] = value
            columns |= {f"about the {name} {i}": np.floor(level + i / 2) for i in (0, 1)}
    if "item" in evidence:
        for name in set(evidence) - {"item"}:
            both = columns[name].astype(np.float64) * len(bought.items) + bought.item
            columns[f"item and {name}"] = both
    return dict(sorted(columns.items()))


def number_values(known: Array, shown: Array) -> tuple[Rows, Rows, int]:
    """Number the distinct values of two sides; equal values get equal numbers. Also their count."""
    values, code = np.unique(np.concatenate([known, shown]), return_inverse=True)
    return code[: len(known)], code[len(known) :], len(values)


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """A month with the values of known and published rows, as numbers, for every trait."""

    month: Month
    values: dict[str, tuple[Rows, Rows, int]]

    @classmethod
    def of(cls, month: Month, evidence: tuple[Evidence, ...]) -> Compared:
        """Number the traits of a month's rows."""
        known, shown = (traits(s.bought, evidence) for s in (month.known, month.shown))
        return cls(month, {name: number_values(known[name], shown[name]) for name in known})

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

    def kept_shares(self, trust: Trust, person: Rows) -> dict[str, Floats]:
        """How likely each published row kept each trait, if the row belongs to this person."""
        out = {}
        rows = np.flatnonzero(person[self.month.shown.owner] >= 0)
        owner = person[self.month.shown.owner[rows]]
        for name, (known, shown, size) in self.values.items():
            odds = trust.get(name, FIRST) / (1 - trust.get(name, FIRST))
            ratio = odds * self._ratio(known, size)[owner, shown[rows]]
            out[name] = ratio / (1 + ratio)
        return out


def learn_trust(months: list[Compared], trust: Trust) -> Trust:
    """Estimate which share of rows kept each trait, from the best matching so far."""
    kept: dict[str, list[Floats]] = {}
    for compared in months:
        for name, share in compared.kept_shares(trust, best_owners(compared.score(trust))).items():
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


def _add_other_months(
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
    for compared, score, beyond in zip(months, scores, excess, strict=True):
        month = compared.month
        other = (total - beyond)[month.shown.everyone][:, month.known.everyone]
        out.append(score + other.toarray())
    return out


def _shadow(knowledge: Knowledge, rng: np.random.Generator) -> Transactions:
    """Make a shadow release that names each person; it leaves out deleted rows."""
    if knowledge.base is None:
        raise KnowledgeError("linkage attacks need transactions as base data")
    base = as_transactions(knowledge.base)
    (run,) = shadow_runs(knowledge, [base], rng=rng)
    shadow = as_transactions(run.release.data)
    if len(shadow) != len(base):
        raise KnowledgeError(
            "a shadow release helps only if the sanitizer keeps one row per row of its input"
        )
    name = base.person_column.name
    own = shadow.replace({name: base.columns[name]})
    return own.take(np.flatnonzero(Purchases.of(shadow).live))
