"""Several tables about the same people: a folder, an archive or a database, from the terminal."""

import shutil
import sqlite3
import stat

import numpy as np
import pyarrow.csv as pc
import pytest

from quintain.cli.main import main
from quintain.data.people_files import SCHEMA_FILE, read_people, write_people
from quintain.data.sources.clinic import Clinic


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """A folder of 40 patients with visits and prescriptions; read only."""
    folder = tmp_path_factory.mktemp("clinic") / "all"
    trees = Clinic(rows=40).data(np.random.default_rng(1))
    write_people(trees.with_keys([f"Ms {number}" for number in range(40)]), folder)
    return folder


def printed(capsys, *words):
    """What a command prints, and what it warns of."""
    with pytest.raises(SystemExit) as done:
        main([str(word) for word in words])
    assert done.value.code == 0
    return "".join(capsys.readouterr())


def refusal(capsys, *words):
    with pytest.raises(SystemExit) as done:
        main([str(word) for word in words])
    assert done.value.code in (1, 2)
    return " ".join(capsys.readouterr().err.split())


def test_a_folder_becomes_a_folder_with_pseudonyms(clinic, tmp_path, capsys):
    out, card = tmp_path / "release", tmp_path / "card.json"
    said = printed(
        capsys, "sanitize", clinic, "--with", "row-dropping", "--schema", clinic / SCHEMA_FILE,
        "--out", out, "--card", card, "--seed", 1,
    )  # fmt: skip
    assert "release: 40 people in 3 tables, made by row-dropping" in said
    assert f"next: quintain audit release --original {clinic} --release {out}" in said
    assert card.is_file()
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in out.iterdir())
    released = read_people(out, schema=out / SCHEMA_FILE)
    assert released.size == 40
    assert not any(name.startswith("Ms") for name in released.keys)
    everybody = read_people(clinic, schema=clinic / SCHEMA_FILE)
    assert len(released.tables["visits"]) < len(everybody.tables["visits"])


def test_an_archive_and_a_database_are_sanitized_alike(clinic, tmp_path, capsys):
    archive = shutil.make_archive(str(tmp_path / "all"), "zip", clinic)
    base = tmp_path / "all.db"
    with sqlite3.connect(base) as connection:
        for file in clinic.glob("*.csv"):
            pc.read_csv(file).to_pandas().to_sql(file.stem, connection, index=False)
    sizes = []
    for number, source in enumerate((clinic, archive, f"sqlite:///{base}")):
        out = tmp_path / f"release{number}"
        words = ("sanitize", source, "--with", "new-pseudonyms", "--seed", 1, "--out", out)
        said = printed(capsys, *words)
        sizes.append(read_people(out, schema=out / SCHEMA_FILE).size)
        assert str(base) not in said  # an address may have a password
    assert sizes == [40, 40, 40]


def test_a_release_of_tables_is_attacked(clinic, tmp_path, capsys):
    out, guess = tmp_path / "release", tmp_path / "guess.csv"
    printed(capsys, "sanitize", clinic, "--with", "new-pseudonyms", "--seed", 1, "--out", out)
    words = ("--with", "histories", "--goal", "naming", "--out", guess)
    assert "40 guesses by histories" in printed(capsys, "attack", out, "--targets", clinic, *words)
    assert len(guess.read_text().splitlines()) == 41


def test_lost_columns_are_named_with_their_table(clinic, tmp_path, capsys):
    words = ("--with", "people-marginals", "--set", "epsilon=2", "--seed", 1)
    said = printed(capsys, "sanitize", clinic, *words, "--out", tmp_path / "out")
    assert "'sex' of patients" in said and "all rows of visits" in said
    assert "no value is left, because the people are too few" in said


def test_what_cannot_be_done_is_said(clinic, tmp_path, capsys):
    full, empty = tmp_path / "full", tmp_path / "empty"
    shutil.copytree(clinic, full)
    empty.mkdir()
    out = ("--out", tmp_path / "out")
    part = ("--with", "row-dropping")
    assert "full is not empty" in refusal(capsys, "sanitize", clinic, *part, "--out", full)
    assert "has no table" in refusal(capsys, "sanitize", empty, *part, *out)
    assert "--team: only for a kit" in refusal(
        capsys, "sanitize", clinic, *part, "--team", "a", *out
    )
    edition = refusal(capsys, "sanitize", clinic, *part, "--edition", "tiny", *out)
    assert "--edition: only for a single file" in edition
    secret = refusal(
        capsys,
        "attack",
        clinic,
        "--with",
        "histories",
        "--targets",
        clinic,
        "--secret",
        "code",
        *out,
    )
    assert "--secret: only for a release in a single file" in secret
    assert "is for table, not for people" in refusal(
        capsys, "sanitize", clinic, "--with", "rr", *out
    )
    assert not (tmp_path / "out").exists()
