"""Long audits say how long they take and how much memory, before they read anything."""

import re
import threading

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

import quintain as q
from quintain.audits import comparison, everybody, sanitizer, work_ahead
from quintain.audits.shapes import tables
from quintain.audits.work_ahead import TableSize
from quintain.cli import display
from quintain.cli.main import cli
from quintain.jobs.progress import announce, report, shown_by
from quintain.testing import unique_people

ESTIMATE = re.compile(r": about [0-9,]+ (seconds|minutes) of processor time .* GB of memory")


class Stopped(Exception):
    """Reading began."""


@pytest.fixture
def heard(monkeypatch):
    """What an audit says, until it reads or attacks; then it is stopped."""
    sentences = []

    def stop(*_given, **_more):
        raise Stopped

    monkeypatch.setattr(work_ahead, "WORTH_SAYING", 0.0)
    monkeypatch.setattr(tables, "read_inputs", stop)
    monkeypatch.setattr(everybody, "read_inputs", stop)
    monkeypatch.setattr(comparison, "_people", stop)
    monkeypatch.setattr("quintain.api.auditing.read_private", stop)
    monkeypatch.setattr("quintain.api.accounting.made_up_trials", stop)
    with shown_by(lambda *_: None, sentences.append):
        yield sentences


TABLE = unique_people(rows=40)


@pytest.mark.parametrize(
    "audit",
    [
        lambda: q.audit(TABLE, TABLE, control=TABLE),
        lambda: q.audit_everybody("rr", TABLE, TABLE, folds=2, keep=0.5),
        lambda: q.audit_sanitizer("rr", TABLE, keep=0.5),
        lambda: q.audit_accounting("rr", keep=0.5),
        lambda: q.compare(["rr", "mst"], TABLE),
        lambda: q.compare({"one": TABLE, "other": TABLE}, TABLE, control=TABLE),
    ],
    ids=["release", "everybody", "sanitizer", "accounting", "comparison", "finished releases"],
)
def test_every_audit_says_what_it_takes_before_it_reads(audit, heard):
    with pytest.raises(Stopped):
        audit()
    assert len(heard) == 1 and ESTIMATE.search(heard[0])


def test_short_audits_say_nothing():
    sentences = []
    with shown_by(lambda *_: None, sentences.append):
        work_ahead.release_audit([TableSize(100, 5)], control=True, attacks=0).announce()
    assert sentences == []


@pytest.mark.parametrize(
    "estimate",
    [
        lambda size: work_ahead.release_audit([size], control=True, attacks=0),
        lambda size: work_ahead.release_audit([size], control=False, attacks=0),
        lambda size: work_ahead.everybody_audit([size], folds=5, attacks=0),
        lambda size: work_ahead.sanitizer_audit(size, calls=200, settings=1),
        lambda size: work_ahead.accounting_audit(1, size),
        lambda size: work_ahead.comparison_audit([size], runs=20, releases=0, attacks=0),
        lambda size: work_ahead.comparison_audit([size] * 2, runs=0, releases=2, attacks=3),
    ],
)
def test_more_rows_and_columns_take_longer(estimate):
    for sizes in (
        [TableSize(rows, 12) for rows in (10**3, 10**4, 10**5, 10**6)],
        [TableSize(1000, columns) for columns in (2, 12, 50, 500)],
    ):
        works = [estimate(size) for size in sizes]
        assert (np.diff([work.seconds for work in works]) > 0).all()
        assert (np.diff([work.megabytes for work in works]) > 0).all()


def test_more_attacks_folds_and_settings_take_longer():
    sizes = [TableSize(10_000, 12)]
    few, many = (
        work_ahead.release_audit(sizes, control=True, attacks=count).seconds for count in (0, 5)
    )
    assert many > few
    few, many = (
        work_ahead.everybody_audit(sizes, folds=count, attacks=0).seconds for count in (2, 10)
    )
    assert many > few
    few, many = (
        work_ahead.sanitizer_audit(sizes[0], calls=100, settings=count).seconds for count in (1, 3)
    )
    assert many > few


@pytest.mark.parametrize(
    ("size", "seconds"),
    [((10_000, 12), 10.7), ((10_000, 48), 21.4), ((100_000, 50), 99.4)],
)
def test_the_estimate_holds_for_the_sizes_that_were_measured(size, seconds):
    """The figures of an idle machine in docs/reference/audit-checked.md."""
    work = work_ahead.release_audit([TableSize(*size)], control=True, attacks=0)
    assert seconds / work_ahead.TIMES < work.seconds < seconds * work_ahead.TIMES


def test_the_size_of_a_file_is_estimated_without_reading_it(tmp_path):
    path = tmp_path / "people.csv"
    rng = np.random.default_rng(0)
    table = pa.table({"age": rng.integers(0, 99, 30_000), "pay": rng.integers(0, 10**6, 30_000)})
    cells = zip(*table.to_pydict().values(), strict=True)
    path.write_text("age,pay\n" + "".join(f"{age},{pay}\n" for age, pay in cells))
    size = TableSize.of(path)
    assert size.columns == 2 and abs(size.rows - 30_000) < 3_000
    assert TableSize.of(table) == TableSize(30_000, 2)
    assert TableSize.of(tmp_path / "absent.csv") is None


def test_the_terminal_shows_the_estimate_first(tmp_path, monkeypatch):
    monkeypatch.setattr(work_ahead, "WORTH_SAYING", 0.0)
    for name in ("original", "release", "control"):
        unique_people(rows=60).to_csv(tmp_path / f"{name}.csv")
    given = [word for name in ("original", "release") for word in (f"--{name}", tmp_path / name)]
    given = [f"{word}.csv" if "--" not in str(word) else word for word in given]
    done = CliRunner().invoke(cli, ["audit", "release", *map(str, given)])
    lines = done.stderr.splitlines()
    assert ESTIMATE.search(lines[0])
    assert any(line.startswith("reading and matching the tables: 1 of 1") for line in lines[1:])


def test_a_slow_step_shows_that_work_goes_on(monkeypatch):
    """Lines come although no step ends."""
    seen, moved = [], threading.Event()

    def note(text, err=False):
        seen.append(text)
        moved.set()

    monkeypatch.setattr(display, "EVERY_SECONDS", 0.01)
    monkeypatch.setattr(display.click, "echo", note)
    with display._lines():
        report("attacks", 0, 16)
        assert moved.wait(60)
        announce("about a minute")
        report("attacks", 16, 16)
    assert re.fullmatch(r"attacks: 0 of 16 after [0-9]+ s", seen[0])
    assert "about a minute" in seen


def test_sanitizers_of_several_settings(heard):
    sanitizer.announce_work(TABLE, 50, {"epsilon": [1, 2, 3]})
    assert "3 settings" in heard[0]
