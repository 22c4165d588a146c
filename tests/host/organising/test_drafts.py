"""Drafts: every fault is shown with its line, and nothing with a fault is stored."""

import io
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlalchemy import func, select

from quintain.contests import builtin_names
from quintain.errors import EditionError, Fault, Refused
from quintain.runs.folder import paths
from quintain_host.access import Conflict, NotAllowed, NotThere
from quintain_host.database.contests import HostedEdition
from quintain_host.organising import drafts, steps
from quintain_host.organising.draft_reader import read_draft
from quintain_host.organising.settings import change_settings
from quintain_host.organising.steps import newest_job
from tests.host.contest_on_site import ROUNDS, TINY, account, drain, visitor

FAULTY = """\
id = "faulty"
title = "Three mistakes"
goal = { use = "membership-sot" }
dataset = { use = "adult", rows = -5 }
sample = { use = "subset", rows = 30 }
privacy = ["hit-rate"]
collor = "red"
"""

OWN = """\
id = "own"
title = "Our own table"
goal = { use = "membership-set", guesses = 3 }
dataset = { use = "file", path = "people.csv" }
sample = { use = "subset", rows = 10 }
privacy = ["hit-rate"]
board = [{ id = "attackers", use = "mean", measure = "hit_rate" }]
sanitizer = [{ use = "identity" }]
knowledge = { gives = ["base"] }
"""
PEOPLE = b"age,sex\n" + b"".join(b"%d,%s\n" % (20 + i % 50, b"fm"[i % 2 :][:1]) for i in range(60))


@pytest.fixture
def operator(one_site):
    account(one_site, "olga", operator=True)
    return visitor(one_site, "olga")


def editions(site):
    with site.database.reading() as session:
        return session.scalar(select(func.count()).select_from(HostedEdition))


def test_every_fault_is_shown_with_its_line_and_nothing_is_stored(one_site, operator):
    with pytest.raises(EditionError) as caught:
        drafts.create(one_site, operator, FAULTY)
    shown = [str(fault) for fault in caught.value.faults]
    for start in ("edition.toml:3 goal", "edition.toml:4 dataset.rows", "edition.toml:7 collor"):
        assert any(text.startswith(start) for text in shown), shown
    assert editions(one_site) == 0


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('include = "/etc/passwd"\nid = "x"', "edition.toml:1 include='/etc/passwd': on this site"),
        ('include = "../other/edition.toml"\nid = "x"', "edition.toml:1 include="),
        (OWN.replace("people.csv", "../rounds/secret/seeds.json"), "edition.toml:4 dataset.path"),
        (OWN.replace("people.csv", "/etc/passwd"), "without a folder"),
        (OWN, "edition.toml:4 dataset.path='people.csv': file not found among the files"),
        ("id = [", "edition.toml:1: is not TOML"),
    ],
)
def test_a_draft_reads_no_file_but_its_own(one_site, operator, text, fault):
    with pytest.raises(EditionError) as caught:
        drafts.create(one_site, operator, text)
    assert fault in str(caught.value)
    assert editions(one_site) == 0


@pytest.mark.slow
def test_an_edition_starts_from_a_built_in_one_and_is_edited_until_it_is_prepared(site):
    account(site, "olga", operator=True)
    name = drafts.create(site, visitor(site, "olga"), drafts.starting_text("tiny", "small"))
    olga = visitor(site, "olga")
    assert name == "small"
    drafts.change(site, olga, name, TINY)
    assert drafts.draft(site, olga, name).edition.toml == TINY
    with pytest.raises(EditionError):
        drafts.change(site, olga, name, TINY + "repeats = 0\n")
    with pytest.raises(Conflict, match="the id of this contest is 'small'"):
        drafts.change(site, olga, name, TINY.replace("small", "other"))
    assert drafts.draft(site, olga, name).edition.toml == TINY
    with pytest.raises(Conflict, match="there is a contest 'small' already"):
        drafts.create(site, olga, TINY)
    steps.prepare(site, olga, name, seed=3)
    with pytest.raises(Conflict, match="is being prepared"):
        drafts.change(site, olga, name, TINY + "# more\n")
    with pytest.raises(Conflict, match="wait until it is done"):
        steps.prepare(site, olga, name, seed=3)
    drain(site)
    assert drafts.draft(site, olga, name).edition.state == "live"
    assert site.folder(name).at(paths.EDITION).read_text() == TINY
    with pytest.raises(Conflict, match="the rules of this contest are fixed"):
        drafts.change(site, olga, name, TINY + "# more\n")


@pytest.mark.slow
def test_organisers_bring_their_own_table(one_site, operator):
    name = drafts.create(one_site, operator, OWN, {"people.csv": PEOPLE})
    olga = visitor(one_site, "olga")
    assert [file.size for file in drafts.draft(one_site, olga, name).files] == [len(PEOPLE)]
    drafts.add_file(one_site, olga, name, "notes.csv", b"a\n1\n")
    drafts.remove_file(one_site, olga, name, "notes.csv")
    with pytest.raises(NotThere):
        drafts.remove_file(one_site, olga, name, "notes.csv")
    for bad in ("../people.csv", ".hidden", "edition.toml", "a/b.csv"):
        with pytest.raises(Refused, match="cannot be the name"):
            drafts.add_file(one_site, olga, name, bad, b"a\n1\n")
    steps.prepare(one_site, olga, name, seed=3)
    drain(one_site)
    assert newest_job(one_site, name, "prepare").reason == ""
    kept = one_site.folder(name).at(paths.data_file(1, "main", "people.csv"))
    assert kept.read_bytes() == PEOPLE  # a canonical file already


def test_wrong_values_in_the_own_table_are_faults_of_the_draft(one_site, operator):
    columns = b'{"name": "age", "kind": "integer", "low": 20, "high": 60}'
    schema = b'{"format": "quintain.schema/1", "shape": "table", "columns": [' + columns + b"]}"
    text = OWN.replace('"people.csv"', '"people.csv", schema = "people.json"')
    with pytest.raises(EditionError) as caught:
        drafts.create(one_site, operator, text, {"people.csv": PEOPLE, "people.json": schema})
    shown = [str(fault) for fault in caught.value.faults]
    assert shown[0] == "people.csv:43 age='61': expected an integer in 20..60"
    assert len(shown) == 9
    assert editions(one_site) == 0


def test_only_operators_create_editions_unless_the_site_says_otherwise(
    one_site, new_site, tmp_path
):
    with pytest.raises(NotAllowed):
        drafts.create(one_site, visitor(one_site, "ada"), TINY)
    place = tmp_path / "open"
    place.mkdir()
    site = new_site(place, creators="accounts")
    assert drafts.create(site, visitor(site, "ada"), TINY) == "small"
    assert visitor(site, "ada").organises == {"small"}
    with pytest.raises(NotAllowed):
        drafts.change(site, visitor(site, "bob"), "small", TINY)
    site.close()


SIZES = """\
id = "large"
title = "Large"
goal = { use = "membership-set", guesses = 3 }
dataset = { use = "adult", rows = 1000 }
sample = { use = "subset", rows = 10 }
repeats = 1
privacy = ["hit-rate"]
board = [{ id = "attackers", use = "mean", measure = "hit_rate" }]
sanitizer = [{ use = "identity" }]
"""


@pytest.mark.parametrize(
    ("old", "new", "faults"),
    [
        ("rows = 1000", "rows = 2_000_000_000", ["edition.toml:4 dataset.rows='2,000,000,000': "]),
        ("rows = 1000", 'rows = "2000000000"', ["dataset.rows='2,000,000,000': the limit"]),
        ("rows = 10 ", "rows = 1000000000000000000000 ", ["edition.toml:5 sample.rows="]),
        ("guesses = 3", "guesses = 99_999_999", ["edition.toml:3 goal.guesses="]),
        ("repeats = 1", "repeats = 1_000_000_000", ["edition.toml:6 repeats='1000000000'"]),
        (
            '"identity" }]',
            '"identity" }]\n[limits]\nrows = 3_000_000_000\nfile_bytes = 9_000_000_000_000\n',
            ["edition.toml:11 limits.rows=", "edition.toml:12 limits.file_bytes="],
        ),
        (
            '{ use = "identity" }',
            '{ use = "laplace", grid = { epsilon = ['
            + "1, " * 40
            + "], s = ["
            + "1, " * 40
            + "] } }",
            ["edition.toml:9 sanitizer.0.grid='1,600': 1,600 combinations; the limit on this site"],
        ),
        ("title", "nested = " + "[" * 5000 + "]" * 5000 + "\ntitle", ["nested too deeply"]),
    ],
    ids=["rows", "rows as text", "sample", "guesses", "repeats", "limits", "grid", "brackets"],
)
def test_sizes_that_no_site_can_work_with_are_refused_in_words(old, new, faults):
    shown = faults_of(SIZES.replace(old, new))
    assert len(shown) == len(faults), shown
    for fault in faults:
        assert any(fault in one for one in shown), shown


def test_sizes_that_multiply_are_refused():
    (shown,) = faults_of(SIZES.replace("= 1000 ", "= 9_000_000 ").replace("= 1\n", "= 9000\n"))
    assert "9,000,000 records, 1 entries and 9,000 repetitions make 81,000,000,000" in shown
    assert faults_of(SIZES) == []


@pytest.mark.parametrize("name", builtin_names())
def test_built_in_editions_are_not_too_large(name):
    assert faults_of(f'include = "{name}"\nid = "copy"\n') == []


def faults_of(text):
    """The faults of an edition file, read in this process."""
    with TemporaryDirectory() as place:
        (Path(place) / paths.EDITION).write_text(text)
        (answer,) = read_draft({"folder": place, "unpacked": {}}, io.BytesIO())
        return [str(Fault(**fault)) for fault in answer["faults"]]


def test_the_site_says_which_size_is_absurd(one_site, operator):
    with pytest.raises(EditionError, match=r"dataset.rows='2,000,000,000': the limit on this site"):
        drafts.create(one_site, operator, SIZES.replace("= 1000 ", "= 2_000_000_000 "))
    assert editions(one_site) == 0


def test_lint_warns_of_many_teams_where_anybody_can_register(one_site, operator):
    feedback = '[feedback]\nshow = "ladder"\n[[phase]]\nid = "a"\nsubmit = "guess"\ntotal = 20\n'
    name = drafts.create(one_site, operator, drafts.starting_text("tiny", "small") + feedback)
    olga = visitor(one_site, "olga")

    def found():
        steps.lint(one_site, olga, name)
        drain(one_site)
        findings = newest_job(one_site, name, "lint").result["findings"]
        return [one["message"] for one in findings if one["check"] == "many-teams"]

    assert found() == []
    change_settings(one_site, olga, name, registration="open")
    (message,) = found()
    assert "a person with 10 teams has 200 submissions instead of 20" in message
    change_settings(one_site, olga, name, max_teams=3)
    assert "a person with 3 teams has 60 submissions" in found()[0]


@pytest.mark.slow
def test_lint_and_preview_need_no_launch(one_site, operator):
    name = drafts.create(one_site, operator, ROUNDS)
    olga = visitor(one_site, "olga")
    steps.lint(one_site, olga, name)
    steps.preview(one_site, olga, name)
    drain(one_site)
    findings = newest_job(one_site, name, "lint").result["findings"]
    assert {"severity", "check", "message", "cost"} == set(findings[0])
    assert "no-team" in [finding["check"] for finding in findings]
    assert newest_job(one_site, name, "preview").state == "done"
    assert (one_site.preview(name) / "kit.zip").is_file()
    assert not one_site.edition_root(name).exists()
    with one_site.database.reading() as session:
        assert session.get_one(HostedEdition, name).state == "draft"
