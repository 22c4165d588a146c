"""Contests on the organisers' own files, from the edition file to the revealed archive."""

import io
import json
import tomllib
import zipfile
from collections import Counter

import jsonschema
import numpy as np
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from quintain.cli.main import main
from quintain.commitment import sha256
from quintain.contests import load
from quintain.contests.json_schema import edition_schema
from quintain.data import Column, Schema, Table
from quintain.data.files.data_file import write
from quintain.data.sources.own_file import OwnFile, used_columns
from quintain.errors import DataError, EditionError
from quintain.kit.archive import archive_bytes
from quintain.releases import Claim
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.organiser_data import disclosures
from quintain.runs.lint import lint_edition, lint_folder
from quintain.runs.new_folder import new_folder
from quintain.runs.organising.prepare import prepare
from quintain.runs.play import play
from quintain.runs.verification.verify import verify
from tests.runs.organiser_data_cases import (
    COLUMNS,
    SECRET_DISCLOSURES,
    SECRET_WORD,
    assert_no_secret_word,
    load_schema,
    opened_zip,
    write_own_contest,
    write_secret_contest,
    zip_contents,
)


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A run on a file of one's own; the file itself is gone."""
    place = tmp_path_factory.mktemp("own")
    edition = load(write_own_contest(place / "given"))
    folder = play(edition, place / "run", seed=5)
    (place / "given/people.csv").unlink()
    return folder


def dataset(folder, path):
    return json.loads(folder.at(path).read_bytes())["track"][0]["dataset"]


def test_a_run_is_verified_from_its_own_copy_of_the_file(played):
    assert verify(played).problems == ()


def test_a_revealed_archive_has_everything_that_a_verifier_needs(played, tmp_path):
    zipfile.ZipFile(io.BytesIO(archive_bytes(played))).extractall(tmp_path)
    assert verify(Folder(tmp_path)).problems == ()


def test_public_files_have_neither_the_records_nor_their_checksum(played):
    rules = dataset(played, paths.rules(1))
    assert rules["sha256"] is None
    assert rules["path"] == "people.csv"
    digest = dataset(played, paths.rules(1, paths.SECRET))["sha256"]
    copy = played.at(paths.data_file(1, "main", "people.csv"))
    assert sha256(copy.read_bytes()) == digest
    public = [played.at(name).read_bytes() for name in paths.files_below(played.root, paths.PUBLIC)]
    assert not any(digest.encode() in content or b"p77" in content for content in public)
    assert not played.at(paths.base("main")).is_file()


def test_nothing_that_is_published_has_an_id_or_a_column_outside_of_the_schema(
    tmp_path, monkeypatch, capsys
):
    given, place = write_secret_contest(tmp_path / "given"), tmp_path / "contest"
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        assert not ended.value.code, printed.err
        return printed.out.splitlines()

    run("new", given, place)
    assert run("prepare", place)[:2] == SECRET_DISCLOSURES
    run("export", place, "kit", "kit.zip")
    run("freeze", place, "--why", "enough")
    assert run("reveal", place, "archive.zip")[:2] == [
        line.replace(" These columns stay out of the contest: row, remark.", "")
        for line in SECRET_DISCLOSURES
    ]
    published = [*zip_contents("archive.zip"), *zip_contents("kit.zip")]
    published += [path.read_bytes() for path in (place / "public").rglob("*") if path.is_file()]
    assert_no_secret_word(published)
    assert any(b"Ulm" in content for content in zip_contents("archive.zip"))
    assert verify(opened_zip("archive.zip", tmp_path / "again")).problems == ()


def test_nothing_below_the_secret_folder_has_what_the_contest_does_not_use(tmp_path):
    folder = play(load(write_secret_contest(tmp_path / "given")), tmp_path / "run", seed=5)
    assert_no_secret_word(path.read_bytes() for path in folder.root.rglob("*") if path.is_file())
    copy = folder.at(paths.data_file(1, "main", "people.csv")).read_text().splitlines()
    assert copy[0] == "home,sex,age,town"
    assert [line.split(",")[0] for line in copy[1:6]] == ["01", "01", "01", "02", "02"]


def test_a_workbook_is_kept_as_the_same_copy_as_a_csv_file(tmp_path):
    csv, schema = write_secret_contest(tmp_path).with_name("people.csv"), load_schema(tmp_path)
    pq.write_table(pacsv.read_csv(csv), tmp_path / "people.parquet")
    made = []
    for name in ("people.csv", "people.parquet"):
        source = OwnFile(path=name, schema=schema).with_files({name: tmp_path / name})
        made.append(source.make_copies())
    assert made[0][1] == made[1][1]
    assert made[0][0] == made[1][0]


def test_a_copy_reads_as_the_records_of_the_file(tmp_path):
    columns = (
        Column(name="1", kind="category", values=("a;b", 'say "c"', " d ", "e,f"), nullable=True),
        Column(name="2", kind="real", low=-1e9, high=1e9, nullable=True),
    )
    for chosen in (columns, columns[:1], columns[1:]):
        schema = Schema(columns=chosen)
        texts = {"1": ["a;b", 'say "c"', "", " d ", "e,f"], "2": [0.1, -1e-7, None, 2.5, 1e8]}
        table = Table.of(schema, {c.name: texts[c.name] for c in chosen})
        write(table, tmp_path / "odd.parquet", replace=True)
        source = OwnFile(path="odd.parquet", schema=schema)
        source = source.with_files({"odd.parquet": tmp_path / "odd.parquet"})
        kept, copies = source.make_copies()
        (tmp_path / "odd.csv").write_bytes(copies["odd.csv"])
        again = kept.reading_copies({"odd.csv": tmp_path / "odd.csv"}).load()
        assert again.equals(table)


def test_a_change_of_a_column_that_the_contest_does_not_use_changes_no_rule(tmp_path):
    new_folder(str(write_secret_contest(tmp_path / "given")), tmp_path / "contest", {})
    folder = Folder(tmp_path / "contest")
    prepare(folder, seed=5)
    for file in (tmp_path / "given").glob("*.csv"):
        file.write_text(file.read_text().replace(SECRET_WORD, "something-else"))
    assert not [found for found in lint_folder(folder) if found.check == "ignored-changes"]
    file.write_text(file.read_text().replace("Ulm", "Bonn"))
    assert [found for found in lint_folder(folder) if found.check == "ignored-changes"]


def test_a_schema_of_ids_alone_is_refused(tmp_path):
    with pytest.raises(DataError, match="names ids alone"):
        used_columns(Schema(columns=(Column(name="who", kind="id", role="person"),)))


@pytest.mark.parametrize(
    ("rule", "moment"),
    [
        ('gives = ["parameters"]', "with the reveal"),
        ('gives = ["parameters", "base"]', "when the round begins"),
    ],
)
def test_organisers_read_when_their_rows_become_public(tmp_path, rule, moment):
    edition = write_secret_contest(tmp_path)
    edition.write_text(edition.read_text().replace('gives = ["parameters"]', rule))
    assert f"all rows become public {moment}" in disclosures(load(edition))[0]


def test_a_copy_that_was_changed_is_not_verified(played, tmp_path):
    zipfile.ZipFile(io.BytesIO(archive_bytes(played))).extractall(tmp_path)
    copy = tmp_path / paths.data_file(1, "main", "people.csv")
    copy.write_text(copy.read_text().replace("Ulm", "Bonn"))
    problems = verify(Folder(tmp_path)).problems
    assert any("is not the file of the rules: SHA-256 is" in problem for problem in problems)


def test_an_edition_folder_uses_the_files_beside_the_included_edition(tmp_path):
    edition = write_own_contest(tmp_path / "given")
    new_folder(str(edition), tmp_path / "contest", {})
    folder = Folder(tmp_path / "contest")
    prepare(folder, seed=5)
    (tmp_path / "given/people.csv").write_text("who,sex,age,town\n")
    assert [one for one in lint_folder(folder) if one.check == "ignored-changes"]
    assert len(folder.edition().track[0].dataset.load()) == 120


def test_rules_name_the_file_without_its_folder(tmp_path):
    write_own_contest(tmp_path / "data")
    elsewhere = tmp_path / "edition"
    elsewhere.mkdir()
    for name in ("mine.toml", "schema.json"):
        (tmp_path / "data" / name).rename(elsewhere / name)
    text = (elsewhere / "mine.toml").read_text()
    (elsewhere / "mine.toml").write_text(text.replace("people.csv", "../data/people.csv"))
    source = load(elsewhere / "mine.toml").track[0].dataset
    assert source.spec()["path"] == "people.csv"
    assert len(source.load()) == 120
    assert not source.simulated


def test_every_fault_of_the_files_comes_with_those_of_the_edition(tmp_path):
    edition = write_own_contest(tmp_path, path="peple.csv")
    schema = tmp_path / "schema.json"
    schema.write_text(schema.read_text().replace('"integer"', '"whole"').replace("high", "hihg"))
    edition.write_text(edition.read_text().replace("background = 40", "background = -1"))
    with pytest.raises(EditionError) as caught:
        load(edition)
    text = str(caught.value)
    assert f"mine.toml:5 dataset.path='peple.csv': file not found in {tmp_path}" in text
    assert "schema.json columns.2.kind='whole'" in text
    assert "schema.json columns.2.hihg: unknown parameter" in text
    assert "mine.toml:6 sample.background" in text
    assert "dataset.schema" not in text


def test_a_wrong_checksum_is_refused_when_the_edition_is_read(tmp_path):
    edition = write_own_contest(tmp_path)
    text = edition.read_text().replace('schema = "', f'sha256 = "{"0" * 64}", schema = "')
    edition.write_text(text)
    with pytest.raises(EditionError, match=r"mine.toml:5 dataset.path.*SHA-256 is .*, expected 0"):
        load(edition)


def test_a_file_that_changed_after_reading_the_edition_is_refused(tmp_path):
    edition = load(write_own_contest(tmp_path))
    (tmp_path / "people.csv").write_text("who,sex,age,town\n")
    with pytest.raises(DataError, match=r"people.csv: SHA-256 is"):
        edition.track[0].dataset.load()


def test_a_file_with_wrong_values_is_refused_before_anything_is_fixed(tmp_path):
    edition = write_own_contest(tmp_path / "given")
    text = (tmp_path / "given/people.csv").read_text()
    (tmp_path / "given/people.csv").write_text(text + "x,q,200,Ulm\ny,f,old,Ulm\n")
    new_folder(str(edition), tmp_path / "contest", {})
    folder = Folder(tmp_path / "contest")
    with pytest.raises(DataError) as caught:
        prepare(folder, seed=5)
    assert str(caught.value).splitlines() == [
        "people.csv:122 sex='q': expected one of 2 values such as f, m",
        "people.csv:122 age='200': expected an integer in 18..90",
        "people.csv:123 age='old': expected an integer in 18..90",
    ]
    assert not folder.prepared
    assert not folder.at(paths.SECRET).exists()


def test_a_schema_is_learned_if_none_is_given_and_lint_warns(tmp_path):
    edition = write_own_contest(tmp_path)
    edition.write_text(edition.read_text().replace(', schema = "schema.json"', ""))
    rules = load(edition)
    schema = rules.track[0].dataset.data_schema()
    assert [column.kind for column in schema.columns] == ["id", "category", "integer", "category"]
    assert (schema["town"].values, schema["town"].nullable) == (("Bonn", "Jena", "Ulm"), True)
    folder = play(rules, tmp_path / "run", seed=5)
    page = folder.at(paths.REPORT).read_text()
    assert "The schema was learned from the records</strong> in 3 of 3 columns" in page
    (warning,) = lint_edition(rules)
    assert warning.check == "learned-domains"
    assert warning.message == "track main: the domains of sex, age, town were learned from the data"


def test_a_claim_does_not_cover_domains_that_the_rules_took_from_the_data(tmp_path):
    edition = write_own_contest(tmp_path)
    text = edition.read_text().replace(', schema = "schema.json"', "")
    text = text.replace('gives = ["parameters"]', 'gives = ["claim"]')
    edition.write_text(text.replace('{ use = "identity" }', '{ use = "independent" }'))
    folder = play(load(edition), tmp_path / "run", seed=5)
    (card,) = folder.root.glob("public/main/**/card.json")
    claim = json.loads(card.read_bytes())["claim"]
    assert (claim["domain"], claim["kinds"]) == ("published", "as in the data")
    words = Claim.model_validate(claim).words()
    assert "beyond the domain, which was learned from the data and published" in words


def test_lint_warns_of_learned_domains_until_their_marks_are_deleted(tmp_path):
    edition = write_own_contest(tmp_path)
    file = tmp_path / "schema.json"
    schema = json.loads(file.read_bytes())
    schema["columns"][-1]["learned"] = True
    file.write_text(json.dumps(schema))
    (warning,) = lint_edition(load(edition))
    assert warning.message == "track main: the domains of town were learned from the data"
    del schema["columns"][-1]["learned"]
    file.write_text(json.dumps(schema))
    assert list(lint_edition(load(edition))) == []


def test_lint_names_the_columns_that_are_not_read(tmp_path):
    edition = write_own_contest(tmp_path)
    schema = {"columns": [column for column in COLUMNS if column["name"] != "town"]}
    (tmp_path / "schema.json").write_text(json.dumps(schema))
    (warning,) = lint_edition(load(edition))
    assert warning.message == "track main: the schema leaves out town"


def test_a_selection_keeps_households_whole(tmp_path):
    lines = ["house,sex", *(f"h{number // 4},f" for number in range(80))]
    (tmp_path / "homes.csv").write_text("\n".join(lines) + "\n")
    columns = (
        Column(name="house", kind="id", role="household"),
        Column(name="sex", kind="category", values=("f", "m")),
    )
    source = OwnFile(path="homes.csv", schema=Schema(columns=columns), rows=30)
    drawn = source.with_files({"homes.csv": tmp_path / "homes.csv"}).data(np.random.default_rng(1))
    assert len(drawn) == 28
    assert set(Counter(drawn.columns["house"].tolist()).values()) == {4}


def test_test_records_come_from_their_own_file(tmp_path):
    edition = write_own_contest(tmp_path)
    text = (tmp_path / "people.csv").read_text().splitlines()
    (tmp_path / "test.csv").write_text("\n".join(text[:11]) + "\n")
    edition.write_text(edition.read_text().replace('schema = "', 'test = "test.csv", schema = "'))
    rules = load(edition)
    assert len(rules.track[0].dataset.own_files()) == 2
    folder = play(rules, tmp_path / "run", seed=5)
    assert len(folder.test_data("main")) == 10
    assert verify(folder).problems == ()


def test_the_schema_of_editions_allows_files_beside_the_edition(tmp_path):
    validator = jsonschema.Draft202012Validator(edition_schema())
    table = tomllib.loads(write_own_contest(tmp_path).read_text())
    assert validator.is_valid(table)
    table["dataset"] |= {"path": "../data/people.csv"}
    assert validator.is_valid(table)
    table["dataset"] |= {"pth": "people.csv"}
    assert not validator.is_valid(table)
