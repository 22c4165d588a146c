"""Series: can attackers tell whose time series are in the original?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from quintain.attacks import Attack, ThreatModel, attack
from quintain.attacks.membership.series.averages import SeriesAverages
from quintain.attacks.membership.series.density_ratio import SeriesDensityRatio
from quintain.attacks.membership.series.fingerprint import Fingerprint
from quintain.attacks.membership.series.greedy_matching import GreedyMatching
from quintain.attacks.membership.series.knn import SeriesKnn
from quintain.attacks.membership.series.length import SeriesLength
from quintain.attacks.membership.series.nan_pattern import NanPattern
from quintain.attacks.membership.series.persons_or_rows import PersonsOrRows
from quintain.attacks.membership.series.rows.row_density import RowDensity
from quintain.audits.finding import Finding, NotComputed
from quintain.audits.panel import Evidence, PanelResult
from quintain.audits.panels.membership import Answered
from quintain.data import Series
from quintain.data.arrays import Mask, Rows
from quintain.errors import QuintainError
from quintain.guesses.membership import Membership, members_and_scores
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.membership.accuracy import Accuracy
from quintain.releases import Release, publish
from quintain.samples import Sample
from quintain.seeds import SeedTree

ATTACKS: tuple[Attack, ...] = (
    SeriesKnn(scaled_by="robust"),
    SeriesKnn(compare="time"),
    GreedyMatching(scaled_by="robust"),
    PersonsOrRows(scaled_by="robust"),
    NanPattern(),
    SeriesLength(),
    Fingerprint(scaled_by="robust"),
    SeriesDensityRatio(scaled_by="robust"),
    RowDensity(),
    SeriesAverages(),
)
"""The baselines of Hide-and-Seek, all but random guesses. One far-out value does not blind them."""


@dataclass(frozen=True, slots=True, eq=False)
class SeriesPool:
    """The persons of the original and of the control in random order, with new numbers.

    Parameters
    ----------
    records : the series of all persons.
    members : secret: which of them are in the original.
    rows : for each person the place in the original or in the control.
    """

    records: Series
    members: Mask
    rows: Rows

    @classmethod
    def of(cls, original: Series, control: Series, *, rng: np.random.Generator) -> SeriesPool:
        """Mix the persons of two sets of series with the same schema."""
        both = Series(
            original.schema,
            np.arange(len(original) + len(control)),
            np.concatenate([original.offsets, original.offsets[-1] + control.offsets[1:]]),
            np.concatenate([original.values, control.values]),
        )
        order = rng.permutation(len(both))
        rows = np.concatenate([np.arange(len(original)), np.arange(len(control))])[order]
        records = replace(both.take(order), ids=np.arange(len(both)))
        return cls(records, order < len(original), rows)

    def sample(self) -> Sample:
        """The pool as the sample of a contest: everybody is a target."""
        everyone, inside = np.arange(len(self.members)), np.flatnonzero(self.members)
        private = self.records.take(inside)
        return Sample(self.records, private, everyone, everyone, self.members, inside)


def series_panel(
    pool: SeriesPool,
    release: Release,
    *,
    rng: np.random.Generator,
    attacks: Sequence[Attack] = ATTACKS,
) -> PanelResult:
    """Ask every attack of Hide-and-Seek who of the pool is in the original.

    >>> from quintain.testing import example
    >>> people = example("series", rows=40)
    >>> half = len(people) // 2
    >>> original, control = people.take(range(half)), people.take(range(half, len(people)))
    >>> pool = SeriesPool.of(original, control, rng=np.random.default_rng(0))
    >>> result = series_panel(pool, Release(original), rng=np.random.default_rng(0))
    >>> next(str(f.reading) for f in result.findings if f.attack == "series-knn")
    '1 [...]'
    """
    seeds = SeedTree(rng.bytes(32))
    goal = Membership()
    shown = replace(release, data=publish(release.data, rng=seeds.rng("publish")))
    question, truth = goal.ask(pool.sample(), shown)
    threat = ThreatModel(goal)
    evidence, findings, left_out = [], [], []
    for number, attacker in enumerate(attacks):
        try:
            knowledge = threat.knowledge(question, base=pool.records)
            guess = attack(attacker, knowledge, shown, rng=seeds.rng("attack", number))
        except QuintainError as error:
            left_out.append(NotComputed(what=attacker.name(), reason=str(error)))
            continue
        members, scores = members_and_scores(truth, guess)
        answered = Answered(attacker, threat, Case(truth, guess), "")
        findings += [_accuracy(answered), *answered.findings(members, scores)]
        evidence.append(Evidence(attacker.name(), scores))
    return PanelResult(tuple(evidence), tuple(findings), tuple(left_out))


def _accuracy(answered: Answered) -> Finding:
    """The score of Hide-and-Seek: how many of the guesses are right."""
    measure = Accuracy()
    (reading,) = measure.measure([answered.case], rng=reading_rng()).values()
    return Finding(
        risk="membership",
        attack=answered.attacker.name(),
        parameters=answered.attacker.parameters(),
        name="accuracy",
        says=measure.in_people(reading.value) or measure.summary(),
        reading=reading,
        chance=0.5,
        threat=tuple(sentence for _, sentence in answered.threat.rows()),
    )
