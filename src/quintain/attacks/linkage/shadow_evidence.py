"""Shadow evidence: compare the release with what the sanitizer makes of the known purchases."""

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
    """Runs the sanitizer on the known purchases, and compares the release with what comes out.

    Row i of such a shadow release stands for row i of what is known, so it shows under which
    dates, prices and numbers of rows everybody can be expected. What the sanitizer decides without
    chance is then no protection. Otherwise as evidence-assignment-v1.

    Parameters
    ----------
    evidence : the attributes that are looked at; those that chance decides only disturb.
    linked : add the evidence of other months under the same pseudonym.
    rounds : how often traits are weighed anew.
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
    """The shadow release with everybody under their own name; deleted rows are left out."""
    if not isinstance(knowledge.base, Transactions):
        raise KnowledgeError("pseudonyms are linked in transactions, with transactions known")
    (run,) = shadow_runs(knowledge, [knowledge.base], rng=rng)
    shadow = run.release.data
    if not isinstance(shadow, Transactions) or len(shadow) != len(knowledge.base):
        raise KnowledgeError("a shadow is of use only if its rows stand for those of its input")
    name = knowledge.base.person_column.name
    own = shadow.replace({name: knowledge.base.columns[name]})
    return own.take(np.flatnonzero(Purchases.of(shadow).live))
