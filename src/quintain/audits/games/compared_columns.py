"""Compared columns: which columns of the data the releases of a sanitizer have, and which not."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from quintain.audits.reading.comparable import no_column
from quintain.audits.reading.coverage import quote_names
from quintain.audits.results import NotComputed
from quintain.data import Column, Schema
from quintain.sanitizers.comparable import is_comparable


@dataclass(frozen=True, slots=True)
class ComparedColumns:
    """The columns of the data beside those of a release.

    Parameters
    ----------
    shared : those of the data that the release has as they were.
    dropped, changed : the names of those that it does not have, or writes otherwise.
    ids : the names of ids and texts of the data that the release has; no attack compares these.
    more : the names of those that only the release has.
    """

    shared: tuple[Column, ...]
    dropped: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    more: tuple[str, ...] = ()

    @classmethod
    def of(cls, data: Schema, released: Schema, owned: Collection[str] = ()) -> ComparedColumns:
        """Compare the columns of the data with those of a release.

        ``owned`` are the names of all columns of the data, those that are no attributes as well.
        """
        shared = tuple(column for column in data.columns if is_comparable(column, released))
        other = [name for name in data.names if name not in {column.name for column in shared}]
        return cls(
            shared,
            tuple(name for name in other if name not in released),
            tuple(name for name in other if name in released),
            tuple(name for name in released.names if name not in data and name in owned),
            tuple(name for name in released.names if name not in data and name not in owned),
        )

    @property
    def differ(self) -> bool:
        """Whether the release has other columns than the data, or more values in one."""
        return bool(self.dropped or self.changed or self.ids or self.more)

    def left_out(self) -> Iterator[NotComputed]:
        """The columns that the game of coins does not compare, and why."""
        for name in self.dropped:
            yield no_column(name, "the release does not have it, so no attack can compare it")
        for name in self.changed:
            reason = "the release writes it otherwise, so the game of coins does not compare it"
            yield no_column(name, reason)
        for name in self.ids:
            yield no_column(name, "it is not an attribute, and the release has it nevertheless")
        for name in self.more:
            yield no_column(name, "only the release has it")

    def reason(self) -> str:
        """Why the game of coins cannot say how small an effect is; empty if it can."""
        unseen = (*self.ids, *self.more)
        if not unseen:
            return ""
        total = len(self.shared) + len(self.changed) + len(unseen)
        return (
            f"No attack on average people could compare {len(unseen)} of {total} columns of the "
            f"release with the data: {quote_names(unseen)}. Nobody can say what they give away."
        )
