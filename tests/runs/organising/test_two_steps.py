"""Preparing in two steps, so that nobody can choose the keys; and one round at a time."""

from datetime import UTC, datetime

import pytest

from quintain.commitment import Commitment
from quintain.contests import Phase, load
from quintain.errors import FolderError, Refused
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.record import roots
from quintain.runs.folder.rules import write_rules
from quintain.runs.folder.secrets import Secrets
from quintain.runs.organising import prepare as module
from quintain.runs.organising.amend import amend
from quintain.runs.organising.prepare import prepare, repair
from quintain.runs.submissions.submit import LONG_AGO
from tests.contest_folders import SMALL

LOTTERY = {"beacon": "the lottery numbers of 3 May 2026"}


def announced(root, **changes):
    rules = load("tiny", overrides={**SMALL, "repeats": 1, "commitment": LOTTERY, **changes})
    write_rules(root, rules)
    return Folder(root)


def test_with_a_beacon_the_keys_are_committed_to_before_anything_is_drawn(tmp_path):
    folder = announced(tmp_path / "contest")
    assert not prepare(folder, seed=3, now=LONG_AGO)
    assert set(roots(folder.state())) == {"rules-1"}
    assert not (folder.root / "public/main").exists()
    assert not prepare(folder, now=LONG_AGO), "still nothing without the beacon"
    assert prepare(folder, beacon="8 15 23", now=LONG_AGO)
    assert folder.state().beacon == "8 15 23"
    with pytest.raises(FolderError, match="the beacon is '8 15 23'; it cannot change"):
        prepare(folder, beacon="8 15 24")


def test_another_beacon_gives_other_samples_and_other_noise(tmp_path):
    truths = []
    for name in ("one", "two", "one"):
        folder = announced(tmp_path / f"{name}{len(truths)}")
        prepare(folder, seed=3, now=LONG_AGO)
        prepare(folder, beacon=name, now=LONG_AGO)
        truths.append(
            [
                path.read_bytes()
                for path in sorted(folder.root.glob("secret/main/tasks/*/truth.csv"))
            ]
        )
    assert truths[0] == truths[2] != truths[1]


def test_a_beacon_that_was_known_before_the_commitment_is_refused(tmp_path):
    folder = announced(tmp_path / "early")
    with pytest.raises(Refused, match="first commit to the keys"):
        prepare(folder, seed=3, beacon="8 15 23")
    assert not folder.at("secret/seeds.json").exists()
    with pytest.raises(Refused, match="the rules announce no beacon"):
        prepare(announced(tmp_path / "silent", commitment={}), seed=3, beacon="8 15 23")


@pytest.mark.parametrize(
    ("beacon", "problem"),
    [
        ("8 15 23 ", "spaces that nobody can see"),
        ("8  15", "spaces that nobody can see"),
        ("8\r\n15", "not plain ASCII"),
        ("\N{CYRILLIC SMALL LETTER A}8", "not plain ASCII"),
        ("8" * 1001, "the limit is 1000"),
    ],
)
def test_a_beacon_that_looks_like_another_one_is_refused(tmp_path, beacon, problem):
    folder = announced(tmp_path / "contest")
    prepare(folder, seed=3, now=LONG_AGO)
    with pytest.raises(Refused, match=problem):
        prepare(folder, beacon=beacon, now=LONG_AGO)
    assert not folder.at("public/beacon.txt").exists()


def test_noise_depends_on_the_rules_unless_its_seed_is_public(tmp_path):
    keys = []
    for title in ("one", "two"):
        folder = announced(tmp_path / title, commitment={}, title=title)
        prepare(folder, now=LONG_AGO)
        same = folder.committed_secrets().model_copy(
            update={"noise": "ab" * 32, "draws": "cd" * 32}
        )
        keys.append(same.mix("", folder.digest("public/rules/1.json")))
    assert keys[0].draws == keys[1].draws
    assert keys[0].noise != keys[1].noise
    rehearsed = Secrets.from_seed(3)
    assert rehearsed.mix("", "any rules") == rehearsed


def test_only_the_rounds_that_have_begun_are_prepared(tmp_path):
    first = {"id": "attack", "submit": "guess", "opens": "2026-05-01T00:00:00Z"}
    later = {"id": "attack", "submit": "guess", "opens": "2026-06-01T00:00:00Z"}
    rules = load("amic", quick=True)
    rounds = tuple(
        one.model_copy(update={"phase": (Phase(**phase),)})
        for one, phase in zip(rules.track, (first, later), strict=True)
    )
    write_rules(tmp_path / "rounds", rules.model_copy(update={"track": rounds}))
    folder = Folder(tmp_path / "rounds")
    prepare(folder, seed=3, now=LONG_AGO)
    assert list(folder.state().prepared) == ["pre"], "the first one, even before it begins"
    prepare(folder, now=datetime(2026, 5, 20, tzinfo=UTC))
    assert list(folder.state().prepared) == ["pre"]
    assert not (folder.root / "public/main").exists()
    prepare(folder, now=datetime(2026, 6, 1, tzinfo=UTC))
    assert list(folder.state().prepared) == ["pre", "main"]


def test_two_organisers_who_prepare_at_once_prepare_once(tmp_path, monkeypatch):
    rules = load("tiny", overrides={**SMALL, "repeats": 1})
    (tmp_path / "contest").mkdir()
    write_rules(tmp_path / "contest", rules)
    folder, task_jobs, waiting = Folder(tmp_path / "contest"), module.task_jobs, [True]

    def slowly(*arguments):
        if waiting and waiting.pop():
            prepare(folder, now=LONG_AGO)
        return task_jobs(*arguments)

    monkeypatch.setattr(module, "task_jobs", slowly)
    prepare(folder, now=LONG_AGO)
    assert [event.event for event in folder.journal().events()] == ["rules", "prepared"]
    assert repair(folder) == []


def test_rules_that_change_while_a_round_is_prepared_are_obeyed(tmp_path, monkeypatch):
    folder, task_jobs, waiting = announced(tmp_path / "contest"), module.task_jobs, [True]
    prepare(folder, seed=3, now=LONG_AGO)
    smaller = load("tiny", overrides={**SMALL, "repeats": 1, "commitment": LOTTERY})
    smaller = smaller.model_copy(
        update={"track": (smaller.track[0].model_copy(update={"repeats": 2}),)}
    )

    def slowly(*arguments):
        jobs = task_jobs(*arguments)
        if waiting and waiting.pop():
            amend(folder, smaller, "one sample was too few", now=LONG_AGO)
        return jobs

    monkeypatch.setattr(module, "task_jobs", slowly)
    prepare(folder, beacon="8 15 23", now=LONG_AGO)
    content = folder.at(paths.commitment("prepare-main")).read_bytes()
    truths = [
        name for name in Commitment.model_validate_json(content).leaves if paths.is_truth(name)
    ]
    assert len(truths) == 2 * len(folder.edition().track[0].entries)
