"""Shadow evidence: compare the release with a shadow release of the known purchases."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.attacks.linkage.evidence_assignment import EvidenceAssignment
from quintain.attacks.linkage.row_traits import Evidence
from quintain.attacks.linkage.view import LinkageView
from quintain.attacks.shadows import shadow_runs
from quintain.attacks.threat import Fact, Knowledge
from quintain.data import Transactions
from quintain.errors import KnowledgeError
from quintain.guesses import Guess
from quintain.kernels.purchases import Purchases
from quintain.registry import register
from quintain.releases import Release


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
    >>> from quintain.sanitizers.shadow import Shadow
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
        """The defaults, and all evidence."""
        return [cls(), cls(evidence=("item", "day", "price", "quantity"), linked=True)]

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Link the release with the shadow instead of the known purchases themselves."""
        view = LinkageView.of(replace(knowledge, base=_shadow(knowledge, rng)), release)
        return view.answer(self.link(view, rng=rng))


def _shadow(knowledge: Knowledge, rng: np.random.Generator) -> Transactions:
    """Make a shadow release that names each person; it leaves out deleted rows."""
    if not isinstance(knowledge.base, Transactions):
        raise KnowledgeError("linkage attacks need transactions as base data")
    (run,) = shadow_runs(knowledge, [knowledge.base], rng=rng)
    shadow = run.release.data
    if not isinstance(shadow, Transactions) or len(shadow) != len(knowledge.base):
        raise KnowledgeError(
            "a shadow release helps only if the sanitizer keeps one row per row of its input"
        )
    name = knowledge.base.person_column.name
    own = shadow.replace({name: knowledge.base.columns[name]})
    return own.take(np.flatnonzero(Purchases.of(shadow).live))
