"""An audit whose work others do, in any order, has the same bytes."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from quintain.audits.release import audit_release
from quintain.jobs.executor import Executor
from quintain.testing import unique_people


class Elsewhere(Executor):
    """Sends every piece through a pickle, as to another process; the last one is ready first."""

    def run(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
        for item in reversed(items):
            yield pickle.loads(pickle.dumps(work(pickle.loads(pickle.dumps(item)))))


@pytest.mark.slow
@pytest.mark.parametrize("with_control", [True, False])
def test_the_figures_do_not_depend_on_who_does_the_work(
    monkeypatch: pytest.MonkeyPatch, with_control: bool
) -> None:
    monkeypatch.setattr("quintain.audits.shapes.tables._WORTH_WORKERS", 0)
    table = unique_people(rows=400)
    tables = [table.take(range(at, at + 200)) for at in (0, 100)]
    control = table.take(range(300, 400)) if with_control else None
    here, elsewhere = (
        audit_release(*tables, control, permutations=99, attacks=["density-ratio"], executor=by)
        for by in (Executor(), Elsewhere())
    )
    assert here.model_dump_json() == elsewhere.model_dump_json()


def test_small_tables_stay_in_this_process() -> None:
    class Nobody(Executor):
        def run(self, work: Callable[[Any], Any], items: Sequence[Any]) -> Iterator[Any]:
            raise AssertionError("nobody is asked")

    table = unique_people(rows=60)
    assert audit_release(table, table, executor=Nobody()).verdict == "unsafe"


def test_workers_are_not_started_for_a_small_file(tmp_path: Path) -> None:
    class Nobody(Executor):
        def warm(self, *modules: str) -> None:
            raise AssertionError("nobody is started")

    file = tmp_path / "people.csv"
    unique_people(rows=60).to_csv(file)
    assert audit_release(file, file, executor=Nobody()).verdict == "unsafe"
