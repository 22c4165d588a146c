"""Shopping baselines: simple attacks that every release of transactions must withstand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data.arrays import Array, Floats, Rows, distinct
from quintain.kernels.purchases import PAIRS, Attribute, Baskets, Keys, Purchases, RowKeys
from quintain.measures.aligned import AlignedMeasure
from quintain.measures.measure import About, Readings
from quintain.measures.reading import Direction, Reading
from quintain.registry import register
from quintain.releases.pseudonyms import PseudonymTable, pseudonym_table
from quintain.wording.languages import say, say_list

if TYPE_CHECKING:
    from scipy.sparse import csr_array


# Basket links: guess the pseudonyms whose items of a month resemble a person's basket most.


OutOf = Literal["pseudonyms", "pairs"]
"""What a share of re-identified person-months is out of: those with a pseudonym, or all pairs."""


def is_pseudonyms(out_of: OutOf) -> bool:
    """Whether only person-months with a pseudonym count, as in every edition before."""
    return out_of == "pseudonyms"


WEIGHTS = (1.0, 2 / 3, 1 / 3)
"""What the right pseudonym is worth as the first, second and third guess."""

LARGEST = 64
"""How many of the largest baskets are looked at first: random ones often share more with these."""

DEPTH = 3
"""How many rare items a pseudonym must have to be compared item by item."""

PAIRS_AT_ONCE = 200_000
"""How many pairs of baskets are compared item by item at a time."""


def basket_share(truth: PseudonymTable, original: Purchases, release: Purchases) -> float:
    """The mean worth of three guesses per person and month, the best matching baskets first.

    The attack ranks pseudonyms by the number of items that they share with the person's basket.
    Equal ones come in random order, so their expected worth counts. A pseudonym that shares
    nothing is not guessed.
    """
    known, published = Baskets.of(original), Baskets.of(release)
    right = truth.cells[known.person, known.month - truth.first_month]
    right_basket = published.find(right, known.month)
    right_basket[right < 0] = -1
    guessed = np.flatnonzero(right_basket >= 0)
    live_cells = int(np.count_nonzero(truth.live))
    if not len(guessed) or not live_cells:
        return 0.0
    holds, month = known.holds[guessed], known.month[guessed]
    shared = np.asarray(holds.multiply(published.holds[right_basket[guessed]]).sum(axis=1))
    total = 0.0
    for each in distinct(month).tolist():
        first, end = np.searchsorted(month, [each, each + 1]).tolist()
        low, high = np.searchsorted(published.month, [each, each + 1]).tolist()
        if low == high:
            continue
        search = _Search.of(published.holds[low:high])
        step = max(1, PAIRS // (high - low))
        for start in range(first, end, step):
            rows = slice(start, min(start + step, end))
            total += float(search.worth(holds[rows], shared[rows]).sum())
    return total / live_cells


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    """The published baskets of a month, with their items in the order of rarity.

    Comparing every basket with all others takes time that grows with the square of their number.
    A pseudonym that shares at least as many items as the right one lacks only few items of the
    basket. So it has some of its rarest items, and only few pseudonyms do.

    Parameters
    ----------
    order : for each item its place in the order of rarity.
    holds : the baskets.
    turned : the same, one line per item.
    largest : the baskets with the most items, one line per item.
    """

    order: Rows
    holds: csr_array
    turned: csr_array
    largest: csr_array

    @classmethod
    def of(cls, holds: csr_array) -> _Search:
        """Order the items of the baskets."""
        by_rarity = np.argsort(np.bincount(holds.indices, minlength=holds.shape[1]), kind="stable")
        order = np.empty(len(by_rarity), np.int64)
        order[by_rarity] = np.arange(len(by_rarity))
        ordered = _reorder(holds, order)
        large = np.argsort(-np.diff(ordered.indptr), kind="stable")[:LARGEST]
        return cls(order, ordered, ordered.T.tocsr(), ordered[large].T.tocsr())

    def worth(self, holds: csr_array, shared: Floats) -> Floats:
        """The expected worth of the right pseudonym for each basket."""
        out = np.zeros(len(shared))
        ordered = _reorder(holds, self.order)
        row, _, number = _entries(ordered @ self.largest)
        better = np.bincount(row[number > shared[row]], minlength=len(shared))
        rest = np.flatnonzero((shared > 0) & (better < len(WEIGHTS)))
        if len(rest):
            out[rest] = self._search(ordered[rest], shared[rest])
        return out

    def _search(self, holds: csr_array, shared: Floats) -> Floats:
        """Compare baskets with the pseudonyms that have enough of their rarest items."""
        size = np.diff(holds.indptr)
        lacking = size - shared
        count = np.minimum(size, lacking + DEPTH).astype(np.int64)
        row, other, number = _entries(_first_items(holds, count) @ self.turned)
        likely = number >= (count - lacking)[row]
        row, other, number = row[likely], other[likely], number[likely]
        unsure = np.flatnonzero(count[row] < size[row])
        for start in range(0, len(unsure), PAIRS_AT_ONCE):
            at = unsure[start : start + PAIRS_AT_ONCE]
            number[at] = holds[row[at]].multiply(self.holds[other[at]]).sum(axis=1)
        return _worth(shared, number, row)


def _reorder(holds: csr_array, order: Rows) -> csr_array:
    """The baskets with the items of each in a new order."""
    from scipy.sparse import csr_array

    columns = order[holds.indices].astype(holds.indices.dtype)
    moved = csr_array((holds.data, columns, holds.indptr), shape=holds.shape)
    moved.sort_indices()
    return moved


def _first_items(holds: csr_array, count: Rows) -> csr_array:
    """The first so many items of each basket."""
    from scipy.sparse import csr_array

    size = np.diff(holds.indptr)
    rank = np.arange(len(holds.indices)) - np.repeat(holds.indptr[:-1], size)
    kept = rank < np.repeat(count, size)
    upto = np.concatenate([[0], np.cumsum(count)])
    return csr_array((holds.data[kept], holds.indices[kept], upto), shape=holds.shape)


def _entries(block: csr_array) -> tuple[Rows, Rows, Floats]:
    """Row, column and number of every entry."""
    return np.repeat(np.arange(block.shape[0]), np.diff(block.indptr)), block.indices, block.data


def _worth(shared: Floats, other: Floats, row: Rows) -> Floats:
    """The expected worth of the right pseudonym, for each basket.

    Parameters
    ----------
    shared : how many items the right pseudonym shares with each basket.
    other : how many items the pseudonyms share, all that share as many included.
    row : the basket of each number in ``other``.
    """
    better = np.bincount(row[other > shared[row]], minlength=len(shared))
    equal = np.bincount(row[other == shared[row]], minlength=len(shared))
    worth = np.concatenate([[0.0], np.cumsum(WEIGHTS)])
    upto = np.minimum(better + equal, len(WEIGHTS)), np.minimum(better, len(WEIGHTS))
    return np.where(shared > 0, (worth[upto[0]] - worth[upto[1]]) / np.maximum(equal, 1), 0.0)


# Row links: find a person's pseudonym by looking up single rows of the original in the release.
#
# The attack fills a dictionary. Its keys are some attributes of a published row, its values are
# pseudonyms; later rows overwrite earlier ones. Then the attack looks up each row of the original,
# in order, and guesses the result for that person and month; again later rows overwrite earlier
# ones. The published order is random, so the score is the expectation over that order: of all
# published rows under the last key that matches, the share with the right pseudonym.


def expected_share(
    truth: PseudonymTable, cell: Keys, keys: tuple[Keys, Keys], pseudonym: Array
) -> float:
    """The expected share of person-months whose pseudonym the dictionary attack guesses.

    Parameters
    ----------
    cell : for every row of the original, the number of its person-month.
    keys : the dictionary keys of the rows of the original, and those of the published rows.
    pseudonym : the pseudonym of every published row.
    """
    known, published = keys
    right = truth.cells.ravel()
    live_cells = int(np.count_nonzero(right >= 0))
    if not live_cells:
        return 0.0
    size = int(max(known.max(initial=0), published.max(initial=0))) + 1
    count = np.bincount(published, minlength=size)
    rows_with_match = np.flatnonzero((count[known] > 0) & (right[cell] >= 0))
    last = np.full(len(right), -1)
    last[cell[rows_with_match]] = rows_with_match
    guessed = np.flatnonzero(last >= 0)
    key = known[last[guessed]]
    hits = _count_pairs(key, right[guessed], published, pseudonym, size)
    return float((hits / count[key]).sum()) / live_cells


def _count_pairs(
    key: Keys, name: Array, published: Keys, pseudonym: Array, size: int
) -> npt.NDArray[np.int64]:
    """For each pair of key and name, the number of published rows that have both."""
    looked_up = np.zeros(size, bool)
    looked_up[key] = True
    rows = np.flatnonzero(looked_up[published])
    names = int(max(name.max(initial=0), pseudonym.max(initial=0))) + 1
    wanted, which = np.unique(key * names + name, return_inverse=True)
    pairs = published[rows] * names + pseudonym[rows]
    place = np.minimum(np.searchsorted(wanted, pairs), len(wanted) - 1)
    matches = place[wanted[place] == pairs]
    return np.bincount(matches, minlength=len(wanted))[which]


ATTACKS: dict[str, tuple[Attribute, ...]] = {
    "F1": ("day", "quantity"),
    "F2": ("item", "price"),
    "F3": ("item", "quantity"),
    "F4": ("item", "day"),
    "F5": ("item", "price", "quantity"),
    "F6": ("item", "day", "quantity"),
}


@register("shopping-baselines-v1")
class ShoppingBaselines(AlignedMeasure):
    """How many pseudonyms simple look-ups of known rows reveal, in the best of seven ways.

    The attackers know every row of the original. F1 to F6 look up single rows by two or three
    attributes; S7 compares a month's baskets of items. A reading is a share: of the person-months
    with a published pseudonym, those for which the attack guesses it. ``reid`` is the largest. The
    published order is random, and the readings are expectations over it, so no seed is needed.
    Lower is better for people.

    DARC's rules 1.4 are the defaults. The contest of 2019 as it ran: ``item_prefix = 0``,
    ``sixth = "price"``, ``basket = "counted"``, ``months = 12``.

    Parameters
    ----------
    item_prefix : how many characters of an item's name are known; 0 is all of it.
    sixth : what F6 looks up besides item and day.
    basket : whether S7 is "counted" for reid, only "shown", or "left_out".
    months : how many months are scored, from the first one on; all if not given.
    out_of : as for ``reidentification``: "pseudonyms", or "pairs" for the formula of the rules.

    References
    ----------
    DARC rules 1.4 (2019), rules 12 and 14. PWSCup 2017.

    Examples
    --------
    New names alone do not protect: looking up item, price and quantity (F5) links nearly all.

    >>> import quintain as q
    >>> from quintain.testing import experiment
    >>> sample, renamed = experiment("transactions")
    >>> readings = q.measure("shopping-baselines", sample.private, renamed)
    >>> print(readings["F3"], readings["F5"], readings["reid"])
    0.1 0.9878 0.9878
    """

    about: ClassVar[About] = "privacy"

    item_prefix: Annotated[int, Field(ge=0)] = 2
    sixth: Literal["quantity", "price"] = "quantity"
    basket: Literal["counted", "shown", "left_out"] = "shown"
    months: Annotated[int, Field(ge=1)] | None = None
    out_of: OutOf = Field(default="pseudonyms", exclude_if=is_pseudonyms)

    @classmethod
    def examples(cls) -> list[Self]:
        """DARC's rules, the same without S7, and the contest of 2019 as it ran."""
        ran = cls(item_prefix=0, sixth="price", basket="counted", months=12)
        return [cls(), cls(basket="left_out"), ran]

    @property
    def reads(self) -> Mapping[str, Direction]:
        """F1 to F6, perhaps S7, and reid; lower is better for people."""
        names = (*ATTACKS, *(() if self.basket == "left_out" else ("S7",)), "reid")
        return dict.fromkeys(names, "lower")

    @property
    def captions(self) -> Mapping[str, str]:
        """What each attack looks up."""
        looked_up = {
            name: say(
                "Person-months linked by looking up single rows by %(attributes)s.",
                attributes=say_list(attributes),
            )
            for name, attributes in self._attacks().items()
        }
        if self.basket == "counted":
            best = say("Person-months linked by the best of F1 to F6 and S7.")
        else:
            best = say("Person-months linked by the best of F1 to F6.")
        baskets = say("Person-months linked by comparing a month's baskets of items.")
        others = {"S7": baskets, "reid": best}
        return {name: text for name, text in (looked_up | others).items() if name in self.reads}

    def _attacks(self) -> dict[str, tuple[Attribute, ...]]:
        return {**ATTACKS, "F6": ("item", "day", self.sixth)}

    def compare(
        self, original: Purchases, release: Purchases, *, rng: np.random.Generator
    ) -> Readings:
        """Run every attack; the best one gives ``reid``."""
        truth = pseudonym_table(original, release)
        if self.months is not None:
            truth = truth.until(self.months)
        live_cells = int(np.count_nonzero(truth.live))
        if not live_cells:
            note = "no month of any person has a published pseudonym"
            return {name: Reading.missing("lower", note) for name in self.reads}
        published = release.live_rows()
        keys = RowKeys.of(original, published, self.item_prefix or None)
        cell = truth.cell_of_row(original)
        shares = {
            name: expected_share(truth, cell, keys.keys(attributes), published.person)
            for name, attributes in self._attacks().items()
        }
        best = max(shares.values())
        if self.basket != "left_out":
            shares["S7"] = basket_share(truth, original, published)
        shares["reid"] = max(best, shares["S7"]) if self.basket == "counted" else best
        scored = len(truth.persons) * (self.months or truth.months)
        cells = live_cells if self.out_of == "pseudonyms" else scored
        part = live_cells / cells
        return {name: Reading.exact(share * part, cells, "lower") for name, share in shares.items()}
