"""Classes: how many released rows, and how many people, share all their values with others.

A class is all rows with the same values. The smallest class of a release is the k that people ask
for. It says how the release looks, and not what attackers learn from it: rows of synthetic people
may be unique, and a class of fifty with one illness gives that illness away.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from quintain.audits.results import ReleaseClasses
from quintain.data import Table
from quintain.data.arrays import Ints
from quintain.measures import Reading
from quintain.measures.privacy.disclosure.known_columns import class_sizes
from quintain.measures.privacy.disclosure.population_uniques import population_uniques


def release_classes(
    release: Table,
    people: Table,
    *,
    known: Collection[str] | None = None,
    population: int | None = None,
) -> ReleaseClasses | None:
    """The classes of a release, and how many people are alone with their values.

    Parameters
    ----------
    people : those of the original and of the control, one row each, written as in the release.
    known : the columns that attackers know; by default all that are compared.
    population : how many people there are, those of the original and the control included.

    >>> from quintain.data import Column, Schema
    >>> schema = Schema(columns=(Column(name="age", kind="integer", low=0, high=9),))
    >>> table = Table.of(schema, {"age": [1, 1, 2, 2, 2, 3]})
    >>> classes = release_classes(table, table)
    >>> classes.smallest, classes.median, round(classes.unique_rows.value, 2)
    (1, 2.5, 0.17)
    """
    columns = [name for name in release.schema.names if known is None or name in known]
    if not columns:
        return None
    sizes = class_sizes(release.select(columns))
    groups = class_sizes(people.select(columns))
    return ReleaseClasses(
        columns=tuple(columns),
        rows=len(release),
        smallest=int(sizes.min()),
        median=float(np.median(np.repeat(sizes, sizes))),
        unique_rows=_share_alone(sizes),
        unique_people=_share_alone(groups),
        population_uniques=population_uniques(groups, population),
        people=len(people),
        population=population,
    )


def _share_alone(sizes: Ints) -> Reading:
    total = int(sizes.sum())
    return Reading.exact(float((sizes == 1).sum() / total), total, "lower")
