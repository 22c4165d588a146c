"""The rules of uploads accept and refuse bundles as CodaBench does."""

import json
from datetime import UTC, datetime

import pytest

from quintain.kit.codabench.bundle import logo_png
from tests.kit.codabench.upload_rules import refusals, stored_moment

SMALL = """\
version: 2
title: Small
image: logo.png
terms: terms.md
pages:
- title: Overview
  file: overview.md
tasks:
- index: 0
  name: main
  scoring_program: program/
  reference_data: reference/
phases:
- name: first
  start: '2026-01-01 00:00:00'
  end: '2026-01-31 00:00:00'
  tasks: [0]
- name: second
  start: '2026-02-01 00:00:00'
  tasks: [0]
leaderboards:
- title: Results
  key: results
  columns:
  - title: A
    key: a
    index: 0
  - title: Mean
    key: mean
    index: 1
    computation: avg
    computation_indexes: [0]
"""


def bundle(config=SMALL, **changed):
    files = {
        "competition.yaml": config.encode(),
        "logo.png": logo_png(),
        "terms.md": b"be fair",
        "overview.md": b"hello",
        "program/metadata.yaml": b"command: python3 score.py",
        "reference/truth.csv": b"target,member",
    }
    files |= {name.replace("__", "."): content for name, content in changed.items()}
    return {name: content for name, content in files.items() if content is not None}


def test_a_small_bundle_is_taken():
    assert not refusals(bundle())


def test_the_vectors_made_with_codabench_itself(real_data):
    path = real_data / "codabench_vectors.json"
    if not path.is_file():
        pytest.skip(f"no vectors: {path} does not exist")
    vectors = json.loads(path.read_text())
    assert len(vectors) == 40
    for vector in vectors:
        files = dict.fromkeys(vector["files"], b"command: python3 score.py")
        files |= {"logo.png": logo_png()}
        files |= {"competition.yaml": vector["competition_yaml"].encode()}
        faults = refusals(files)
        assert (not faults) == vector["accepted"], (vector["name"], faults)
        for kept, phase in zip(vector.get("phases", []), _phases(files), strict=not faults):
            assert stored_moment(phase["start"]).isoformat() == kept["start"]
            assert stored_moment(phase["end"]).isoformat() == kept["end"]


def _phases(files):
    import yaml

    return yaml.safe_load(files["competition.yaml"]).get("phases", [])


CHANGES = {
    "no version": ("version: 2\n", "", "version"),
    "version 1": ("version: 2", "version: 1", "version"),
    "no title": ("title: Small\n", "", "title"),
    "long title": ("title: Small", f"title: {'x' * 257}", "title"),
    "no such page": ("file: overview.md", "file: none.md", "pages[0].file"),
    "no program": ("  scoring_program: program/\n", "", "tasks[0].scoring_program"),
    "phases touch": ("2026-02-01", "2026-01-31", "phases[1].start"),
    "no end": ("  end: '2026-01-31 00:00:00'\n", "", "phases[0].end"),
    "no such task": ("tasks: [0]\nl", "tasks: [3]\nl", "phases[1].tasks[0]"),
    "no time": ("'2026-01-01 00:00:00'", "soon", "phases[0].start"),
    "a number for a time": ("'2026-01-01 00:00:00'", "12", "phases[0].start"),
    "migrates first": (
        "- name: first",
        "- name: first\n  auto_migrate_to_this_phase: true",
        "phases[0].auto_migrate_to_this_phase",
    ),
    "same key": ("key: mean", "key: a", "leaderboards[0].columns[1].key"),
    "from itself": ("[0]\n", "[1]\n", "leaderboards[0].columns[1].computation_indexes[0]"),
    "text for a list": (
        "indexes: [0]",
        "indexes: '0'",
        "leaderboards[0].columns[1].computation_indexes",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_fault_is_named_with_its_key(name):
    old, new, column = CHANGES[name]
    parts = SMALL.rpartition(old)
    assert parts[1]
    assert [*refusals(bundle(parts[0] + new + parts[2]))] == [column]


def test_every_fault_is_reported_at_once():
    broken = SMALL.replace("title: Small\n", "").replace("key: mean", "key: a")
    broken = broken.replace("terms.md", "none.md") + "queue: 1234\ncompetition_type: fair\n"
    assert set(refusals(bundle(broken, logo__png=b"no image"))) == {
        "title",
        "terms",
        "image",
        "queue",
        "competition_type",
        "leaderboards[0].columns[1].key",
    }


def test_files_must_be_there_and_not_empty():
    assert refusals(bundle(overview__md=b"")) == {"pages[0].file": "the file is empty"}
    lost = {k: v for k, v in bundle().items() if not k.startswith("reference/")}
    assert [*refusals(lost)] == ["tasks[0].reference_data"]


def test_the_file_must_be_in_the_root():
    assert len(refusals({f"contest/{name}": data for name, data in bundle().items()})) == 1


@pytest.mark.parametrize(
    "text", ["[" * 1500, "a: [", "\x00", "- list", "", "a: !!python/object:os.x", "? {a: b}\n: c"]
)
def test_what_is_no_yaml_is_a_fault_and_no_crash(text):
    assert len(refusals(bundle(text))) == 1


def test_hostile_structures_are_faults_and_no_crash():
    for value in ("~", "3", "[~, 3, []]", "{a: b}", "&x [*x]"):
        for key in ("pages", "tasks", "phases", "leaderboards", "solutions", "fact_sheet"):
            lines = SMALL.split("\n")
            config = "\n".join(line for line in lines if line != f"{key}:") + f"\n{key}: {value}\n"
            assert isinstance(refusals(bundle(config)), dict)


def test_times_are_kept_as_codabench_keeps_them():
    noon = datetime(2026, 1, 1, 12, 30, tzinfo=UTC)
    assert stored_moment("2026-01-01 12:30:00") == noon
    assert stored_moment("2026-01-01T12:30:00+09:00") == noon
    assert stored_moment(noon) == noon.replace(hour=0, minute=0)
