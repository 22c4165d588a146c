"""Inference: does the release help to guess what somebody keeps secret?

This is one of the three risks that the European guidance names. The method is our own: it is the
contest of the goal ``attribute``, asked for one column after the other. The control group shows
what anybody could guess from correlations in the population (Yeom and others).

References
----------
Article 29 Data Protection Working Party, Opinion 05/2014 on anonymisation techniques. Yeom et al.,
Privacy risk in machine learning, CSF 2018 (attribute advantage).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from quintain.attacks import Attack, LinearReconstruction, MajorityGivenKnown, Nearest, ThreatModel
from quintain.attacks.nearest import search_ahead
from quintain.audits.asking import (
    NOT_COMPARED,
    SharedColumns,
    ask,
    attempt_all,
    findings_beside_control,
    threat_sentences,
)
from quintain.audits.pool import Evidence, Pool
from quintain.audits.results import Finding, NotComputed
from quintain.audits.risk import Added, AuditedRelease, Risk, RiskResult, RiskWords
from quintain.data.arrays import Floats, Mask, Rows
from quintain.data.codec import missing_cells
from quintain.guesses import Question
from quintain.guesses.attribute import Attribute, AttributeQuestion
from quintain.kernels.associated_pairs import MANY_COLUMNS
from quintain.measures import Case, GuessMeasure, reading_rng
from quintain.measures.intervals import bounded_mean, mean_difference
from quintain.measures.pooled.detectable import smallest_rate
from quintain.measures.privacy.excess_accuracy import (
    ExcessAccuracy,
    ExcessWithin,
    hidden_numbers,
    near,
)
from quintain.registry import register
from quintain.releases import Release

_CELLS = 3 * 10**7  # released cells that are read for all secret columns together
_FEWEST = 3  # secret columns that are asked about, however large the table is
_PAIRS = 15 * 10**9  # pairs of cells that are compared at most
_LEAST_TARGETS = 300
_SETS = 300  # sets of columns for a reconstruction of 10,000 records or fewer
_NOTICED = 1.68  # half-widths of a 95 % interval: missed in 5 % of audits, if alarms are 5 %
_NEAR = 0.05  # a number is nearly right within this share of the middle nine tenths


@dataclass(frozen=True, eq=False)
class _Answer:
    """What an attack guessed for one secret column.

    Parameters
    ----------
    goal : the question with the names that the user knows.
    """

    attacker: Attack
    goal: Attribute
    measure: GuessMeasure
    case: Case

    @property
    def tolerance(self) -> float:
        """How far a guess may be from a right one."""
        return self.measure.tolerance if isinstance(self.measure, ExcessWithin) else 0.0

    @cached_property
    def _hidden(self) -> tuple[Mask, Floats, Floats]:
        """Who is in the original, hidden numbers and guessed numbers."""
        return hidden_numbers(self.case.truth, self.case.guess)

    @property
    def members(self) -> Mask:
        """Who of the people asked about is in the original."""
        return self._hidden[0]

    @property
    def right(self) -> Mask:
        """Whose value is guessed right, or nearly right."""
        _, values, guesses = self._hidden
        return near(values, guesses, self.tolerance)

    def surprise(self) -> Floats:
        """How rare it is, in nats, to have about this person's value; members or not."""
        _, values, _ = self._hidden
        arranged, reach = np.sort(values), self.tolerance
        like = np.searchsorted(arranged, values + reach, "right")
        like = like - np.searchsorted(arranged, values - reach, "left")
        return np.asarray(-np.log(like / len(values)))


def measure_inference(
    pool: Pool,
    release: Release,
    *,
    known: Sequence[str] | None = None,
    secrets: Sequence[str] | None = None,
    rng: np.random.Generator,
    targets: int = 2_000,
    added: Added = (),
) -> RiskResult:
    """Hide one column after the other from attackers, who know others, and let them guess it.

    Parameters
    ----------
    known : the columns that attackers know; by default all but the secret one.
    secrets : the columns to guess; by default each column that attackers do not know, or each
        column in turn if they know all others.
    targets : how many random people of the pool attackers are asked about. Of large tables, some
        columns are chosen at random, and fewer people are asked about, to save time.
    added : attacks of the user, which are asked after the others.
    """
    view = SharedColumns.of(pool, release)
    every, faults = _questions(view, known, secrets)
    cells = len(view.released) * max(1, len(view.names))
    questions, left_out = _choose(every, _most(len(view.released), len(view.names)), rng)
    faults += left_out
    most = max(_LEAST_TARGETS, _PAIRS // max(1, len(questions) * cells))
    rows = rng.choice(len(pool), min(targets, len(pool), most), replace=False)
    few = view.at(rows)
    if len(questions) > 1:
        search_ahead(few.pool.records, few.released)
    answers: list[_Answer] = []
    for goal in questions:
        answered, refused = _answers(few, goal, rng, added)
        answers += answered
        faults += refused
    by_attack: dict[str, list[_Answer]] = {}
    for answer in answers:
        by_attack.setdefault(answer.attacker.name(), []).append(answer)
    return RiskResult(
        tuple(_evidence(of, rows, len(pool)) for of in by_attack.values()),
        (
            *map(_together, by_attack.values()),
            *(f for answer in answers for f in _findings(answer)),
        ),
        tuple(faults),
    )


def _most(rows: int, columns: int) -> int:
    """About how many secret columns of so many released rows attackers can be asked.

    Each question reads all rows, and lays out all columns: as many pairs of a secret and a known
    column are affordable as 100 columns have.

    >>> _most(500, 100), _most(500, 300), _most(100_000, 50)
    (100, 33, 6)
    """
    columns = max(1, columns)
    cells = max(1, rows * columns)
    return max(_FEWEST, min(_CELLS // cells, MANY_COLUMNS**2 // columns))


def _questions(
    view: SharedColumns, known: Sequence[str] | None, secrets: Sequence[str] | None
) -> tuple[list[Attribute], list[NotComputed]]:
    """One goal per secret column, with the user's names; and what cannot be asked."""
    names = list(view.names.values())
    unknown = [n for n in dict.fromkeys([*(known or ()), *(secrets or ())]) if n not in names]
    faults = [_not_asked(name, NOT_COMPARED) for name in unknown]
    if secrets is None:
        hidden = [name for name in names if name not in (known or ())]
        shown = names if known is None else [name for name in names if name in known]
    else:
        hidden = [name for name in names if name in secrets]
        rest = [name for name in names if name not in secrets] or names
        shown = rest if known is None else [name for name in names if name in known]
    goals = []
    for secret in hidden:
        knows = tuple(name for name in shown if name != secret)
        if knows:
            goals.append(Attribute(column=secret, knows=knows))
        else:
            faults.append(_not_asked(secret, "attackers would know no other column"))
    return goals, faults


def _choose(
    questions: list[Attribute], most: int, rng: np.random.Generator
) -> tuple[list[Attribute], list[NotComputed]]:
    """As many questions as there is time for, in their order; and the columns that are left out."""
    if len(questions) <= most:
        return questions, []
    kept = set(rng.permutation(len(questions))[:most].tolist())
    reason = f"the table is large: {most} columns were chosen at random; name others as secrets"
    left_out = [goal.column for place, goal in enumerate(questions) if place not in kept]
    return (
        [goal for place, goal in enumerate(questions) if place in kept],
        [_not_asked(name, reason) for name in left_out],
    )


def _not_asked(name: str, reason: str) -> NotComputed:
    return NotComputed(what=f"inference with the column {name!r}", reason=reason)


def _answers(
    view: SharedColumns, shown: Attribute, rng: np.random.Generator, added: Added
) -> tuple[list[_Answer], list[NotComputed]]:
    """What every attack guesses for one secret column, and which attacks do not."""
    inside = view.inside
    secret = inside[shown.column]
    goal = Attribute(column=secret, knows=tuple(inside[name] for name in shown.knows or ()))
    bounded = view.with_bounds(secret)
    situation = ask(goal, bounded, shown=shown)
    if isinstance(situation, NotComputed):
        return [], [situation]
    measure = _measure(bounded, secret)
    cases, refused = attempt_all(_attacks(bounded, secret), added, situation, rng=rng)
    return [_Answer(attacker, shown, measure, case) for attacker, case in cases], refused


def _attacks(view: SharedColumns, secret: str) -> list[Attack]:
    """The attacks on one column; a column with two values can be reconstructed bit by bit."""
    contents = view.released.columns[secret]
    few = contents[~missing_cells(view.released.schema[secret], contents)]
    out: list[Attack] = [Nearest(), MajorityGivenKnown()]
    sets = min(_SETS, max(_SETS // 10, _SETS * 10_000 // max(1, len(few))))
    return [*out, LinearReconstruction(sets=sets)] if len(np.unique(few)) == 2 else out


def _measure(view: SharedColumns, secret: str) -> GuessMeasure:
    """Categories must be guessed exactly, numbers nearly."""
    if view.released.schema[secret].listed:
        return ExcessAccuracy()
    values = view.pool.records.numbers(secret)
    values = values[~np.isnan(values)]
    low, high = np.quantile(values, (0.05, 0.95)) if len(values) else (0.0, 0.0)
    return ExcessWithin(tolerance=_NEAR * float(high - low))


def _evidence(answers: Sequence[_Answer], rows: Rows, size: int) -> Evidence:
    """How surprising all right guesses about a person are together."""
    scores = np.full(size, np.nan)
    scores[rows] = np.sum([answer.right * answer.surprise() for answer in answers], axis=0)
    return Evidence(f"inference: {answers[0].attacker.name()}", scores)


def _together(answers: Sequence[_Answer]) -> Finding:
    """One reading over all secret columns: the mean share of right guesses per person."""
    shares = np.mean([answer.right for answer in answers], axis=0)
    inside, attacker = answers[0].members, answers[0].attacker
    columns = ", ".join(answer.goal.column for answer in answers)
    reading = mean_difference(shares[inside], shares[~inside], "lower")
    return Finding(
        risk="inference",
        attack=attacker.name(),
        parameters=attacker.parameters(),
        name="inference_excess",
        says="Share of hidden values guessed right for members, minus that of the control group; "
        f"the mean over {len(answers)} columns, each hidden in turn.",
        reading=reading,
        smallest_detectable=_NOTICED * (reading.high - reading.low) / 2,
        chance=0.0,
        control=bounded_mean(shares[~inside], "lower"),
        threat=(
            f"The attacker wants to know the value of one of {columns} for each target.",
            *threat_sentences(ThreatModel(answers[0].goal))[1:],
        ),
    )


def _findings(answer: _Answer) -> Iterator[Finding]:
    readings = answer.measure.measure([answer.case], rng=reading_rng())
    _, over_blind, members, controls = readings.values()
    excess, _, share, _ = readings
    return findings_beside_control(
        "inference",
        answer.attacker,
        answer.goal,
        answer.measure,
        readings,
        (excess, share),
        control=controls,
        least=smallest_rate(controls.value, members.n, controls.n),
        chance=members.value - over_blind.value,
        columns=(answer.goal.column,),
    )


@register("inference-risk-v1")
class InferenceRisk(Risk):
    """Whether attackers guess what somebody keeps secret, from what they know.

    >>> InferenceRisk().words.title
    'Inference'
    """

    harm: ClassVar[str] = "inference"
    seed: ClassVar[str] = "inference"
    turn: ClassVar[int] = 2
    asks: ClassVar[type[Question]] = AttributeQuestion
    words: ClassVar[RiskWords] = RiskWords(
        "Inference",
        "Can somebody guess a secret about a person from what they know?",
        "Of {total} people in the data, the attacker guesses {about} right for {found}",
        "Of {total} people in the data, the attacker guesses {about} right for {found} {more}",
        "of {total} people outside the data, for {found}",
        name="attribute inference",
        says="Whether attackers guess what somebody keeps secret.",
        place=4,
        always=True,
        criteria=("deduction",),
    )

    def measure(self, audited: AuditedRelease, *, rng: np.random.Generator) -> RiskResult:
        """Hide each column in turn."""
        return measure_inference(
            audited.table_pool(),
            audited.mixed_release(),
            known=audited.known,
            secrets=audited.secrets,
            rng=rng,
            added=self.added(audited),
        )
