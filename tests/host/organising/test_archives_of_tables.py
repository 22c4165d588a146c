"""Archives of tables on a site: several tables about the same people, sent as one file."""

import io
import stat
import zipfile

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
from sqlalchemy import func, select

from quintain.contests import builtin_names, load
from quintain.data.files.limits import Limits
from quintain.data.people_files import SCHEMA_FILE, people_bytes
from quintain.errors import EditionError
from quintain.kit.archive import archive_bytes
from quintain.runs.folder.folder import csv_bytes
from quintain.runs.verification.verify import verify
from quintain_host.database.contests import HostedEdition
from quintain_host.intake.intake import take
from quintain_host.organising import drafts, steps
from quintain_host.organising.steps import newest_job
from tests.host import contest_on_site as contest
from tests.runs.organiser_data_cases import opened_zip

PEOPLE = 50


def editions_of_several_tables():
    """The built-in editions whose releases are several tables about the same people."""
    sources = {name: load(name).track[0].dataset for name in builtin_names()}
    return [name for name, source in sources.items() if source.data_schema().tables]


EDITIONS = editions_of_several_tables()


@pytest.fixture(scope="module", params=EDITIONS)
def given(request):
    """An edition that includes a built-in one, and the files of tables of one's own, by name."""
    source = load(request.param, overrides={"dataset": {"rows": PEOPLE}}).track[0].dataset
    trees = source.generate(np.random.default_rng(4))
    tables = people_bytes(trees.with_keys([f"Ms {n}" for n in range(len(trees))]))
    text = f"""
include = "{request.param}"
id = "ours"
dataset = {{ use = "file", path = "tables.zip", schema = "people.json" }}
sample = {{ use = "subset", rows = 30 }}
repeats = 1
sanitizer = []
baseline = []
utility = []
{contest.PHASES}"""
    return text, {"people.json": tables.pop(SCHEMA_FILE)}, tables


@pytest.fixture
def operator(one_site):
    contest.account(one_site, "olga", operator=True)
    return contest.visitor(one_site, "olga")


def packed(members):
    """An archive of files, each by its name or by a whole entry."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, member in members:
            archive.writestr(name, member)
    return content.getvalue()


def refused(site, operator, text, files):
    """The faults of a draft that is not stored."""
    with pytest.raises(EditionError) as caught:
        drafts.create(site, operator, text, files)
    with site.database.reading() as session:
        assert not session.scalar(select(func.count()).select_from(HostedEdition))
    return [str(fault) for fault in caught.value.faults]


def test_there_is_an_edition_of_several_tables():
    assert EDITIONS


def as_parquet(name, content):
    sink = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.csv.read_csv(io.BytesIO(content)), sink)
    return name.replace(".csv", ".parquet"), sink.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("written", ["csv", "parquet", "in a folder"])
@pytest.mark.parametrize("described", [True, False], ids=["schema", "learned"])
def test_a_draft_takes_an_archive_of_tables(one_site, operator, given, written, described):
    text, schema, tables = given
    members = list(tables.items())
    if written == "parquet":
        members = [as_parquet(*member) for member in members]
    if written == "in a folder":
        members = [(f"export/{name}", content) for name, content in members]
    if not described:
        text = text.replace(', schema = "people.json"', "")
    files = {"tables.zip": packed(members)} | (schema if described else {})
    name = drafts.create(one_site, operator, text, files)
    olga = contest.visitor(one_site, "olga")
    (shown, *_) = drafts.disclosures_of(one_site, drafts.draft(one_site, olga, name))
    assert shown.startswith("tables.zip: all rows become public with the reveal")


def linked(name):
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (stat.S_IFLNK | 0o777) << 16
    return entry


@pytest.mark.parametrize(
    ("member", "words"),
    [
        (("../../edition.toml", "x"), "a path that leads out of the archive"),
        (("/etc/cron.d/x.csv", "x"), "a path that leads out of the archive"),
        ((linked("more.csv"), "/etc/passwd"), "a symbolic link"),
        (("again/visits.csv", "x"), "has the name of"),
        (("again/VISITS.CSV", "x"), "has the name of"),
        (("zeros.csv", bytes(50_000_000)), "it looks like a zip bomb"),
        (("inner.zip", packed([("a.csv", "a\n1\n")])), "is packed, and its tables would be"),
    ],
)
def test_a_hostile_archive_is_refused_in_words_and_leaves_nothing(
    one_site, operator, given, monkeypatch, tmp_path_factory, member, words
):
    scratch = tmp_path_factory.mktemp("scratch")
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    text, schema, tables = given
    files = schema | {"tables.zip": packed([*tables.items(), member])}
    shown = refused(one_site, operator, text, files)
    assert any(fault.startswith("tables.zip") and words in fault for fault in shown), shown
    assert list(scratch.rglob("*")) == []


def test_a_file_that_is_no_archive_is_refused_in_words(one_site, operator, given):
    text, schema, _ = given
    (shown,) = refused(one_site, operator, text, schema | {"tables.zip": b"no archive"})
    assert "tables.zip: cannot be read as a zip file" in shown


def test_many_archives_cannot_fill_the_disk(one_site, operator, given, monkeypatch):
    text, schema, tables = given
    archive = packed(tables.items())
    monkeypatch.setattr(drafts, "DEFAULT_LIMITS", Limits(archive_bytes=200_000))
    files = schema | {"tables.zip": archive} | {f"more{n}.zip": archive for n in range(12)}
    (shown,) = refused(one_site, operator, text, files)
    assert shown == (
        "edition.toml: the archives unpack to more than 200000 bytes together; use fewer or "
        "smaller ones"
    )


def test_wrong_cells_of_a_table_in_an_archive_are_faults_of_the_draft(one_site, operator, given):
    text, schema, tables = given
    name, content = next(iter(tables.items()))
    lines = content.split(b"\n")
    lines[1] = lines[1].rpartition(b",")[0] + b",nonsense"
    changed = tables | {name: b"\n".join(lines)}
    shown = refused(one_site, operator, text, schema | {"tables.zip": packed(changed.items())})
    assert any(name in fault and ":2 " in fault and "nonsense" in fault for fault in shown), shown


@pytest.mark.slow
def test_a_contest_on_an_archive_of_tables_is_played_and_verified(
    one_site, operator, given, tmp_path
):
    site, (text, schema, tables) = one_site, given
    files = schema | {"tables.zip": packed(tables.items())}
    edition = drafts.create(site, operator, text, files)
    steps.prepare(site, contest.visitor(site, "olga"), edition, seed=3)
    contest.drain(site)
    assert newest_job(site, edition, "prepare").reason == ""
    site.clock.set(contest.at(2))
    captains = {name: contest.team(site, edition, name) for name in ("red", "blue")}
    for name, captain in captains.items():
        sample = site.edition_root(edition) / f"teams/{name}/main/private.csv"
        take(site, captain, edition, contest.zipped({"release.csv": sample.read_bytes()}))
    contest.drain(site)
    site.clock.set(contest.at(10))
    contest.request(site, edition, "scoring", "hand-over")
    contest.drain(site)
    site.clock.set(contest.at(11))
    folder, rng = site.folder(edition), np.random.default_rng(1)
    track = folder.edition().track[0]
    for name, captain in captains.items():
        questions = {t.name: folder.question(track, t) for t in folder.read(track).tasks_for(name)}
        answers = {n: csv_bytes(q.blind(rng=rng).table) for n, q in questions.items()}
        take(site, captain, edition, contest.zipped({f"{n}.csv": a for n, a in answers.items()}))
    contest.drain(site)
    assert contest.uploads(site, "accepted") == 4
    site.clock.set(contest.at(21))
    contest.request(site, edition, "scoring", "reveal")
    contest.drain(site)
    assert {job.state for job in contest.jobs(site)} == {"done"}
    archive = tmp_path / "archive.zip"
    archive.write_bytes(archive_bytes(site.folder(edition)))
    opened = opened_zip(archive, tmp_path / "again")
    assert verify(opened).problems == ()
    boards = opened.root / "results/standings.json"
    assert b'"red"' in boards.read_bytes() and b'"blue"' in boards.read_bytes()
    assert not any(b"Ms 1" in path.read_bytes() for path in opened.root.rglob("*.csv"))
