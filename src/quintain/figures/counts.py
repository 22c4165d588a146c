"""Counts: numbers with their noun in the singular or plural."""

from __future__ import annotations


def count(n: int, one: str, many: str = "") -> str:
    """Write a number with its noun; without ``many`` the plural ends in s.

    >>> count(1, "entry", "entries"), count(3, "attacker")
    ('1 entry', '3 attackers')
    """
    return f"{n} {one if n == 1 else many or one + 's'}"
