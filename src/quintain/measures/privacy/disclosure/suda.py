"""SUDA: special uniques, rows that few of their values are enough to single out."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data import Table
from quintain.data.arrays import Floats, Ints, number_values
from quintain.kernels.minimal_uniques import count_sets, minimal_uniques
from quintain.measures.measure import Readings
from quintain.measures.privacy.disclosure.known_columns import KnownColumnsMeasure, class_sizes
from quintain.measures.reading import Direction, Reading
from quintain.registry import register

_CELLS = 15 * 10**7
"""How many rows are looked at in all sets of columns together; that takes seconds."""


@register("suda-v1")
class Suda(KnownColumnsMeasure):
    r"""How many released rows are special uniques, and how high the highest SUDA score is.

    A row is a special unique if it is alone in a set of few columns. A set is a minimal unique of
    the row if the row is alone in no part of it. A minimal unique of k columns adds

    $$ prod_{i=k}^{M} (A - i) $$

    to the score of its row, where A is the number of known columns and M the largest size of a set
    (at most A - 1). So rows with many and with small minimal uniques have high scores.

    DIS is the probability that a match with a row that is alone in all known columns is right, if
    the rows are a random sample of a population: f u / (f u + (1 - f) p), with the sampling
    fraction f, u rows that are alone and p rows in pairs. DIS-SUDA deals it out by the scores. Of a
    synthetic release, whose rows are no sample of people, neither says much.

    Lower is better in all readings. They are about the released file, and are counted exactly.

    Parameters
    ----------
    knows : the columns that attackers know; by default all.
    most : how many columns a set has at most. In a large table it is lowered to save time; the
        readings say so.
    fraction : which share of the population the rows are; without it, DIS is not measured.

    References
    ----------
    Elliot, Manning, Mayes, Gurd and Bane, SUDA: a program for detecting special uniques, UNECE work
    session on statistical data confidentiality (2005): the score. Skinner and Elliot, A measure of
    disclosure risk for microdata, JRSS B 64 (2002): DIS. Elliot and Manning, Using DIS to modify
    the classification of special uniques (2003): DIS-SUDA, with the exponent of sdcMicro.

    Examples
    --------
    The last row is the only one of its age, and the only man with a degree:

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> ages, sexes = ["20s"] * 7 + ["60s"], ["m"] * 4 + ["f"] * 3 + ["m"]
    >>> pays = ["high"] * 2 + ["low"] * 6
    >>> schools = ["high"] * 4 + ["degree", "high", "middle", "degree"]
    >>> release = pa.table({"age": ages, "sex": sexes, "pay": pays, "school": schools})
    >>> readings = q.measure("suda", release, release)
    >>> readings["special_uniques"].value, readings["suda_highest"].value
    (0.5, 8.0)
    """

    reads: ClassVar[Mapping[str, Direction]] = {
        "special_uniques": "lower",
        "suda_highest": "lower",
        "dis": "lower",
        "dis_suda_highest": "lower",
    }
    captions: ClassVar[Mapping[str, str]] = {
        "special_uniques": "Share of released rows that few of their values single out.",
        "suda_highest": "The highest SUDA score of a released row.",
        "dis": "Probability that a match with a released row that is alone is right: DIS.",
        "dis_suda_highest": "The highest share that a released row has in DIS: DIS-SUDA.",
    }

    most: Annotated[int, Field(ge=1, le=6)] = 3
    fraction: Annotated[float, Field(gt=0, lt=1)] | None = None

    @classmethod
    def examples(cls) -> list[Self]:
        """All columns known, and two of them in a sample of a hundredth."""
        return [cls(), cls(knows=("colour", "size"), most=2, fraction=0.01)]

    def compare(
        self, original: Table, release: Table, test: Table | None, names: tuple[str, ...]
    ) -> Readings:
        """Find the minimal uniques of each released row, and score the rows."""
        rows = len(release)
        most = affordable(rows, len(names), self.most)
        if not rows or not most:
            why = "the release has no rows" if most else "the release is too large"
            return dict.fromkeys(self.reads, Reading.missing("lower", why))
        table = release.select(names)
        columns = [number_values(table.columns[name]) for name in names]
        scores = suda_scores(minimal_uniques(np.column_stack(columns), most), len(names))
        note = f"sets of at most {most} columns, to save time" if most < self.most else ""
        return {
            "special_uniques": _exact((scores > 0).mean(), rows, note),
            "suda_highest": _exact(scores.max(), rows, note),
            **self._dis(class_sizes(table), scores, len(names), note),
        }

    def _dis(self, sizes: Ints, scores: Floats, columns: int, note: str) -> Readings:
        """DIS of the file, and the highest share that a row has in it."""
        alone, pairs = int((sizes == 1).sum()), int((sizes == 2).sum())
        why = "nobody said how large the population is" if self.fraction is None else ""
        why = why or ("" if alone else "no released row is alone")
        if why or self.fraction is None:
            missing = Reading.missing("lower", why)
            return {"dis": missing, "dis_suda_highest": missing}
        whole = dis(alone, pairs, self.fraction)
        highest = Reading.missing("lower", f"DIS-SUDA is not made for {columns} columns")
        if columns < _MOST_COLUMNS:
            shares = dis_suda(scores, whole, alone, columns)
            highest = _exact(shares.max(), len(scores), note)
        return {"dis": _exact(whole, len(scores), ""), "dis_suda_highest": highest}


def affordable(rows: int, columns: int, most: int) -> int:
    """How large sets of columns can be so that all of them are looked at in seconds.

    >>> affordable(10_000, 12, 3), affordable(100_000, 50, 3)
    (3, 2)
    """
    while most and rows * count_sets(columns, most) > _CELLS:
        most -= 1
    return most


def suda_scores(uniques: Ints, columns: int) -> Floats:
    """The score of each row from its number of minimal uniques of 1, 2 ... columns.

    >>> suda_scores(np.array([[1, 3, 0], [0, 1, 0]]), 4).tolist()
    [12.0, 2.0]
    """
    largest = min(uniques.shape[1], columns - 1)
    weights = [
        math.prod(columns - i for i in range(size, largest + 1))
        for size in range(1, uniques.shape[1] + 1)
    ]
    return np.asarray(uniques @ np.array(weights, float))


def dis(alone: int, pairs: int, fraction: float) -> float:
    """The probability that a match with a row that is alone in a random sample is right.

    >>> round(dis(4, 3, 0.01), 4)
    0.0067
    """
    return alone * fraction / (alone * fraction + 2 * pairs * (1 - fraction))


_MOST_COLUMNS = 28
"""From so many columns on, the exponent of DIS-SUDA is no longer positive."""


def dis_suda(scores: Floats, whole: float, alone: int, columns: int) -> Floats:
    """DIS, dealt out to the rows by their scores; rows without a score have 0.

    The odds of a row are those of the file, times its score to the power q over the harmonic mean
    of all such powers, where q = 1 + (8 - columns) / 20.
    """
    power = 1 + (8 - columns) / 20
    scored = scores > 0
    raised = scores[scored] ** power
    shares = np.zeros(len(scores))
    odds = raised * (1 / raised).sum() * whole / (alone * (1 - whole) or math.inf)
    shares[scored] = 1.0 if whole == 1 else odds / (1 + odds)
    return shares


def _exact(value: float, rows: int, note: str) -> Reading:
    return Reading.exact(float(value), rows, "lower").model_copy(update={"note": note})
