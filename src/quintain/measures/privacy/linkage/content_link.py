"""Content link: whose purchases does a pseudonym publish, even if it stands for somebody else?

A release can give every pseudonym the purchases of another person. Each row then names the wrong
person, so attacks on the pseudonym table fail, and yet everybody's purchases are published. This
measure compares only contents; it never looks at which row stands for which.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from quintain.data.arrays import Mask, Rows
from quintain.kernels.baskets import Baskets, compare
from quintain.kernels.purchases import Purchases
from quintain.kernels.row_keys import RowKeys
from quintain.kernels.unit_rows import unit_rows
from quintain.measures.aligned import AlignedMeasure
from quintain.measures.measure import About, Readings
from quintain.measures.reading import Direction, Reading
from quintain.registry import register

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ROUNDING = 1e-9


@register("content-link-v1")
class ContentLink(AlignedMeasure):
    r"""How much of the release can be recognised as the purchases of one particular person.

    ``content_link`` is the share of published baskets (a pseudonym in a month) that an attacker
    who knows the original links to one person. A basket is linked if, of all persons' baskets of
    that month, one is similar enough and clearly the most similar. Similarity is the cosine of the
    sets of items; an item that few people bought weighs more, log((n + 1) / buyers).
    ``content_link_whole`` compares everything a pseudonym publishes with everything a person
    bought, so moving purchases to another month does not hide them.

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

    @classmethod
    def examples(cls) -> list[Self]:
        """Compare by month and over the whole time."""
        return [cls(), cls(by="whole")]

    @property
    def reads(self) -> Mapping[str, Direction]:
        """content_link and verbatim, or content_link_whole; lower is better for people."""
        names = ("content_link", "verbatim") if self.by == "month" else ("content_link_whole",)
        return dict.fromkeys(names, "lower")

    @property
    def captions(self) -> Mapping[str, str]:
        """What each reading counts: linked baskets, or copied rows."""
        if self.by == "whole":
            text = "Share of pseudonyms whose purchases over the whole time point to one person."
            return {"content_link_whole": text}
        return {
            "content_link": "Share of published monthly baskets that point to one person.",
            "verbatim": "Share of published rows copied from the person their pseudonym resembles.",
        }

    def compare(
        self, original: Purchases, release: Purchases, *, rng: np.random.Generator
    ) -> Readings:
        """Link baskets to persons, and count the rows that were copied."""
        published = release.live_rows()
        if not len(published):
            missing = Reading.missing("lower", "nothing is published")
            return dict.fromkeys(self.reads, missing)
        known, baskets = (Baskets.of(p, by=self.by) for p in (original, published))
        linked = linked_baskets(known, baskets, similar=self.similar, clear=self.clear)
        link = Reading.exact(float(linked.mean()), len(linked), "lower")
        if self.by == "whole":
            return {"content_link_whole": link}
        copied = copied_rows(original, published) / len(published)
        return {
            "content_link": link,
            "verbatim": Reading.exact(copied, len(published), "lower"),
        }


def linked_baskets(known: Baskets, published: Baskets, *, similar: float, clear: float) -> Mask:
    """Which published baskets are clearly more similar to one known basket than to all others."""
    linked = np.zeros(len(published.person), bool)
    known_vectors, published_vectors = weighted(known, known), weighted(published, known)
    for rows, block in compare(published_vectors, published.month, known_vectors, known.month):
        count = np.diff(block.indptr)
        filled = np.flatnonzero(count)
        best = np.zeros(len(count))
        if len(filled):
            best[filled] = np.maximum.reduceat(block.data, block.indptr[filled])
        row = np.repeat(np.arange(len(count)), count)
        near = np.bincount(row[block.data * clear > best[row] + ROUNDING], minlength=len(count))
        linked[rows] = (best >= similar - ROUNDING) & (near == 1)
    return linked


def weighted(baskets: Baskets, known: Baskets) -> csr_array:
    """Baskets as vectors of length 1; an item in few known baskets of the month weighs more.

    If a month has no known basket, all its items weigh the same.
    """
    vectors = baskets.holds.copy()
    for month in np.unique(baskets.month).tolist():
        first, end = np.searchsorted(known.month, [month, month + 1])
        buyers = known.holds[first:end].sum(axis=0)
        weight = np.log((end - first + 1) / np.maximum(buyers, 1)) if end > first else None
        low, high = np.searchsorted(baskets.month, [month, month + 1])
        entries = slice(vectors.indptr[low], vectors.indptr[high])
        if weight is not None:
            vectors.data[entries] = weight[vectors.indices[entries]]
    return unit_rows(vectors)


def copied_rows(original: Purchases, published: Purchases) -> int:
    """How many rows copy a purchase of the person whose purchases their pseudonym copies most.

    Only rows that fit exactly one person decide who that is.
    """
    keys = RowKeys.of(original, published)
    known, published_keys = keys.keys(("item", "day", "price", "quantity"))
    people = len(original.persons)
    owned = np.unique(known * people + original.person)
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
