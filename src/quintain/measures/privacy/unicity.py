"""Unicity: how few known purchases are enough to single out a person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data.arrays import Array, Mask, Rows, distinct
from quintain.kernels.purchases import Attribute, Baskets, Keys, Purchases, RowKeys, months_of
from quintain.measures.aligned import AlignedMeasure
from quintain.measures.intervals import proportion
from quintain.measures.measure import About, Curve, Readings
from quintain.measures.privacy.clear_links import ClearLinks
from quintain.measures.reading import Direction
from quintain.registry import register
from quintain.wording.languages import say_and, say_count

Known = npt.NDArray[np.int64]
Points = Annotated[int, Field(ge=1, le=100)]
Granularity = Annotated[tuple[Attribute, ...], Field(min_length=1, max_length=5)]

NEARLY = 1e-6
"""Persons whose similarity to a pseudonym differs by less than this are equally similar."""


@register("unicity-v1")
class Unicity(AlignedMeasure):
    """How often a few known purchases point to exactly one pseudonym, and to the right person.

    The measure draws pairs of a person and a pseudonym that publishes rows of that person. The
    attacker knows some of the original purchases behind these rows. The person is pinned down if
    exactly one pseudonym of the release has rows that match all of them, and it is the right one.
    There is one reading per list of known attributes and per number of known purchases, such as
    ``unicity_item_day_4``. Lower is better for people. Pairs and purchases are drawn with ``rng``;
    the caller starts it from the same seed for every release, so that releases can be compared.

    If whole customers are swapped, the rows of a person hold the purchases of another. By rows, no
    pseudonym is then the right one. ``right = "content"`` asks about purchases instead: the
    attacker knows original purchases of a person from one month, and a pseudonym is right if, of
    all persons, its purchases over the whole time are the most similar to that person's. The
    readings are named ``unicity_content_item_day_4``.

    Parameters
    ----------
    points : how many purchases are known. People with fewer purchases than the largest number are
        left out, so that all readings are about the same people.
    known : for each reading, the attributes that are known of a purchase.
    people : how many pairs of person and pseudonym are drawn; all if there are fewer. By content,
        pairs of person and month are drawn.
    right : which pseudonym is right: by "row" the one in the person's rows, by "content" the one
        that publishes the person's purchases.

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
    right: Literal["row", "content"] = "row"

    @classmethod
    def examples(cls) -> list[Self]:
        """Examples for the test battery: the defaults, and pseudonyms by purchases."""
        return [cls(), cls(right="content", points=(1, 2))]

    @property
    def reads(self) -> Mapping[str, Direction]:
        """One reading per list of known attributes and number; lower is better for people."""
        return dict.fromkeys((self._name(a, p) for a in self.known for p in self.points), "lower")

    def _name(self, attributes: tuple[Attribute, ...], points: int) -> str:
        kind = ("unicity",) if self.right == "row" else ("unicity", "content")
        return "_".join((*kind, *attributes, str(points)))

    @property
    def captions(self) -> Mapping[str, str]:
        """What the attacker knows, and of how many purchases."""
        return {self._name(a, p): _caption(a, p) for a in self.known for p in self.points}

    @property
    def curves(self) -> tuple[Curve, ...]:
        """One line per list of known attributes."""
        return tuple(
            Curve(
                title=f"people pinned down by purchases with known {' and '.join(known)}",
                across="known purchases",
                readings={float(p): self._name(known, p) for p in self.points},
            )
            for known in self.known
        )

    def compare(
        self, original: Purchases, release: Purchases, *, rng: np.random.Generator
    ) -> Readings:
        """Draw the purchases once, then look them up by every list of known attributes."""
        published = release.live_rows()
        most = max(self.points)
        if self.right == "row":
            rows = draw_purchases(original, release, most, self.people, rng=rng)
        else:
            rows = draw_months(original, most, self.people, rng=rng)
        keys = RowKeys.of(original, published)
        matches: dict[str, Rows] = {}
        for attributes in self.known:
            known_keys, published_keys = keys.keys(attributes)
            for points in self.points:
                known = known_keys[rows[:, :points]]
                name = self._name(attributes, points)
                matches[name] = only_match(known, published_keys, published.person)
        right = release.person[rows[:, 0]]
        if self.right == "content":
            right = original.person[rows[:, 0]]
            persons = _publishes(np.concatenate(list(matches.values())), original, published)
            matches = dict(zip(matches, np.split(persons, len(matches)), strict=True))
        hits = {name: int(np.count_nonzero(match == right)) for name, match in matches.items()}
        return {name: proportion(count, len(rows), "lower") for name, count in hits.items()}


def draw_months(
    original: Purchases, points: int, people: int, *, rng: np.random.Generator
) -> Known:
    """Draw pairs of person and month, and ``points`` original purchases of each."""
    month = months_of(original.day)
    return _draw(original.person * np.int64(1 + np.ptp(month)) + month, points, people, rng=rng)


def draw_purchases(
    original: Purchases, release: Purchases, points: int, people: int, *, rng: np.random.Generator
) -> Known:
    """Draw pairs of person and pseudonym, and ``points`` rows of each; one line per pair."""
    live = np.flatnonzero(release.live)
    pair = original.person[live].astype(np.int64) * max(len(release.persons), 1)
    drawn: Known = live[_draw(pair + release.person[live], points, people, rng=rng)]
    return drawn


def _draw(pair: Array, points: int, people: int, *, rng: np.random.Generator) -> Known:
    """Draw ``people`` of the pairs that have enough rows, and ``points`` rows of each."""
    _, pair, sizes = np.unique(pair, return_inverse=True, return_counts=True)
    enough = np.flatnonzero(sizes >= points)
    if len(enough) > people:
        enough = np.sort(rng.choice(enough, people, replace=False))
    chosen = np.zeros(len(sizes), bool)
    chosen[enough] = True
    rows = np.flatnonzero(chosen[pair])
    rows = rows[np.lexsort((rng.random(len(rows)), pair[rows]))]
    starts = np.cumsum(sizes[enough]) - sizes[enough]
    drawn: Known = rows[starts[:, None] + np.arange(points)]
    return drawn


def _publishes(pseudonyms: Rows, original: Purchases, published: Purchases) -> Rows:
    """For each pseudonym the person whose purchases it publishes; -1 if nobody stands out."""
    known, names = (Baskets.of(p, by="whole") for p in (original, published))
    wanted = distinct(pseudonyms[pseudonyms >= 0])
    link = ClearLinks(known, names, similar=0.0, clear=1 + NEARLY).of(
        names.find(wanted, np.zeros(len(wanted)))
    )
    person = np.full(len(published.persons) + 1, -1)  # the last one is for no pseudonym
    person[wanted] = np.where(link >= 0, known.person[link], -1)
    return person[pseudonyms]


def pinned_down(known_keys: Keys, owner: Array, published_keys: Keys, pseudonym: Array) -> Mask:
    """For each set of known purchases, whether only its owner published rows that match them all.

    Parameters
    ----------
    known_keys : one row per set, one column per known purchase.
    owner : for each set, the pseudonym of the person who made these purchases.
    published_keys, pseudonym : key and pseudonym of every published row.
    """
    pinned: Mask = only_match(known_keys, published_keys, pseudonym) == owner
    return pinned


def only_match(known_keys: Keys, published_keys: Keys, pseudonym: Array) -> Rows:
    """For each set of known purchases the only pseudonym with rows that match them all, or -1."""
    if not len(known_keys):
        return np.zeros(0, np.int64)
    size = int(max(known_keys.max(), published_keys.max(initial=0))) + 1
    names = int(pseudonym.max(initial=0)) + 1
    wanted = np.zeros(size, bool)
    wanted[known_keys] = True
    rows = np.flatnonzero(wanted[published_keys])
    pairs = distinct(published_keys[rows] * names + pseudonym[rows])
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
    match = np.full(len(known_keys), -1)
    match[which] = candidate
    match[np.bincount(which, minlength=len(known_keys)) != 1] = -1
    return match


def _contains(ordered: Keys, values: Keys) -> Mask:
    if not len(ordered):
        return np.zeros(len(values), bool)
    place = np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)
    is_present: Mask = ordered[place] == values
    return is_present


def _caption(attributes: tuple[Attribute, ...], points: int) -> str:
    return say_count(
        "Share of people pinned down by %(n)s purchase with known %(attributes)s.",
        "Share of people pinned down by %(n)s purchases with known %(attributes)s.",
        points,
        attributes=say_and(attributes),
    )
