"""Made with: an edition remembers how its file was read, and tells no secrets by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from quintain.contests import load
from quintain.contests.edition import MadeWith
from quintain.contests.redaction import redact
from quintain.errors import EditionError

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


def test_an_edition_file_cannot_claim_how_it_was_read(tmp_path: Path) -> None:
    file = tmp_path / "edition.toml"
    file.write_text('include = "tiny"\nrepeats = 0\n[made_with]\nquick = true\n')
    with pytest.raises(EditionError) as caught:
        load(file)
    faults = {(fault.line, fault.column): fault.message for fault in caught.value.faults}
    assert set(faults) == {(2, "repeats"), (3, "made_with")}
    assert faults[3, "made_with"].endswith("cannot be set; delete it")


def test_neither_can_its_quick_version_or_an_override(tmp_path: Path) -> None:
    file = tmp_path / "edition.toml"
    file.write_text('include = "tiny"\n[quick]\nmade_with.quick = false\n')
    with pytest.raises(EditionError, match=r"edition.toml:3 quick.made_with: .*delete it"):
        load(file, quick=True)
    with pytest.raises(EditionError, match=r"^overrides made_with: .*delete it"):
        load("tiny", overrides={"made_with": {"profile": "official"}})


def test_frozen_rules_keep_how_they_were_read(tmp_path: Path) -> None:
    frozen = tmp_path / "edition.json"
    frozen.write_bytes(load("tiny", quick=True).to_bytes())
    assert load(frozen).made_with == MadeWith(quick=True)


def test_a_folder_does_not_take_the_place_of_a_built_in_edition(tmp_path, monkeypatch) -> None:
    frozen = tmp_path / "tiny/public/edition.json"
    frozen.parent.mkdir(parents=True)
    frozen.write_bytes(load("tiny", overrides={"repeats": 3}).to_bytes())
    monkeypatch.chdir(tmp_path)
    assert load("tiny").track[0].repeats != 3
    assert load("./tiny").track[0].repeats == 3


def test_changes_that_frozen_rules_would_hide_are_refused(tmp_path) -> None:
    frozen = tmp_path / "edition.json"
    frozen.write_bytes(load("tiny").to_bytes())
    with pytest.raises(EditionError, match=r"^overrides repeats: has no effect: .*edition\.json"):
        load(frozen, overrides={"repeats": 3})
    mine = tmp_path / "mine.toml"
    mine.write_text('include = "edition.json"\nid = "mine"\nrepeats = 3\n')
    with pytest.raises(EditionError, match=r"mine\.toml:3 repeats: has no effect"):
        load(mine)
    mine.write_text('include = "edition.json"\nid = "mine"\n')
    assert load(mine).id == "mine"
