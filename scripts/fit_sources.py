"""Fit the parameter files of the built-in stand-ins from the real data.

Run it by hand after a change to a structure in ``source_structures.py``; quintain itself does not
need it::

    QUINTAIN_DATA=folder-with-the-real-files python scripts/fit_sources.py [output-folder]

The script reads the real files through the sources themselves, fits conditional tables, and writes
``adult.json.gz`` and ``cps.json.gz`` beside the sources (or into the output folder). It uses no
random numbers: the same files give the same tables.

It limits what the tables reveal of the real data:

- It fits a table row only if at least ``MIN_GROUP`` people share its parents. Otherwise it uses the
  row of the coarser group; it drops the last parent first.
- A cell keeps its own share only if it has at least ``MIN_CELL`` people. The script spreads the
  mass of all rarer cells over them as in the coarser group. A cell that is common in the coarser
  group and rare in this one, such as a wife among men, gets none of it. If all rare cells together
  have fewer than ``MIN_CELL`` people, their mass is also that of the coarser group.
- It rounds shares to parts of a thousand, and in groups of at least ``LARGE_GROUP`` people to parts
  of ten thousand.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import source_structures as structures
from source_tables import cut_views, document, fit_network, group_view

from quintain.data.arrays import Array, Rows
from quintain.data.column import Column
from quintain.data.sources import adult, cps
from quintain.data.sources.cps import APART, COUPLE, SINGLE, SIZES, TYPES
from quintain.data.table import Table

APART_COST = 30
"""The largest difference at which two married people count as a couple, see ``Homes``."""

# --- adult -------------------------------------------------------------------------------------


def fit_adult() -> dict[str, Any]:
    """The parameters of the stand-in for adult."""
    table = adult.Adult(real=True).load()
    views = cut_views(table.schema, structures.ADULT_CUTS)
    for name, groups in structures.ADULT_GROUPS.items():
        views[name] = group_view(table.schema[name.partition("/")[0]], groups)
    weight = np.ones(len(table))
    person = fit_network(structures.ADULT, table.columns, table.schema, views, weight)
    return document(views, {"person": person})


# --- cps ---------------------------------------------------------------------------------------


class Homes:
    """Couples, heads and types of households, inferred because the table does not state them."""

    def __init__(self, table: Table) -> None:
        self.table = table
        _, self.household = np.unique(table.columns["hhid"], return_inverse=True)
        self.spouse = self._couples()
        apart = np.where(table.columns["married"] == 1, APART, SINGLE)
        self.role = np.where(self.spouse >= 0, COUPLE, apart)
        self.leads, self.head = self._heads()
        self.type = self._types()

    def all_same(self, name: str) -> Rows:
        """Whether all members of a household have the same value, per household."""
        values = self.table.columns[name]
        other = np.bincount(self.household, values != values[self.head[self.household]])
        same: Rows = (other == 0).astype(np.int64)
        return same

    def _couples(self) -> Rows:
        """The row of each person's spouse, or -1.

        Of the married people in a household, it pairs those first who are of opposite sex, have the
        same children and are closest in age.
        """
        columns, household = self.table.columns, self.household
        married = np.flatnonzero(columns["married"] == 1)
        married = married[np.argsort(household[married], kind="stable")]
        left, right = [], []
        for step in range(1, int(np.bincount(household).max())):
            same = household[married[step:]] == household[married[:-step]]
            left.append(married[:-step][same])
            right.append(married[step:][same])
        one, two = np.concatenate(left), np.concatenate(right)

        def differ(name: str) -> Array:
            different: Array = columns[name][one] != columns[name][two]
            return different

        cost = np.abs(columns["age"][one] - columns["age"][two])
        cost = cost + 20 * (differ("ownchild") | differ("agechild")) + 15 * ~differ("female")
        spouse = np.full(len(self.table), -1)
        for pair in np.argsort(cost, kind="stable").tolist():
            if cost[pair] > APART_COST:
                break
            if spouse[one[pair]] < 0 and spouse[two[pair]] < 0:
                spouse[one[pair]], spouse[two[pair]] = two[pair], one[pair]
        return spouse

    def _heads(self) -> tuple[Array, Rows]:
        """Who is single or leads a couple (the man, if there is one), and the row of each head."""
        age, female = self.table.columns["age"], self.table.columns["female"]
        spouse = self.spouse
        leads = (spouse < 0) | (female < female[spouse])
        leads |= (female == female[spouse]) & (np.arange(len(spouse)) < spouse)
        seniority = np.where(spouse < 0, 2 * age, age + age[spouse])
        order = np.lexsort((~leads, -seniority, self.role, self.household))
        return leads, order[np.flatnonzero(np.diff(self.household[order], prepend=-1))]

    def _types(self) -> Rows:
        """The type of each household; a type outside the list becomes the most similar one."""
        roles = self.household * 3 + self.role
        counts = np.bincount(roles, minlength=3 * len(self.head)).reshape(-1, 3)
        counts[:, COUPLE] //= 2
        unlike = np.abs(counts[:, None] - np.array(TYPES)).sum(2)
        size = np.bincount(self.household)
        nearest: Rows = np.argmin(unlike + 100 * np.abs(size[:, None] - SIZES), axis=1)
        return nearest


def fit_cps() -> dict[str, Any]:
    """The parameters of the stand-in for cps.

    It counts households without repeats, so that nobody counts twice towards a minimum. Weights by
    type make the stand-in follow the households of the historic table.
    """
    homes, historic = Homes(cps.Cps(real=True).load()), Homes(cps.Cps(real=True).historic())
    count = [np.bincount(side.type, minlength=len(TYPES)) for side in (historic, homes)]
    weight = (count[0] / np.maximum(count[1], 1))[homes.type]

    schema = homes.table.schema.extended(
        Column(name="type", kind="integer", low=0, high=len(TYPES) - 1),
        Column(name="role", kind="integer", low=COUPLE, high=SINGLE),
        Column(name="one-race", kind="integer", low=0, high=1),
    )
    views = cut_views(schema, structures.CPS_CUTS | structures.CPS_LEVELS)
    divisions = [states.split() for states in structures.CPS_DIVISIONS]
    views["statefips/division"] = group_view(schema["statefips"], divisions)
    views["type/size"] = np.minimum(SIZES, 5) - 1
    views["agechild/groups"] = np.array(structures.CPS_AGE_GROUPS)
    own = dict(homes.table.columns) | {
        "role": homes.role,
        "type": homes.type[homes.household],
        "one-race": homes.all_same("wbhaom")[homes.household],
    }

    def fit(structure: structures.Structure, rows: Rows, of: Rows) -> list[dict[str, Any]]:
        columns = {name: values[rows] for name, values in own.items()}
        columns |= {f"head.{name}": values[of] for name, values in own.items()}
        return fit_network(structure, columns, schema, views, weight[homes.household[rows]])

    head, spouse = homes.head, homes.spouse
    partners = np.flatnonzero((spouse >= 0) & ~homes.leads)
    others = np.flatnonzero(homes.leads & (head[homes.household] != np.arange(len(spouse))))
    networks = {
        "household": fit(structures.CPS_HOUSEHOLD, head, head),
        "head": fit(structures.CPS_HEAD, head, head),
        "partner": fit(structures.CPS_PARTNER, partners, spouse[partners]),
        "other": fit(structures.CPS_OTHER, others, head[homes.household[others]]),
    }
    return document(views, networks)


# --- files -------------------------------------------------------------------------------------


def write(file: Path, contents: Mapping[str, Any]) -> None:
    """Write a parameter file without a time stamp, so that the same tables give the same bytes."""
    text = json.dumps(contents, separators=(",", ":")).encode()
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(gzip.compress(text, 9, mtime=0))
    sys.stdout.write(f"{file.name}: {file.stat().st_size:,} bytes\n")


def main(arguments: Sequence[str]) -> None:
    """Fit and write both parameter files."""
    folder = Path(arguments[0]) if arguments else Path(adult.__file__).parent
    write(folder / adult.PARAMETERS, fit_adult())
    write(folder / cps.PARAMETERS, fit_cps())


if __name__ == "__main__":
    main(sys.argv[1:])
