"""What teams hand in on CodaBench beside a table: artefacts, and a choice among samples."""

import subprocess
import sys

import pytest

from quintain.contests import load
from quintain.errors import Rejected
from quintain.kit.codabench.bundle import bundle_bytes, require_exportable
from quintain.kit.codabench.download import read_download, submit_download
from quintain.runs.folder.folder import csv_bytes
from quintain.runs.folder.paths import Task
from tests.contest_folders import prepared, small
from tests.kit.codabench.test_phases import RULES, downloaded
from tests.kit.codabench.upload_rules import refusals
from tests.kit.conftest import misread, track_of, unpacked
from tests.kit.scoring_run import run_scoring

ARTEFACTS = [
    {"name": "model", "file": "model-{team}.bin", "required": True, "max_bytes": 10},
    {"name": "report", "file": "report.txt", "kind": "text"},
    {"name": "settings", "file": "settings.json", "kind": "json"},
    {"name": "second", "file": "second.csv", "kind": "table"},
]
SEVERAL = {
    **RULES,
    "samples": 3,
    "rule": [],
    "phase": [{**RULES["phase"][0], "artefact": ARTEFACTS}, RULES["phase"][1]],
    "files": {**RULES["files"], "release": "{track}_{team}_{sample}.csv"},
}


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    root = tmp_path_factory.mktemp("several") / "contest"
    return prepared(root, load("tiny", overrides=SEVERAL))


def release_of(folder, sample):
    data = folder.private(track_of(folder), Task("main", "red"), sample)
    return csv_bytes(data, header=False)


def test_a_team_submits_one_of_its_samples_with_a_model(contest, tmp_path):
    bundle = bundle_bytes(contest)
    assert not refusals(unpacked(bundle)) and not misread(unpacked(bundle))
    page = unpacked(bundle)["pages/evaluation.md"].decode()
    assert "call the file after the one you chose, `sample-1.csv`, `sample-2.csv`" in page
    assert "- `model-TEAM.bin`: model; at most 10 bytes, required" in page
    given = {"sample-2.csv": release_of(contest, 2), "model-TEAM.bin": b"weights"}
    assert run_scoring(bundle, given, tmp_path / "site").code == 0
    path = downloaded(tmp_path / "bulk.zip", [(1, "red", "2026-05-03", given)])
    found = read_download(path, contest.edition().limits)
    done = submit_download(contest, track_of(contest), found, {})
    assert not list(done.refused)
    (submission,) = done.accepted
    assert submission.sample == 2
    assert set(submission.files) == {"main_red_2.csv", "model-red.bin"}


FAULTS = {
    "no model": ({"model-TEAM.bin": None}, "the model is missing: submit model-TEAM.bin"),
    "large": ({"model-TEAM.bin": b"x" * 11}, "model-TEAM.bin: 11 bytes; the limit is 10"),
    "not text": ({"report.txt": b"\xff"}, "report.txt: is not UTF-8 text: byte 0 is 0xff"),
    "not shown": ({"report.txt": b"a\n\x1b[1m"}, "report.txt:2: contains a character that cannot"),
    "not JSON": ({"settings.json": b"{"}, "settings.json: Invalid JSON"),
    "no table": ({"second.csv": b"1,2\n"}, "second.csv:1: expected 9 cells, found 2"),
    "no sample": ({"sample-2.csv": None, "r.csv": b""}, "r.csv: call it after the sample"),
    "another": ({"notes.txt": b"hello"}, "this has 2: notes.txt, sample-2.csv"),
}


@pytest.mark.parametrize("kind", FAULTS)
def test_the_site_says_what_is_wrong_with_an_artefact(contest, kind, tmp_path):
    changes, message = FAULTS[kind]
    given = {"sample-2.csv": release_of(contest, 2), "model-TEAM.bin": b"weights", **changes}
    present = {name: content for name, content in given.items() if content is not None}
    done = run_scoring(bundle_bytes(contest), present, tmp_path)
    assert done.code == 1
    assert message in done.output


def test_phases_with_different_artefacts_are_refused():
    first, second = RULES["phase"]
    again = {
        **first,
        "id": "again",
        "opens": "2026-05-11T00:00:00Z",
        "closes": "2026-05-12T00:00:00Z",
    }
    phases = [{**first, "artefact": ARTEFACTS}, again, second]
    (track,) = load("tiny", overrides={**RULES, "phase": phases}).track
    with pytest.raises(Rejected, match="take different artefacts"):
        require_exportable(track, "release")


def test_the_starting_kit_has_stand_ins_for_required_artefacts(tmp_path):
    model = {"name": "model", "file": "model-{team}.bin", "required": True}
    phase = {"id": "attack", "submit": "guess", "artefact": [model]}
    bundle = bundle_bytes(small(tmp_path / "contest", repeats=1, phase=[phase]))
    for name, content in unpacked(bundle).items():
        if name.startswith("starting_kit/"):
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    checks = (
        ["baseline.py"],
        ["score.py", "--check", "answers.zip"],
        ["score.py", "--check", "example"],
    )
    for command in checks:
        done = subprocess.run(
            [sys.executable, *command], cwd=tmp_path / "starting_kit", check=False
        )
        assert done.returncode == 0
    assert (tmp_path / "starting_kit/example/model-TEAM.bin").is_file()
    (tmp_path / "starting_kit/example/model-TEAM.bin").unlink()
    done = subprocess.run([sys.executable, *command], cwd=tmp_path / "starting_kit", check=False)
    assert done.returncode == 1
