"""Drafts: every fault is shown with its line, and nothing with a fault is stored."""

import pytest
from sqlalchemy import func, select

from quintain.errors import EditionError, Refused
from quintain.host.access import Conflict, NotAllowed, NotThere
from quintain.host.database.contests import HostedEdition
from quintain.host.organising import drafts, steps
from quintain.host.organising.steps import newest_job
from quintain.runs.folder import paths
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
