"""Remembered: what several attacks compute from the same tables, so that one of them does it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

T = TypeVar("T")


class Remembered(Generic[T]):
    """The latest results by what they depend on, which is the content of tables as a rule.

    Parameters
    ----------
    most : how many results are kept; the one that was not asked for for longest goes first.

    >>> lengths = Remembered[int](most=2)
    >>> lengths.get("a word", lambda: 6), lengths.get("a word", lambda: 7)
    (6, 6)
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, T] = OrderedDict()

    def get(self, key: Hashable, compute: Callable[[], T]) -> T:
        """The result for a key, computed if it is not known yet."""
        known = self.find(key)
        if known is None:
            known = compute()
            self.keep(key, known)
        return known

    def find(self, key: Hashable) -> T | None:
        """The result for a key, if it is known."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def keep(self, key: Hashable, result: T) -> None:
        """Remember a result."""
        with self._lock:
            self._kept[key] = result
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
