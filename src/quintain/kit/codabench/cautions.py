"""Cautions: settings of a bundle that CodaBench accepts but silently misinterprets."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

from pydantic import BaseModel

from quintain.errors import Fault
from quintain.kit.codabench.yaml.document import Document, Path, read_document, require_yaml
from quintain.kit.codabench.yaml.tables import (
    ColumnTable,
    CompetitionTable,
    LeaderboardTable,
    PageTable,
    PhaseTable,
    SolutionTable,
    TaskTable,
)

TABLES: dict[str, type[BaseModel]] = {
    "pages": PageTable,
    "tasks": TaskTable,
    "solutions": SolutionTable,
    "phases": PhaseTable,
    "leaderboards": LeaderboardTable,
}


def cautions(files: Mapping[str, bytes]) -> list[Fault]:
    """Every setting of a bundle that CodaBench would read differently from what it says.

    Parameters
    ----------
    files : the contents of the zip, by path.
    """
    document = read_document(files)
    if document.data is not None:
        for path, key in _unknown_keys(document):
            document.add("unknown key: CodaBench ignores it", (*path, key))
        _times(document)
        _leaderboards(document)
        _paths(document, files)
    return document.faults


def _unknown_keys(document: Document) -> Iterator[tuple[Path, str]]:
    known: list[tuple[Path, type[BaseModel]]] = [((), CompetitionTable)]
    for kind, model in TABLES.items():
        known += [((kind, i), model) for i, _ in document.tables(kind)]
    for b, _ in document.tables("leaderboards"):
        place: Path = ("leaderboards", b, "columns")
        known += [((*place, c), ColumnTable) for c, _ in document.tables(place)]
    for path, model in known:
        yield from ((path, str(k)) for k in document.at(path) if k not in model.model_fields)


def _times(document: Document) -> None:
    for i, phase in document.tables("phases"):
        for key in ("start", "end"):
            value = phase.get(key)
            if isinstance(value, datetime):
                message = "without quotes only the day is kept, the time is 00:00:00"
            elif isinstance(value, str) and _has_offset(value):
                message = "the offset is dropped: write UTC without one"
            elif isinstance(value, date):
                message = "without a time it is 00:00:00 UTC"
            else:
                continue
            document.add(message, ("phases", i, key), value)


def _has_offset(text: str) -> bool:
    try:
        return datetime.fromisoformat(text.strip()).tzinfo is not None
    except ValueError:
        return False


def _leaderboards(document: Document) -> None:
    for b, board in document.tables("leaderboards"):
        if b > 0:
            document.add("only the first leaderboard is used", ("leaderboards", b))
        columns = [c.get("index") for _, c in document.tables(("leaderboards", b, "columns"))]
        if board.get("primary_index", 0) not in columns:
            message = "no column has this index: the page of the leaderboard will fail"
            document.add(message, ("leaderboards", b, "primary_index"))


def _paths(document: Document, files: Mapping[str, bytes]) -> None:
    for i, page in document.tables("pages"):
        if str(page.get("file", "")).startswith("/"):
            message = "an absolute path is read from the disk of the server"
            document.add(message, ("pages", i, "file"))
    for i, task in document.tables("tasks"):
        program = str(task.get("scoring_program", ""))
        if program.endswith("/") and not _has_command(program, files):
            message = "has no metadata.yaml with a command: nothing could be scored"
            document.add(message, ("tasks", i, "scoring_program"))
    hidden = {_place(task.get("reference_data")) for _, task in document.tables("tasks")} - {""}
    for i, solution in document.tables("solutions"):
        shown = _place(solution.get("path"))
        if any(_overlap(shown, secret) for secret in hidden):
            message = "participants see solutions: this gives the reference data away"
            document.add(message, ("solutions", i, "path"))


def _has_command(program: str, files: Mapping[str, bytes]) -> bool:
    yaml = require_yaml()
    for name in ("metadata.yaml", "metadata"):
        content = files.get(posixpath.normpath(f"{program}/{name}"))
        if content is not None:
            try:
                metadata = yaml.safe_load(content)
            except (yaml.YAMLError, ValueError, RecursionError):
                return False
            return isinstance(metadata, dict) and bool(metadata.get("command"))
    return False


def _place(value: Any) -> str:
    return posixpath.normpath(value) if isinstance(value, str) and value else ""


def _overlap(one: str, other: str) -> bool:
    return bool(one) and (f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/"))
