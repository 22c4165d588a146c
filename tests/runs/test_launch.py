"""Launch: what keeps teams out, gives secrets away or has no effect is found before the launch."""

import io
import stat
import subprocess
import zipfile
from datetime import UTC, datetime, timedelta

import pytest

from quintain.contests import load
from quintain.errors import Refused
from quintain.kit.kit import kit_bytes
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.lint import (
    ignored_changes,
    nobody_can_submit,
    refuse_rehearsal,
    world_readable_secrets,
)
from quintain.runs.new_folder import new_folder
from quintain.runs.organising.prepare import prepare
from tests.contest_folders import SMALL, prepared, small


def checks(findings):
    return [finding.check for finding in findings]


NOW = datetime(2026, 5, 1, tzinfo=UTC)


def test_a_contest_without_teams_or_with_the_dates_of_another_year_is_not_launched(tmp_path):
    first, last = NOW - timedelta(days=9), NOW + timedelta(days=9)
    middle = NOW - timedelta(days=1)
    over = {"id": "a", "submit": "guess", "opens": first, "closes": middle}
    open_still = {"id": "b", "submit": "guess", "opens": middle, "closes": last}
    folder = small(tmp_path / "late", repeats=1, phase=[over, open_still])
    findings = list(nobody_can_submit(folder, NOW))
    assert checks(findings) == ["no-team", "phase-over"]
    assert findings[1].message == "track main: phase a closed on 2026-04-30"
    assert [finding.severity for finding in findings] == ["warning", "stop"]


def test_a_contest_without_phases_is_not_launched(tmp_path):
    folder = small(tmp_path / "none", repeats=1, phase=[], team=[{"id": "red"}])
    assert checks(nobody_can_submit(folder, NOW)) == ["no-phase"]


def test_teams_and_open_phases_are_no_finding(live):
    assert list(nobody_can_submit(live, NOW)) == []


def test_a_contest_that_was_played_may_be_over(played):
    assert list(nobody_can_submit(Folder(played), NOW)) == []


def test_a_rehearsal_is_handed_out_only_as_one(live):
    with pytest.raises(Refused, match=r"prepared with --seed: anybody can compute its answers"):
        refuse_rehearsal(live)
    with zipfile.ZipFile(io.BytesIO(kit_bytes(live))) as kit:
        assert (
            kit.read("README.md").decode().startswith("# REHEARSAL: anybody can compute the truth")
        )


def test_a_live_contest_is_handed_out(tmp_path):
    edition = load("tiny", overrides={**SMALL, "repeats": 1, "team": [{"id": "red"}]})
    folder = prepared(tmp_path / "real", edition, seed=None)
    refuse_rehearsal(folder)
    with zipfile.ZipFile(io.BytesIO(kit_bytes(folder))) as kit:
        assert kit.read("README.md").decode().startswith("# Tiny")


# --- secrets that others can read -----------------------------------------------------------------


def test_secrets_that_other_users_can_read_are_found_with_the_command_that_closes_them(live):
    assert list(world_readable_secrets(live)) == []
    for path in [live.root, *live.root.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    (finding,) = world_readable_secrets(live)
    assert (finding.severity, finding.check) == ("stop", "world-readable-secrets")
    assert finding.message == "other users of this machine can read secret, .cache, journal.jsonl"
    command = finding.cost.partition("close them: ")[2]
    subprocess.run(command, shell=True, check=True)
    assert list(world_readable_secrets(live)) == []
    assert stat.S_IMODE((live.root / "secret/seeds.json").stat().st_mode) == 0o600
    assert stat.S_IMODE((live.root / "public").stat().st_mode) == 0o755


def test_an_edition_file_is_a_secret_if_attackers_must_not_know_the_parameters(tmp_path):
    for gives, names in ((["base", "parameters"], []), (["base"], ["edition.toml"])):
        folder = tmp_path / f"c{len(gives)}"
        new_folder("tiny", folder, {"knowledge": {"gives": gives}})
        (folder / paths.EDITION).chmod(0o644)
        messages = [finding.message for finding in world_readable_secrets(Folder(folder))]
        assert messages == [f"other users of this machine can read {name}" for name in names]


# --- changes that come too late -------------------------------------------------------------------


@pytest.fixture
def frozen(tmp_path):
    """A prepared folder with the edition file it was made from."""
    new_folder("tiny", tmp_path / "c", SMALL)
    prepare(Folder(tmp_path / "c"), seed=3)
    return Folder(tmp_path / "c")


@pytest.mark.parametrize(
    ("addition", "keys"),
    [
        ("", None),
        ("# a comment\n", None),
        ('[[team]]\nid = "late"\n', "team.late"),
        ('title = "New"\nfeedback.show = "full"\n', "feedback.show, title"),
        ('[[phase]]\nid = "attack"\nsubmit = "guess"\ntotal = 5\n', "phase.attack.total"),
        ("colour = 1\n", "line LAST"),
    ],
)
def test_a_change_of_rules_that_are_frozen_is_named(frozen, addition, keys):
    path = frozen.at(paths.EDITION)
    path.write_text(path.read_text() + addition)
    messages = [finding.message for finding in ignored_changes(frozen)]
    named = str(keys).replace("LAST", str(len(path.read_text().splitlines())))
    sentence = f"the rules are fixed: your change of {named} in edition.toml has no effect"
    assert messages == ([] if keys is None else [sentence])


def test_rules_that_are_not_frozen_may_change(tmp_path):
    new_folder("tiny", tmp_path / "c", {})
    assert list(ignored_changes(Folder(tmp_path / "c"))) == []


def test_a_played_folder_has_no_edition_file_to_compare(played):
    assert list(ignored_changes(Folder(played))) == []
