"""Content link: whose purchases does a pseudonym publish, even if it stands for somebody else?

A release can give every pseudonym the purchases of another person. Each row then names the wrong
person, so attacks on the pseudonym table fail, and yet everybody's purchases are published. This
measure compares only contents; it never looks at which row stands for which.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data.arrays import Mask, Rows, distinct
from quintain.kernels.purchases import Baskets, Purchases, RowKeys, months_of
from quintain.measures.aligned import AlignedMeasure
from quintain.measures.intervals import proportion
from quintain.measures.measure import About, Readings
from quintain.measures.privacy.clear_links import ClearLinks
from quintain.measures.reading import Direction, Reading
from quintain.registry import register
from quintain.wording.languages import say, to_say

Counted = Literal["names", "rows", "persons"]
"""What a link is counted by: baskets under a pseudonym, published rows, or persons."""

_MONTHLY: Mapping[Counted, str] = {
    "names": to_say("Share of published monthly baskets that point to one person."),
    "rows": to_say("Share of published rows whose pseudonym points to one person in a month."),
    "persons": to_say("Share of people to whom a pseudonym points in a month."),
}
_OVERALL: Mapping[Counted, str] = {
    "names": to_say(
        "Share of published pseudonyms whose purchases point to one person over the whole time."
    ),
    "rows": to_say(
        "Share of published rows whose pseudonym points to one person over the whole time."
    ),
    "persons": to_say("Share of people to whom a pseudonym points over the whole time."),
}
"""The captions, read by month and over the whole time."""


@register("content-link-v1")
class ContentLink(AlignedMeasure):
    r"""How much of the release can be recognised as the purchases of one particular person.

    ``content_link`` is the share of published baskets (a pseudonym in a month) that an attacker
    who knows the original links to one person. A basket is linked if, of all persons' baskets of
    that month, one is similar enough and clearly the most similar. Similarity is the cosine of the
    sets of items; an item that few people bought weighs more, log((n + 1) / buyers).
    ``content_link_whole`` compares everything a pseudonym publishes with everything a person
    bought, so moving purchases to another month does not hide them.

    A release can have many pseudonyms with few rows each, so that the pseudonyms that can be linked
    are few and still publish most rows. ``content_link_rows`` is the share of published rows in
    linked baskets, and ``content_link_persons`` is the share of all persons to whom at least one
    basket is linked; over the whole time, ``content_link_whole_rows`` and
    ``content_link_whole_persons``.

    ``verbatim``, read by month, is the share of published rows that equal a purchase, in item, day,
    price and quantity, of the person whose purchases their pseudonym publishes most.

    Both are about 1 if only names changed, and also if persons were swapped as a whole. Baskets
    filled at random from the month's purchases still link by accident: with the defaults 3 in 100
    do in the data of DARC. Lower is better for people.

    Parameters
    ----------
    similar : the smallest cosine that links.
    clear : how many times more similar the most similar person must be than the next.
    by : compare by "month", or over the "whole" time.
    counted : what linked baskets are counted by: "names" counts baskets, "rows" published rows,
        "persons" the people who are recognised.
    most : if more baskets than this are published, the measure draws a tenth of this number of
        baskets, of rows and of persons with ``rng``, and its readings have intervals. By default it
        compares all baskets, however many; with 100,000 people that takes long.

    References
    ----------
    Murakami et al., Designing a location trace anonymization contest, arXiv 2107.10407, on
    releases that are secure against re-identification but not against trace inference. Narayanan
    and Shmatikov, Robust de-anonymization of large sparse datasets, IEEE S&P 2008, on linking only
    where the best match stands out.

    Examples
    --------
    Replacing names leaves every row as it was:

    >>> import quintain as q
    >>> from quintain.testing import experiment
    >>> sample, renamed = experiment("transactions")
    >>> print(q.measure("content-link", sample.private, renamed)["verbatim"])
    1
    """

    about: ClassVar[About] = "privacy"

    similar: Annotated[float, Field(gt=0, le=1)] = 0.3
    clear: Annotated[float, Field(gt=1, le=100)] = 1.25
    by: Literal["month", "whole"] = "month"
    counted: Annotated[tuple[Counted, ...], Field(min_length=1, max_length=3)] = ("names",)
    most: Annotated[int, Field(ge=10)] | None = None

    @classmethod
    def examples(cls) -> list[Self]:
        """Compare by month and over the whole time, by names and by everything."""
        return [cls(), cls(by="whole"), cls(counted=("names", "rows", "persons"), most=10)]

    @property
    def reads(self) -> Mapping[str, Direction]:
        """One reading per way of counting, by month also verbatim; lower is better for people."""
        names = (*self._names().values(), *(("verbatim",) if self.by == "month" else ()))
        return dict.fromkeys(names, "lower")

    def _names(self) -> dict[Counted, str]:
        stem = "content_link" if self.by == "month" else "content_link_whole"
        return {each: stem if each == "names" else f"{stem}_{each}" for each in self.counted}

    @property
    def captions(self) -> Mapping[str, str]:
        """What each reading counts: linked baskets, rows or persons, or copied rows."""
        monthly = self.by == "month"
        texts = _MONTHLY if monthly else _OVERALL
        out = {name: say(texts[each]) for each, name in self._names().items()}
        copied = say("Share of published rows copied from the person their pseudonym resembles.")
        return out | ({"verbatim": copied} if monthly else {})

    def compare(
        self, original: Purchases, release: Purchases, *, rng: np.random.Generator
    ) -> Readings:
        """Link baskets to persons, and count the rows that were copied."""
        published = release.live_rows()
        if not len(published):
            missing = Reading.missing("lower", "nothing is published")
            return dict.fromkeys(self.reads, missing)
        readings = self._links(original, published, rng=rng)
        if self.by == "month":
            copied = copied_rows(original, published) / len(published)
            readings["verbatim"] = Reading.exact(copied, len(published), "lower")
        return readings

    def _links(
        self, original: Purchases, published: Purchases, *, rng: np.random.Generator
    ) -> dict[str, Reading]:
        """Draw baskets, rows and persons, and count those that are linked."""
        known, baskets = (Baskets.of(p, by=self.by) for p in (original, published))
        links = ClearLinks(known, baskets, self.similar, self.clear)
        month = months_of(published.day) if self.by == "month" else np.zeros(len(published))
        sizes = {"names": len(baskets.person), "rows": len(published)}
        sizes["persons"] = len(original.persons)
        everything = self.most is None or len(baskets.person) <= self.most
        draws = max(sizes.values()) if everything else (self.most or 0) // 10
        drawn = {each: _draw(sizes[each], draws, rng) for each in self.counted}
        wanted = np.zeros(len(baskets.person), bool)
        for each, numbers in drawn.items():
            if each == "names":
                wanted[numbers] = True
            elif each == "rows":
                drawn[each] = baskets.find(published.person[numbers], month[numbers])
                wanted[drawn[each]] = True
            elif not wanted.all():
                wanted[links.similar_to(numbers)] = True
        person = np.full(len(wanted), -1)
        link = links.of(np.flatnonzero(wanted))
        person[wanted] = np.where(link >= 0, known.person[link], -1)
        out = {}
        for each, name in self._names().items():
            if each == "persons":
                linked = np.isin(drawn[each], person[person >= 0])
            else:
                linked = person[drawn[each]] >= 0
            out[name] = _share(linked, sizes[each])
        return out


def _draw(count: int, draws: int, rng: np.random.Generator) -> Rows:
    """All numbers below ``count``, or ``draws`` of them if that is fewer."""
    if count <= draws:
        return np.arange(count)
    return np.sort(rng.choice(count, draws, replace=False))


def _share(linked: Mask, of: int) -> Reading:
    """The share that is linked, with an interval unless everything was looked at."""
    hits, looked_at = int(np.count_nonzero(linked)), len(linked)
    if looked_at < of:
        return proportion(hits, looked_at, "lower")
    return Reading.exact(hits / of, of, "lower")


def copied_rows(original: Purchases, published: Purchases) -> int:
    """How many rows copy a purchase of the person whose purchases their pseudonym copies most.

    Only rows that fit exactly one person decide who that is.
    """
    keys = RowKeys.of(original, published)
    known, published_keys = keys.keys(("item", "day", "price", "quantity"))
    people = len(original.persons)
    owned = distinct(known * people + original.person)
    owner = _single_owner(
        owned // people, owned % people, int(max(known.max(), published_keys.max())) + 1
    )
    from_one = np.flatnonzero(owner[published_keys] >= 0)
    pair = published.person[from_one].astype(np.int64) * people + owner[published_keys[from_one]]
    pairs, count = np.unique(pair, return_counts=True)
    most = np.full(len(published.persons), -1)
    order = np.argsort(count, kind="stable")
    most[pairs[order] // people] = pairs[order] % people
    chosen = most[published.person]
    wanted = published_keys * people + chosen
    place = np.minimum(np.searchsorted(owned, wanted), len(owned) - 1)
    return int(np.count_nonzero((owned[place] == wanted) & (chosen >= 0)))


def _single_owner(key: Rows, person: Rows, size: int) -> Rows:
    """For every key, the only person who has it; -1 if nobody or several have it."""
    owner = np.full(size, -1)
    owner[key] = person
    owner[np.bincount(key, minlength=size) > 1] = -1
    return owner
