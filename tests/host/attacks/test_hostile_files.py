"""Hostile files over HTTP: each is refused in words, and nothing of the contest changes."""

import hashlib

import pytest
from benchmarks.hostile_files import HOSTILE

from quintain_host.site import Site
from tests.host import contest_on_site as contest
from tests.host.attacks.sender import Sender, working

DARC = """\
include = "darc"
id = "darc"
baseline = []
dataset = { rows = 600 }
"""

TRIED = """\
csv: escape in a column name
csv: 1.9 million blank lines
csv: endless quote
csv: formula as pseudonym
parquet: garbage footer
parquet: list of 5 million
parquet: fixed-length bytes
zip: path above
zip: NUL in a name
zip: symbolic link
zip: bomb of 100 MB
zip: understated size
zip: overlapping files
zip: encrypted
json: deep
json: escape
npy: pickle
folder: hidden file
folder: line feed in a name
"""
"""One of each family; the judge's own tests have the others."""

CASES = [case for case in HOSTILE if case.id in TRIED.splitlines()]


@pytest.fixture(scope="module")
def red(new_site, tmp_path_factory):
    site: Site = new_site(tmp_path_factory.mktemp("hostile"))
    edition = contest.prepared(site, DARC)
    contest.team(site, edition, "red")
    with working(site):
        yield Sender(site, edition, "red")
    site.close()


@pytest.fixture(scope="module")
def honest(red):
    track = red.site.folder(red.edition).edition().track[0].id
    folder = red.site.edition_root(red.edition) / "teams/red" / track
    return (folder / "private.csv").read_bytes()


def digest(site):
    files = sorted(path for path in (site.root / "editions").rglob("*") if path.is_file())
    names = [path for path in files if path.name != ".lock"]
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in names}


def sent(case, folder, honest):
    """The files of a case as a browser sends them; None if they are no plain files."""
    path = case.make(folder, honest)
    if path.is_symlink() or not path.exists():
        return None
    if path.is_file():
        return {path.name: path.read_bytes()}
    inside = sorted(path.iterdir())
    if any(one.is_symlink() or not one.is_file() for one in inside):
        return None  # a browser has no way to send a link or a folder
    return {one.name: one.read_bytes() for one in inside}


def said(sender, files):
    """What the site says to files; None if it refuses them before anybody reads them."""
    answer = sender.send(files, kind="release")
    if 400 <= answer.status_code < 500:
        return None
    facts = answer.json()
    while facts["state"] == "waiting":
        facts = sender.client.get(sender.api(f"uploads/{facts['id']}")).json()
    return facts


@pytest.fixture(scope="module")
def tried(red, honest, tmp_path_factory):
    """What the site said to every hostile file, and the contest before and after them."""
    before, answers = digest(red.site), {}
    for case in CASES:
        files = sent(case, tmp_path_factory.mktemp("case"), honest)
        if files is not None:
            answers[case.id] = said(red, files)
    return answers, before, digest(red.site)


@pytest.mark.slow
def test_every_hostile_file_is_refused(red, honest, tried):
    answers, before, after = tried
    wrong = []
    for name, facts in answers.items():
        if facts is None:
            continue
        text = str(facts["faults"])
        if facts["state"] != "refused" or "Traceback" in text or "\x1b" in text:
            wrong.append((name, facts["state"], text[:200]))
    assert wrong == []
    assert len(answers) == len(CASES) == len(TRIED.splitlines())
    assert after == before
    assert red.result({"release.csv": honest}, kind="release")["state"] == "accepted"


@pytest.mark.usefixtures("tried")
def test_no_name_of_a_sender_is_a_name_on_the_machine(red):
    stored = [path for path in (red.site.root / "uploads").rglob("*") if path.is_file()]
    assert len(stored) >= 15
    for path in stored:
        assert path.name == hashlib.sha256(path.read_bytes()).hexdigest()
