"""Unicity: how few known purchases are enough to single out a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data.arrays import Array, Mask
from quintain.kernels.purchases import Purchases
from quintain.kernels.row_keys import Attribute, Keys, RowKeys
from quintain.measures.aligned import AlignedMeasure
from quintain.measures.intervals import proportion
from quintain.measures.measure import About, Curve, Readings
from quintain.measures.reading import Direction
from quintain.registry import register

Known = npt.NDArray[np.int64]
Points = Annotated[int, Field(ge=1, le=100)]
Granularity = Annotated[tuple[Attribute, ...], Field(min_length=1, max_length=5)]


@register("unicity-v1")
class Unicity(AlignedMeasure):
    """How often a few known purchases point to exactly one pseudonym, and to the right person.

    The measure draws pairs of a person and a pseudonym that publishes rows of that person. The
    attacker knows some of the original purchases behind these rows. The person is pinned down if
    exactly one pseudonym of the release has rows that match all of them, and it is the right one.
    There is one reading per list of known attributes and per number of known purchases, such as
    ``unicity_item_day_4``. Lower is better for people. Pairs and purchases are drawn with ``rng``;
    the caller starts it from the same seed for every release, so that releases can be compared.

    Parameters
    ----------
    points : how many purchases are known. People with fewer purchases than the largest number are
        left out, so that all readings are about the same people.
    known : for each reading, the attributes that are known of a purchase.
    people : how many pairs of person and pseudonym are drawn; all if there are fewer.

    References
    ----------
    De Montjoye et al., Unique in the shopping mall, Science 347 (2015).

    Examples
    --------
    One known item fits many people; item and day together single out the only pair drawn here:

    >>> import quintain as q
    >>> from quintain.testing import experiment
    >>> sample, renamed = experiment("transactions")
    >>> readings = q.measure("unicity", sample.private, renamed)
    >>> print(readings["unicity_item_1"].value, readings["unicity_item_day_1"].value)
    0.0 1.0
    """

    about: ClassVar[About] = "privacy"

    points: Annotated[tuple[Points, ...], Field(min_length=1, max_length=20)] = (1, 2, 3, 4)
    known: Annotated[tuple[Granularity, ...], Field(min_length=1, max_length=20)] = (
        ("item",),
        ("item", "month"),
        ("item", "day"),
        ("item", "day", "price", "quantity"),
    )
    people: Annotated[int, Field(ge=1)] = 2_000

    @property
    def reads(self) -> Mapping[str, Direction]:
        """One reading per list of known attributes and number; lower is better for people."""
        return dict.fromkeys((_name(a, p) for a in self.known for p in self.points), "lower")

    @property
    def captions(self) -> Mapping[str, str]:
        """What the attacker knows, and of how many purchases."""
        return {_name(a, p): _caption(a, p) for a in self.known for p in self.points}

    @property
    def curves(self) -> tuple[Curve, ...]:
        """One line per list of known attributes."""
        return tuple(
            Curve(
                title=f"people pinned down by purchases with known {' and '.join(known)}",
                across="known purchases",
                readings={float(p): _name(known, p) for p in self.points},
            )
            for known in self.known
        )

    def compare(
        self, original: Purchases, release: Purchases, *, rng: np.random.Generator
    ) -> Readings:
        """Draw the purchases once, then look them up by every list of known attributes."""
        rows = draw_purchases(original, release, max(self.points), self.people, rng=rng)
        published = release.live_rows()
        keys = RowKeys.of(original, published)
        owner = release.person[rows[:, 0]]
        out = {}
        for attributes in self.known:
            known_keys, published_keys = keys.keys(attributes)
            for points in self.points:
                pinned = pinned_down(
                    known_keys[rows[:, :points]], owner, published_keys, published.person
                )
                hits = int(np.count_nonzero(pinned))
                out[_name(attributes, points)] = proportion(hits, len(pinned), "lower")
        return out


def draw_purchases(
    original: Purchases, release: Purchases, points: int, people: int, *, rng: np.random.Generator
) -> Known:
    """Draw pairs of person and pseudonym, and ``points`` rows of each; one line per pair."""
    live = np.flatnonzero(release.live)
    pair = original.person[live].astype(np.int64) * max(len(release.persons), 1)
    _, pair, sizes = np.unique(pair + release.person[live], return_inverse=True, return_counts=True)
    enough = np.flatnonzero(sizes >= points)
    if len(enough) > people:
        enough = np.sort(rng.choice(enough, people, replace=False))
    chosen = np.zeros(len(sizes), bool)
    chosen[enough] = True
    rows = np.flatnonzero(chosen[pair])
    rows = rows[np.lexsort((rng.random(len(rows)), pair[rows]))]
    starts = np.cumsum(sizes[enough]) - sizes[enough]
    drawn: Known = live[rows[starts[:, None] + np.arange(points)]]
    return drawn


def pinned_down(known_keys: Keys, owner: Array, published_keys: Keys, pseudonym: Array) -> Mask:
    """For each set of known purchases, whether only its owner published rows that match them all.

    Parameters
    ----------
    known_keys : one row per set, one column per known purchase.
    owner : for each set, the pseudonym of the person who made these purchases.
    published_keys, pseudonym : key and pseudonym of every published row.
    """
    if not len(known_keys):
        return np.zeros(0, bool)
    size = int(max(known_keys.max(), published_keys.max(initial=0))) + 1
    names = int(pseudonym.max(initial=0)) + 1
    wanted = np.zeros(size, bool)
    wanted[known_keys] = True
    rows = np.flatnonzero(wanted[published_keys])
    pairs = np.unique(published_keys[rows] * names + pseudonym[rows])
    holders = np.bincount(pairs // names, minlength=size)
    first = np.cumsum(holders) - holders
    rarest = known_keys[np.arange(len(known_keys)), np.argmin(holders[known_keys], axis=1)]
    which = np.repeat(np.arange(len(known_keys)), holders[rarest])
    offset = np.arange(len(which)) - np.repeat(
        np.cumsum(holders[rarest]) - holders[rarest], holders[rarest]
    )
    candidate = pairs[first[rarest][which] + offset] % names
    for column in known_keys.T:
        has = _contains(pairs, column[which] * names + candidate)
        which, candidate = which[has], candidate[has]
    count = np.bincount(which, minlength=len(known_keys))
    right = np.zeros(len(known_keys), bool)
    right[which[candidate == owner[which]]] = True
    pinned: Mask = right & (count == 1)
    return pinned


def _contains(ordered: Keys, values: Keys) -> Mask:
    if not len(ordered):
        return np.zeros(len(values), bool)
    place = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    is_present: Mask = ordered[place] == values
    return is_present


def _name(attributes: tuple[Attribute, ...], points: int) -> str:
    return "_".join(("unicity", *attributes, str(points)))


def _caption(attributes: tuple[Attribute, ...], points: int) -> str:
    purchases = "1 purchase" if points == 1 else f"{points} purchases"
    return f"Share of people pinned down by {purchases} with known {' and '.join(attributes)}."
