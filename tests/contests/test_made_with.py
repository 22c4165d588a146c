"""Made with: an edition remembers how its file was read, and tells no secrets by it."""

from __future__ import annotations

from quintain.contests import load
from quintain.contests.made_with import MadeWith
from quintain.contests.redaction import redact

CHANGES = {"repeats": 3, "dataset": {"rows": 900}}
SECRET = {"knowledge": {"gives": ["base"]}, "sanitizer": [{"use": "rr", "keep": 0.123}]}


def test_an_edition_read_as_it_is_written_says_nothing() -> None:
    edition = load("tiny")
    assert edition.made_with == MadeWith()
    assert b"made_with" not in edition.to_bytes()


def test_quick_and_changes_are_remembered_and_frozen() -> None:
    edition = load("tiny", quick=True, overrides=CHANGES)
    assert edition.made_with.quick
    assert edition.made_with.changes == ("repeats=3", "dataset.rows=900")
    assert b'"dataset.rows=900"' in edition.to_bytes()


def test_changes_are_not_published_where_parameters_are_withheld() -> None:
    edition = load("tiny", quick=True, overrides=SECRET)
    assert b"0.123" in edition.to_bytes()
    shown = redact(edition)
    assert b"0.123" not in shown.to_bytes()
    assert shown.made_with == MadeWith(quick=True)
