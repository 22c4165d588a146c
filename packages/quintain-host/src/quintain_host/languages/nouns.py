"""Nouns: what the pages of the site count, with their plurals."""

from __future__ import annotations

from quintain.wording.languages import say_count, to_say_count

NOUNS = (
    to_say_count("%(n)s attempt", "%(n)s attempts"),
    to_say_count("%(n)s award", "%(n)s awards"),
    to_say_count("%(n)s byte", "%(n)s bytes"),
    to_say_count("%(n)s check", "%(n)s checks"),
    to_say_count("%(n)s column", "%(n)s columns"),
    to_say_count("%(n)s day", "%(n)s days"),
    to_say_count("%(n)s fault", "%(n)s faults"),
    to_say_count("%(n)s field", "%(n)s fields"),
    to_say_count("%(n)s file", "%(n)s files"),
    to_say_count("%(n)s hour", "%(n)s hours"),
    to_say_count("%(n)s line", "%(n)s lines"),
    to_say_count("%(n)s member", "%(n)s members"),
    to_say_count("%(n)s minute", "%(n)s minutes"),
    to_say_count("%(n)s name", "%(n)s names"),
    to_say_count("%(n)s notice", "%(n)s notices"),
    to_say_count("%(n)s person", "%(n)s people"),
    to_say_count("%(n)s question", "%(n)s questions"),
    to_say_count("%(n)s range", "%(n)s ranges"),
    to_say_count("%(n)s submission", "%(n)s submissions"),
    to_say_count("%(n)s team", "%(n)s teams"),
    to_say_count("%(n)s value", "%(n)s values"),
)
"""Every number with its noun that a page shows; the catalogue has these."""


def count(n: int, one: str, many: str = "") -> str:
    """Write a number with its noun; without ``many`` the plural ends in s.

    >>> count(1, "person", "people"), count(3, "team")
    ('1 person', '3 teams')
    """
    return say_count(f"%(n)s {one}", f"%(n)s {many or one + 's'}", n)
