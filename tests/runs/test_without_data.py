"""A contest that keeps its data secret after the reveal: what is published and verified."""

import csv
import io

import pytest

from quintain.cli.main import main
from quintain.commitment import sha256
from quintain.contests import load
from quintain.kit.archive import archive_bytes
from quintain.runs.folder import paths
from quintain.runs.folder.folder import Folder
from quintain.runs.folder.organiser_data import disclosures
from quintain.runs.folder.paths import Task
from quintain.runs.lint import lint_edition
from quintain.runs.new_folder import new_folder
from quintain.runs.organising.freeze import freeze, reveal
from quintain.runs.organising.prepare import prepare
from quintain.runs.submissions.submit import submit
from quintain.runs.verification.verify import NOT_WITHOUT_DATA, verdict, verify
from tests.runs.organiser_data_cases import opened_zip, write_own_contest

LIVE = """
reveal = "without-data"
[[team]]
id = "red"

[[phase]]
id = "attack"
submit = "guess"
"""


def answers(folder):
    """Guesses of a team that is sure of the members among the first half of the targets."""
    (track,) = folder.edition().track
    files = {}
    for task in folder.tasks(track):
        truth = list(csv.DictReader(io.StringIO(folder.at(paths.truth(task)).read_text())))
        files[f"{task.name}.csv"] = b"target,probability\n" + b"".join(
            f"{row['target']},{0.9 if i < 5 and row['member'] in ('1', 'true') else 0.2}\n".encode()
            for i, row in enumerate(truth)
        )
    return files


@pytest.fixture(scope="module")
def contest(tmp_path_factory):
    """A contest that is over, with the folder of its organisers."""
    place = tmp_path_factory.mktemp("secret-data")
    edition = write_own_contest(place / "given")
    head, board, rest = edition.read_text().partition("\n[knowledge]")
    first, *more = LIVE.partition("[[team]]")
    edition.write_text(f"{head}{first}{board}{rest}\n{''.join(more)}")
    new_folder(str(edition), place / "run", {})
    folder = Folder(place / "run")
    prepare(folder)
    submit(folder, "red", answers(folder))
    freeze(folder, why="the test ends")
    reveal(folder)
    return folder


@pytest.fixture
def archive(contest, tmp_path):
    """The published archive, unpacked."""
    (tmp_path / "revealed.zip").write_bytes(archive_bytes(contest))
    return opened_zip(tmp_path / "revealed.zip", tmp_path / "revealed")


def contents(folder):
    return {
        path.relative_to(folder.root).as_posix(): path.read_bytes()
        for path in folder.root.rglob("*")
        if path.is_file()
    }


def test_neither_rows_nor_keys_nor_checksums_are_published(contest, archive):
    published = contents(archive)
    whole = "\n".join(sorted(published))
    for gone in ("private.", "secret/data", "seeds.json", "base.parquet", "edition.toml"):
        assert gone not in whole
    secrets = contest.committed_secrets()
    copy = contest.at(paths.data_file(1, "main", "people.csv")).read_bytes()
    never = [secrets.draws, secrets.noise, secrets.nonces, sha256(copy)]
    rows = copy.decode().splitlines()[1:6]
    private = contest.at(paths.private(Task("main", "identity"))).read_bytes()
    for content in published.values():
        assert not any(text.encode() in content for text in never)
        assert "\n".join(rows).encode() not in content and private not in content


def test_what_is_published_is_verified_and_the_rest_is_said(archive):
    checked = verify(archive)
    assert checked.problems == ()
    assert checked.withheld >= 4 and checked.cells >= 1 and checked.submissions == 1
    assert set(NOT_WITHOUT_DATA) <= set(checked.notes) and not checked.complete
    sentence = verdict(checked)
    assert sentence.startswith("verified as far as an archive without data allows, against")
    assert f"{checked.cells} score" in sentence and "all scores" not in sentence


def test_the_command_says_it(contest, tmp_path, capsys):
    target = tmp_path / "revealed.zip"
    target.write_bytes(archive_bytes(contest))
    with pytest.raises(SystemExit) as ended:
        main(["verify", str(target)])
    assert ended.value.code == 0
    said = capsys.readouterr().out
    assert "note: the rules keep the original data secret" in said
    assert "verified as far as an archive without data allows" in said


def test_the_organisers_folder_is_verified_whole(contest):
    checked = verify(contest)
    assert checked.problems == () and checked.withheld == 0


def test_a_score_that_the_guesses_do_not_give_is_found(archive):
    path = archive.at(paths.MATRIX)
    lines = path.read_text().splitlines()
    number = next(i for i, line in enumerate(lines) if ',"red",' in line)
    cells = lines[number].split(",")
    lines[number] = ",".join([*cells[:5], "0.123", *cells[6:]])
    path.write_text("\n".join(lines) + "\n")
    (problem,) = verify(archive).problems
    assert problem.startswith(
        f"{paths.MATRIX}: membership_advantage of red on identity in track main is "
    )


def test_an_answer_that_was_changed_is_found(archive):
    path = archive.at(paths.truth(Task("main", "identity")))
    path.write_bytes(path.read_bytes().replace(b"1", b"0", 1))
    problems = verify(archive).problems
    assert any("is not the file that was committed to" in problem for problem in problems)


def test_a_file_that_may_not_be_withheld_is_missed(archive):
    archive.at(paths.truth(Task("main", "identity"))).unlink()
    assert any("truth.csv: is missing" in problem for problem in verify(archive).problems)


def test_standings_that_the_journal_does_not_name_are_found(archive):
    path = archive.at(paths.STANDINGS)
    path.write_bytes(path.read_bytes().replace(b"red", b"rad"))
    assert any("are not the standings" in problem for problem in verify(archive).problems)


def test_rules_that_publish_the_data_allow_no_archive_without(contest, archive):
    for version in (paths.rules(1), paths.RULES):
        path = archive.at(version)
        path.write_bytes(path.read_bytes().replace(b'"without-data"', b'"with-data"'))
    problems = verify(archive).problems
    assert any("the rules publish the data" in problem for problem in problems)


def test_a_file_of_nonces_that_is_damaged_is_a_problem(archive):
    archive.at(paths.WITHHELD).write_text("[]")
    (problem, *_) = verify(archive).problems
    assert problem.startswith(f"{paths.WITHHELD}: cannot be read")


def test_the_sentences_about_the_data_say_so(contest):
    (sentence,) = disclosures(contest.edition())
    assert sentence.startswith("people.csv: its rows never become public, nor do the keys")
    assert "answers become public" in sentence


def test_lint_knows_what_cannot_be_kept_secret():
    changes = {"reveal": "without-data", "commitment": {"algorithm": "sha512-unsalted"}}
    found = {one.check for one in lint_edition(load("tiny", overrides=changes))}
    assert {"nothing-to-keep-secret", "unsalted-secrets"} <= found


def test_other_rules_are_written_as_before():
    assert b"reveal" not in load("tiny").to_bytes()
    assert b"without-data" in load("tiny", overrides={"reveal": "without-data"}).to_bytes()


def test_a_folder_with_its_keys_is_no_archive_without_data(contest, tmp_path):
    assert not Folder(contest.root).at(paths.WITHHELD).is_file()
