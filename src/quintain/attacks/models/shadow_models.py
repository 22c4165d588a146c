"""Shadow models: how sure would a model be of a target with it, and without it?

An attacker who knows the population trains models like the released one. Each learns from half of
the targets, chosen by coins, and from other people.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.attacks.attack import Attack
from quintain.attacks.shadows import without_ids
from quintain.attacks.threat import Fact, Knowledge
from quintain.data import Table, TrainedModel, as_model, as_table
from quintain.data.arrays import Floats, Mask, Rows
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.kernels.classifiers import is_answered, label_confidence, train_like
from quintain.registry import register
from quintain.releases import Release

_LEAST_SPREAD = 1e-3
_UNSURE = 2e-3
"""Confidence closer to 0 or 1 counts as this: a leaf of one record is sure of everything."""
_MOST_OTHERS = 1000
"""With how many other people each target is compared, if attackers may ask about as many."""


@dataclass(frozen=True, slots=True, eq=False)
class Shadows:
    """What shadow models say.

    Parameters
    ----------
    sure : the log odds that each model gives to the true label of each target, a row per model.
    others : the same for people of the population who are no targets.
    inside : which targets each model learned from.
    """

    sure: Floats
    others: Floats
    inside: Mask


def log_odds_of_labels(model: TrainedModel, records: Table) -> Floats:
    """How sure a model is of the true labels, in log odds, which are nearly normal."""
    sure = np.clip(label_confidence(model, records), _UNSURE, 1 - _UNSURE)
    return np.asarray(np.log(sure) - np.log1p(-sure))


class ShadowModelAttack(Attack):
    """An attack that trains models like the released one on people of the population.

    Where attackers may run the sanitizer, they train with it. Otherwise they train a model of the
    same architecture and size by a usual recipe.

    Parameters
    ----------
    shadows : how many models it trains.
    rows : how many records each of them learns from; by default twice as many as there are targets.
    """

    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)
    needs: ClassVar[frozenset[Fact]] = frozenset({"base"})
    shapes: ClassVar[tuple[str, ...]] = ("model",)

    shadows: Annotated[int, Field(ge=4, le=1000)] = 16
    rows: Annotated[int, Field(ge=1)] | None = None

    def infer(self, knowledge: Knowledge, release: Release, *, rng: np.random.Generator) -> Guess:
        """Train shadow models, and compare the released model with them."""
        question, model = knowledge.question_as(MembershipQuestion), as_model(release.data)
        records = question.records()
        others = _others(without_ids(knowledge.population()), records)
        others = others.take(rng.permutation(len(others)))
        owner = question.target_of_row()
        compared = others.take(np.flatnonzero(is_answered(model, others))[:_MOST_OTHERS])
        known = _train(self, knowledge, model, records, owner, others, compared, rng)
        seen = log_odds_of_labels(model, records)
        score = self.score(seen, log_odds_of_labels(model, compared), known)
        return question.answer_by_rank(question.by_target(score))

    @abstractmethod
    def score(self, seen: Floats, others: Floats, known: Shadows) -> Floats:
        """How much the released model speaks for each target row being inside.

        Parameters
        ----------
        seen, others : what the released model says of the targets, and of other people.
        """


def _others(base: Table, records: Table) -> Table:
    """The people of the population who are like no target."""
    base = base.select(records.schema.names)
    keys = base.concat(records).row_keys()
    return base.take(~np.isin(keys[: len(base)], keys[len(base) :]))


def _train(
    attack: ShadowModelAttack,
    knowledge: Knowledge,
    model: TrainedModel,
    records: Table,
    owner: Rows,
    others: Table,
    compared: Table,
    rng: np.random.Generator,
) -> Shadows:
    rows = attack.rows or 2 * len(records)
    targets = int(owner.max()) + 1
    sure, elsewhere, inside = [], [], []
    for _ in range(attack.shadows):
        members = (rng.permutation(targets) < targets / 2)[owner]
        wanted = min(max(rows - int(members.sum()), 1), len(others))
        filler = others.take(rng.choice(len(others), wanted, replace=False))
        sample = records.take(members).concat(filler)
        if knowledge.code is None:
            shadow = train_like(model, sample, rng=rng)
        else:
            shadow = as_model(knowledge.code(as_table(sample), rng=rng).release.data)
        sure.append(log_odds_of_labels(shadow, records))
        elsewhere.append(log_odds_of_labels(shadow, compared))
        inside.append(members)
    return Shadows(np.array(sure), np.array(elsewhere), np.array(inside))


@register("shadow-models-v1")
class ShadowModels(ShadowModelAttack):
    """Asks how likely the model's confidence is if the target was inside, and if it was not (LiRA).

    For each target, the log odds that shadow models give to its label have one mean among models
    that learned from it and another among the others. The score is the ratio of the two normal
    likelihoods. All targets share one spread, because few models tell little about each.

    Parameters
    ----------
    shadows : how many models it trains.
    rows : how many records each of them learns from; by default twice as many as there are targets.

    References
    ----------
    Carlini, Chien, Nasr, Song, Terzis and Tramèr (2022), Membership inference attacks from first
    principles.

    >>> import numpy as np
    >>> import quintain as q
    >>> everybody = q.part("adult", rows=120).data(np.random.default_rng(1))
    >>> forest = q.part("train-forest", label="income", trees=10)
    >>> release = q.sanitize(forest, everybody.take(range(60)), seed=1)
    >>> known = {"targets": everybody.take(range(40, 80)), "population": everybody}
    >>> guess = q.attack("shadow-models", release, **known, shadows=8, rows=60, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 20 + [False] * 20)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.71; chance is 0.50'
    """

    def score(self, seen: Floats, others: Floats, known: Shadows) -> Floats:
        """The log of the ratio of both likelihoods."""
        inside, sure = known.inside, known.sure
        within, without = (
            np.where(mask, sure, 0).sum(axis=0) / np.maximum(mask.sum(axis=0), 1)
            for mask in (inside, ~inside)
        )
        centred = sure - np.where(inside, within, without)
        spread = max(float(centred.std()), _LEAST_SPREAD)
        return np.asarray(((seen - without) ** 2 - (seen - within) ** 2) / (2 * spread**2))


@register("reference-models-v1")
class ReferenceModels(ShadowModelAttack):
    """Compares each target with other people: is the model more sure of it than usual (RMIA)?

    Reference models say how sure a model usually is of a record. The released model's confidence
    is divided by their mean. The score is the share of other people whose ratio is lower by the
    factor ``gamma``.

    Parameters
    ----------
    shadows : how many models it trains.
    rows : how many records each of them learns from; by default twice as many as there are targets.
    gamma : how many times larger the ratio of a target must be than that of another person.

    References
    ----------
    Zarifzadeh, Liu and Shokri (2024), Low-cost high-power membership inference attacks.

    >>> import numpy as np
    >>> import quintain as q
    >>> everybody = q.part("adult", rows=120).data(np.random.default_rng(1))
    >>> forest = q.part("train-forest", label="income", trees=10)
    >>> release = q.sanitize(forest, everybody.take(range(60)), seed=1)
    >>> known = {"targets": everybody.take(range(40, 80)), "population": everybody}
    >>> guess = q.attack("reference-models", release, **known, shadows=8, rows=60, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 20 + [False] * 20)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.86; chance is 0.50'
    """

    gamma: Annotated[float, Field(ge=1)] = 1.0

    def score(self, seen: Floats, others: Floats, known: Shadows) -> Floats:
        """The share of other people with a lower ratio; then the ratio itself, to break ties."""
        ratio, usual = (
            _confidence(released) / _confidence(shadows).mean(axis=0)
            for released, shadows in ((seen, known.sure), (others, known.others))
        )
        below = np.searchsorted(np.sort(usual), ratio / self.gamma, side="right") / max(
            len(usual), 1
        )
        return np.asarray(below + 1e-9 * ratio)


def _confidence(log_odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-log_odds)))
