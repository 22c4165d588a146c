"""Preparing: what is public and what is secret, fresh samples and noise, commitments to it all."""

import json
from pathlib import Path

import numpy as np
import pytest

from quintain.commitment import Commitment, sha256
from quintain.errors import FolderError
from quintain.runs.folder.record import roots
from quintain.runs.organising.prepare import prepare
from quintain.runs.tasks.baselines import situation_of
from tests.contest_folders import small
from tests.runs.organising.live_cases import everything

SAME_TWICE = {
    "repeats": 2,
    "sanitizer": [
        {"use": "rr", "name": "one", "keep": 0.5},
        {"use": "rr", "name": "other", "keep": 0.5},
    ],
}


def made(root, *, seed=3, **changes):
    return small(root, seed=seed, **{"repeats": 1, **changes})


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    """A prepared contest; read only."""
    return made(tmp_path_factory.mktemp("prepare") / "contest")


@pytest.fixture(scope="module")
def twice(tmp_path_factory):
    """Two entries that are the same sanitizer, two repetitions each; read only."""
    return made(tmp_path_factory.mktemp("prepare") / "twice", **SAME_TWICE)


def files(folder, pattern):
    """The content of files by their path below the root."""
    matches = [path for path in folder.root.glob(pattern) if path.is_file()]
    return {path.relative_to(folder.root).as_posix(): path.read_bytes() for path in matches}


def privates(folder):
    """The private samples by the name of their task, as sorted records."""
    track = folder.edition().track[0]
    return {
        task.name: sorted(map(repr, folder.private(track, task).records()))
        for task in folder.tasks(track)
    }


# --- public and secret ----------------------------------------------------------------------------


def test_truths_private_data_and_keys_are_secret(contest):
    names = [p.name for p in (contest.root / "public").rglob("*") if p.is_file()]
    assert not {"truth.csv", "private.parquet", "seeds.json"} & set(names)
    assert len(files(contest, "secret/main/tasks/*/truth.csv")) == 5
    assert len(files(contest, "secret/main/tasks/*/private.parquet")) == 5


def test_the_population_is_public_only_where_attackers_are_given_it(contest, tmp_path):
    assert (contest.root / "public/main/base.parquet").is_file()
    blind = [{"id": "blind", "attack": "random"}]
    kept = made(tmp_path / "kept", knowledge={"gives": []}, baseline=blind)
    assert not (kept.root / "public/main/base.parquet").exists()
    assert (kept.root / "secret/main/base.parquet").is_file()


def test_the_order_of_a_release_is_that_of_its_content(contest):
    # Were it that of the private data, the row would tell whose record it is.
    track = contest.edition().track[0]
    for task in contest.tasks(track):
        data = contest.release(track, task).data
        assert data.equals(data.take(data.order()))


def test_households_are_known_in_the_population_and_nowhere_else(tmp_path):
    sample = {"use": "targets", "targets": 8, "background": 60, "unit": "household"}
    folder = made(tmp_path / "homes", dataset={"use": "cps", "rows": 600}, sample=sample)
    track = folder.edition().track[0]
    home = folder.schema("main").role("household").name
    assert home in folder.base("main").schema
    for task in folder.tasks(track):
        assert home not in folder.private(track, task).schema
        assert home not in folder.release(track, task).data.schema
        assert home not in folder.question(track, task).table.schema


def test_attackers_are_given_what_the_edition_gives_and_nothing_else(contest):
    track = contest.edition().track[0]
    task = contest.tasks(track)[0]
    for gives in ((), ("base",), ("parameters",), ("code",), ("base", "parameters", "code")):
        knowledge = track.knowledge.model_copy(update={"gives": gives})
        limited = track.model_copy(update={"knowledge": knowledge})
        given = situation_of(contest, limited, task).knowledge
        for name in ("base", "parameters", "code"):
            assert (getattr(given, name) is not None) == (name in gives)


# --- fresh draws ----------------------------------------------------------------------------------


def test_every_entry_and_repetition_has_a_sample_of_its_own(twice):
    samples = list(privates(twice).values())
    assert len(samples) == 4
    assert len({tuple(sample) for sample in samples}) == 4


def test_a_shared_sample_is_the_same_for_all_entries_but_not_for_all_repetitions(tmp_path):
    folder = made(tmp_path / "shared", shared_sample=True, **SAME_TWICE)
    samples = privates(folder)
    assert samples["one.000"] == samples["other.000"]
    assert samples["one.001"] == samples["other.001"]
    assert samples["one.000"] != samples["one.001"]


def test_the_same_sample_gets_fresh_noise_for_every_entry(tmp_path):
    folder = made(tmp_path / "shared", shared_sample=True, **SAME_TWICE)
    releases = files(folder, "public/main/tasks/*/release.csv")
    assert len(set(releases.values())) == 4


def test_noise_is_keyed_by_track_entry_and_repetition(twice):
    # Made again with the noise of that path alone, by hand, the release is the same.
    from quintain.sanitizers import sanitize

    track, secrets = twice.edition().track[0], twice.secrets()
    for task in twice.tasks(track):
        again = sanitize(
            track.entries[task.entry],
            twice.private(track, task),
            rng=np.random.default_rng(0),
            noise=secrets.noise_for("main", task.entry, task.repeat),
        ).release.data
        published = twice.release(track, task).data
        assert again.take(again.order()).equals(published)


def test_the_same_seed_gives_the_same_files_and_no_seed_gives_others(contest, tmp_path):
    again = made(tmp_path / "again")
    assert files(again, "secret/**/*.*") == files(contest, "secret/**/*.*")
    assert files(again, "public/**/*.*") == files(contest, "public/**/*.*")
    fresh = made(tmp_path / "fresh", seed=None)
    assert not fresh.secrets().test
    truths = files(fresh, "secret/main/tasks/*/truth.csv")
    assert truths != files(contest, "secret/main/tasks/*/truth.csv")


# --- commitments ----------------------------------------------------------------------------------


def test_everything_public_and_secret_is_committed_to(contest):
    leaves = [
        name
        for path in (contest.root / "public/commitments").glob("*.json")
        for name in Commitment.model_validate_json(path.read_bytes()).leaves
    ]
    present = {
        p.relative_to(contest.root).as_posix()
        for top in ("public", "secret")
        for p in (contest.root / top).rglob("*")
        if p.is_file() and "commitments" not in p.parts
    }
    derived = ("edition.json", "events.jsonl", "checkpoint.txt")
    assert present - set(leaves) == {*(f"public/{n}" for n in derived), "secret/signing.key"}
    assert sorted(leaves) == sorted(set(leaves)), "no file is in two commitments"
    first = Commitment.model_validate_json(
        (contest.root / "public/commitments/rules-1.json").read_bytes()
    )
    keys = {"secret/seeds.json", "public/signing.pub", "public/rules/1.json"}
    assert set(first.leaves) == keys, "the public key is bound before anything happens"


def test_the_salts_of_the_commitment_come_from_the_secret_key(contest):
    commitment = Commitment.model_validate_json(
        (contest.root / "public/commitments/prepare-main.json").read_bytes()
    )
    content = {name: (contest.root / name).read_bytes() for name in commitment.leaves}
    assert Commitment.over(content, contest.secrets().nonce_key()) == commitment
    assert Commitment.over(content, b"0" * 32) != commitment
    assert not {sha256(text) for text in content.values()} & set(commitment.leaves.values())


def test_a_commitment_once_published_is_never_replaced(tmp_path):
    folder = made(tmp_path / "contest")
    before = files(folder, "public/commitments/*")
    (folder.root / "secret/late.txt").write_text("a late idea")
    prepare(folder)
    assert files(folder, "public/commitments/*") == before


def test_the_journal_names_the_root_of_every_commitment(tmp_path):
    folder = made(tmp_path / "contest", team=[{"id": "red"}])
    published = {
        Path(name).stem: json.loads(content)["root"]
        for name, content in files(folder, "public/commitments/*").items()
    }
    assert roots(folder.state()) == published
    assert set(published) == {"rules-1", "prepare-main"}, "red has no files of its own"


def test_a_folder_prepared_with_other_seeds_is_left_alone(contest):
    before = files(contest, "**/*.*")
    with pytest.raises(FolderError, match="was prepared with other seeds"):
        prepare(contest, seed=4)
    assert files(contest, "**/*.*") == before


def test_prepared_again_without_a_seed_keeps_its_seeds(tmp_path):
    folder = made(tmp_path / "contest")
    before = files(folder, "**/*.*")
    prepare(folder)
    assert files(folder, "**/*.*") == before


def test_what_the_edition_does_not_give_is_not_published(tmp_path):
    blind = [{"id": "r", "attack": "random"}]
    folder = made(tmp_path / "c", knowledge={"gives": []}, baseline=blind)
    cards = list((folder.root / "public/main/tasks").glob("*/card.json"))
    assert len(cards) == 5
    for card in (json.loads(path.read_bytes()) for path in cards):
        assert card["claim"] is None
        assert not card["methods"]


@pytest.mark.parametrize("name", ["journal.jsonl", "secret/seeds.json"])
def test_what_nobody_can_make_again_is_missed_and_nothing_else_is_lost(tmp_path, name):
    folder = small(tmp_path / "contest", team=[{"id": "red"}], repeats=1)
    folder.at(name).unlink()
    before = everything(folder.root)
    with pytest.raises(FolderError, match=f"{name} is missing; restore it"):
        prepare(folder)
    assert everything(folder.root).items() >= before.items()
