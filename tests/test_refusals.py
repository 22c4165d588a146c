"""What goes wrong is said in words, and nothing is stored or shown that should not be."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from quintain.cli.main import main
from quintain.contests import load
from quintain.errors import NoiseError
from quintain.kit.kit import kit_bytes
from quintain.noise import Noise
from quintain.runs.new_folder import new_folder
from tests.contest_folders import small
from tests.jobs.test_job import job, run


def fails(capsys, *arguments):
    with pytest.raises(SystemExit) as done:
        main([str(a) for a in arguments])
    assert done.value.code not in (0, None)
    return capsys.readouterr().err


@pytest.mark.parametrize("rows", ["a,0.5\n", "a,0.5\nz,0.5\n", "a,0.5\na,0.5\nb,0.5\n"])
def test_measure_refuses_a_guess_that_does_not_answer_the_truth(tmp_path, capsys, rows):
    (tmp_path / "t.csv").write_text("target,member\na,1\nb,0\n")
    (tmp_path / "g.csv").write_text("target,probability\n" + rows)
    assert "target" in fails(
        capsys, "measure", "tiny", "--truth", tmp_path / "t.csv", "--guess", tmp_path / "g.csv"
    )


@pytest.mark.parametrize(
    "content",
    [
        b"\xff,a\nred,1\n",
        b",a,a\nred,1,2\n",
        b",a\nred,1\nred,2\n",
        b",a\nred,nan\n",
        b",a\nred,inf\n",
    ],
)
def test_rank_refuses_odd_matrices_in_words(tmp_path, capsys, content):
    (tmp_path / "m.csv").write_bytes(content)
    assert "m.csv" in fails(capsys, "rank", "tiny", "--cells", tmp_path / "m.csv")


def test_an_edition_file_that_is_not_utf8_is_refused_in_words(tmp_path, capsys):
    (tmp_path / "e.toml").write_bytes(b"id = '\xff'\n")
    assert "e.toml" in fails(capsys, "play", tmp_path / "e.toml")


def test_a_broken_plugin_file_is_named_in_words(tmp_path, capsys):
    (tmp_path / "p.py").write_text("1/0\n")
    assert "p.py" in fails(capsys, "--plugin", tmp_path / "p.py", "parts")


def test_new_writes_lists_of_tables(tmp_path):
    new_folder("tiny", tmp_path / "mine", {"baseline": [{"id": "r", "attack": {"use": "random"}}]})
    (baseline,) = load(tmp_path / "mine").track[0].baseline
    assert baseline.id == "r"


def test_new_leaves_nothing_behind_when_the_name_is_no_id(tmp_path, capsys):
    fails(capsys, "new", "tiny", tmp_path / "My Contest")
    assert not (tmp_path / "My Contest").exists()


def test_new_in_the_current_folder_takes_its_name(tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    monkeypatch.chdir(tmp_path / "mine")
    new_folder("tiny", Path(), {})
    assert load(tmp_path / "mine").id == "mine"


def test_nobody_can_hand_in_as_a_baseline_of_a_live_contest(tmp_path, capsys):
    folder = small(tmp_path / "c", team=[{"id": "red"}], repeats=1)
    task = folder.tasks(folder.edition().track[0])[0]
    q = (
        (folder.root / "public/main/tasks" / task.name / "question.csv")
        .read_text()
        .splitlines()[1:]
    )
    (tmp_path / f"{task.name}.csv").write_text(
        "target,probability\n" + "".join(f"{r.split(',')[0]},0.5\n" for r in q)
    )
    assert "random" in fails(
        capsys, "submit", folder.root, tmp_path / f"{task.name}.csv", "--team", "random"
    )


def test_a_kit_is_no_place_to_hand_in(tmp_path, capsys):
    folder = small(tmp_path / "c", team=[{"id": "red"}], repeats=1)
    zipfile.ZipFile(io.BytesIO(kit_bytes(folder))).extractall(tmp_path / "kit")
    example = tmp_path / "kit/example/main"
    assert "hand in where they say" in fails(
        capsys, "submit", tmp_path / "kit", example, "--team", "red"
    )


def test_what_the_edition_does_not_give_is_not_published(tmp_path):
    folder = small(
        tmp_path / "c",
        repeats=1,
        knowledge={"gives": []},
        baseline=[{"id": "r", "attack": "random"}],
    )
    cards = list((folder.root / "public/main/tasks").glob("*/card.json"))
    assert len(cards) == 5
    for card in (json.loads(path.read_bytes()) for path in cards):
        assert card["claim"] is None and not card["methods"]


@pytest.mark.parametrize(
    ("epsilon", "sensitivity"), [(1.0, 0.0), (-1.0, 1.0), (1.0, -1.0), (float("nan"), 1.0)]
)
def test_the_exponential_mechanism_refuses_a_budget_that_is_none(epsilon, sensitivity):
    with pytest.raises(NoiseError):
        Noise.for_test(1).choose([1.0, 2.0], epsilon, sensitivity)


@pytest.mark.parametrize("content", ["[]", "null", '{"key": "1", "outputs": []}'])
def test_a_damaged_stamp_means_doing_it_again(tmp_path, content):
    run(tmp_path, job())
    (stamp,) = (tmp_path / ".cache/stamps").iterdir()
    stamp.write_text(content)
    assert run(tmp_path, job()) == 1


@pytest.mark.parametrize(
    "name",
    [
        "public/edition.json",
        "secret/seeds.json",
        "public/main/schema.json",
        "public/board.json",
        "submissions/ledger.jsonl",
    ],
)
def test_a_damaged_folder_is_an_error_in_words(tmp_path, capsys, name):
    folder = small(tmp_path / "c", team=[{"id": "red"}], repeats=1)
    (folder.root / name).parent.mkdir(exist_ok=True)
    (folder.root / name).write_text("{")
    assert name.rsplit("/")[-1] in fails(capsys, "score", folder.root, "--workers", "1")


def test_verify_of_a_folder_that_is_not_prepared_says_so(tmp_path, capsys):
    (tmp_path / "edition.toml").write_text('include = "tiny"\n')
    assert "not prepared" in fails(capsys, "verify", tmp_path)


def test_a_kit_has_no_hidden_files(tmp_path):
    folder = small(tmp_path / "c", team=[{"id": "red"}], repeats=1)
    (folder.root / "public/.release.csv.123.part").write_text("half")
    assert not [n for n in zipfile.ZipFile(io.BytesIO(kit_bytes(folder))).namelist() if "/." in n]
