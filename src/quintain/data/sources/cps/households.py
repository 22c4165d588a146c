"""Households: simulated people who live together and have much in common.

A household has couples, married people whose spouse is not in the table, and unmarried people. Its
*head* is a partner of the oldest couple; without a couple, the oldest married member; without a
married member, the oldest member. The state, the family income and whether all members are of one
race belong to the household. Each person is drawn given the household and its head, and a partner
is drawn given the other partner.
"""

from __future__ import annotations

import numpy as np

from quintain.data.arrays import Array, Rows
from quintain.data.sources.bayesnet import read_networks

PARAMETERS = "cps/cps.json.gz"

COUPLE, APART, SINGLE = range(3)
"""Roles: in a couple, married without the spouse in the table, not married."""

TYPES = (
    (0, 1, 0), (0, 0, 1),
    (1, 0, 0), (0, 1, 1), (0, 0, 2), (0, 2, 0),
    (1, 0, 1), (1, 1, 0), (0, 1, 2), (0, 0, 3), (0, 2, 1), (0, 3, 0),
    (2, 0, 0), (1, 0, 2), (1, 1, 1), (1, 2, 0), (0, 2, 2), (0, 3, 1), (0, 0, 4),
    (2, 0, 1), (2, 1, 0), (1, 1, 2), (1, 2, 1),
    (3, 0, 0), (2, 1, 1), (2, 2, 0), (2, 0, 2),
    (3, 1, 0), (3, 0, 1), (2, 1, 2),
    (4, 0, 0),
)  # fmt: skip
"""The types of households: how many couples, married people apart and singles they have."""

SIZES = np.array(TYPES) @ np.array([2, 1, 1])
"""The number of people in a household of each type."""

HOUSEHOLD = ("type", "statefips")
PERSON = (
    "age", "agechild", "citistat", "female", "ownchild", "wbhaom", "gradeatn", "cow1", "ftptstat",
    "hoursut", "mind16", "mocc10",
)  # fmt: skip
MEAN_SIZE = 2.6

Columns = dict[str, Array]


def simulate(rows: int, rng: np.random.Generator) -> Columns:
    """Exactly ``rows`` people in whole households, as the coded columns of a table.

    Households are drawn until they have enough people. A household that is too large for the rest
    is left out, and the next ones that fit take its place: in practice the last is a single.
    """
    houses, size = _draw_houses(0, rng), np.empty(0, np.int64)
    chosen = size
    while size[chosen].sum() < rows:
        more = _draw_houses(int(rows / MEAN_SIZE) + 200, rng)
        houses = {name: np.concatenate([houses[name], more[name]]) for name in HOUSEHOLD}
        size = SIZES[houses["type"]]
        chosen = whole_households(size, rows)
    return _people(_take(houses, chosen), rng)


def whole_households(size: Rows, rows: int) -> Rows:
    """The first households that together have at most ``rows`` people; later ones fill gaps."""
    total = np.cumsum(size)
    first = int(np.searchsorted(total, rows, side="right"))
    left = rows - int(total[first - 1]) if first else rows
    chosen = list(range(first))
    for household in range(first, len(size)):
        if left == 0:
            break
        if size[household] <= left:
            chosen.append(household)
            left -= int(size[household])
    return np.array(chosen, np.int64)


def _draw_houses(count: int, rng: np.random.Generator) -> Columns:
    return read_networks(PARAMETERS)["household"].sample(count, rng, {})


def _people(houses: Columns, rng: np.random.Generator) -> Columns:
    """The people of these households, household by household, in random order within each."""
    networks = read_networks(PARAMETERS)
    count = len(houses["type"])
    units = np.array(TYPES)[houses["type"]]
    head_role = np.argmax(units > 0, axis=1)
    heads = networks["head"].sample(count, rng, houses)
    houses = houses | {name: heads[name] for name in ("faminc", "one-race")}

    units[np.arange(count), head_role] -= 1
    places = np.repeat(np.arange(units.size), units.ravel())
    home, role = places // 3, places % 3
    given = {"role": role, **_take(houses, home), **_seen_as_head(heads, home)}
    others = networks["other"].sample(len(home), rng, given)

    first = {name: np.concatenate([heads[name], others[name]]) for name in PERSON}
    home = np.concatenate([np.arange(count), home])
    role = np.concatenate([head_role, role])
    leads = np.flatnonzero(role == COUPLE)
    given = {**_take(houses, home[leads]), **_seen_as_head(first, leads)}
    partners = networks["partner"].sample(len(leads), rng, given)

    people = {name: np.concatenate([first[name], partners[name]]) for name in PERSON}
    people["married"] = np.concatenate([role != SINGLE, np.ones(len(leads), bool)])
    home = np.concatenate([home, home[leads]])
    people |= {name: houses[name][home] for name in ("statefips", "faminc")}
    people["hhid"] = home + 1
    # As in the real table, the order of people says nothing about their roles.
    return _take(people, np.lexsort((rng.permutation(len(home)), home)))


def _seen_as_head(people: Columns, rows: Rows) -> Columns:
    return {f"head.{name}": people[name][rows] for name in PERSON}


def _take(columns: Columns, rows: Rows) -> Columns:
    return {name: values[rows] for name, values in columns.items()}
