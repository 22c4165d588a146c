"""The rules by which CodaBench accepts the ``competition.yaml`` of an upload, for tests of bundles.

These are the rules of version 2 in CodaBench 1.25: the keys with their types, limits and defaults,
and what must hold between them. Vectors that CodaBench itself made check them.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from typing import Annotated, Any, Literal
from uuid import UUID

import yaml
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
)

from quintain.kit.codabench.bundle import CONFIG

Path = tuple[str | int, ...]
"""The way to a value: ``("phases", 0, "end")`` is written ``phases[0].end``."""
_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"RIFF", b"BM")
_FACTS = ("is_on_leaderboard", "is_required", "key", "selection", "title", "type")
_DATA = {
    "tasks": ("scoring_program", "reference_data", "input_data", "ingestion_program"),
    "solutions": ("path",),
    "phases": ("public_data", "starting_kit"),
}
"""The keys that name a file or folder of the bundle, or data that are stored on the site."""
_REQUIRED = {"tasks": ("name", "scoring_program"), "solutions": ("path",)}
"""What a table must have unless it has a key: then it is stored on the site."""


def refusals(files: Mapping[str, bytes]) -> dict[str, str]:
    """Why CodaBench would refuse a bundle, by the value; empty if it would accept it.

    Parameters
    ----------
    files : the contents of the zip, by path.
    """
    document = read_document(files)
    if document.data is not None:
        document.check_keys()
        _check_files(document, files)
        _check_tasks(document)
        _check_phases(document)
        _check_columns(document)
        _check_facts(document)
    return document.faults


def _check_files(document: Document, files: Mapping[str, bytes]) -> None:
    """Check that every file that a key names exists and is of the right kind."""
    pages: list[Path] = [("pages", i, "file") for i, _ in document.tables("pages")]
    for path in [("image",), ("terms",), *pages]:
        value = document.at(path)
        if not isinstance(value, str) or not value or value.startswith("/"):
            continue  # an absolute path is on the server
        content = files.get(posixpath.normpath(value))
        if content is None:
            document.add("this file does not exist", path)
        elif path == ("image",) and not content.startswith(_IMAGES):
            document.add("is not a readable image", path)
        elif not content:
            document.add("the file is empty", path)
    for kind, keys in _DATA.items():
        for i, table in document.tables(kind):
            for key in keys if "key" not in table else ():
                value = table.get(key)
                if isinstance(value, str) and not _is_uuid(value) and not _exists(value, files):
                    document.add("this file or folder does not exist", (kind, i, key))


def _exists(value: str, files: Mapping[str, bytes]) -> bool:
    name = posixpath.normpath(value)
    return name in files or any(path.startswith(f"{name}/") for path in files)


def _is_uuid(text: str) -> bool:
    try:
        return bool(UUID(text))
    except ValueError:
        return False


def _check_tasks(document: Document) -> None:
    """Check that each task has a name, a program and a unique index, and that references exist."""
    known = document.unique("index", "tasks")
    for kind, keys in _REQUIRED.items():
        for i, table in document.tables(kind):
            for key in keys if "key" not in table else ():
                if table.get(key) is None:
                    document.add("is missing", (kind, i, key))
    for kind in ("solutions", "phases"):
        for i, table in document.tables(kind):
            used = table.get("tasks")
            for j, index in enumerate(used if isinstance(used, list) else []):
                if index not in known:
                    document.add("no task has this index", (kind, i, "tasks", j))


def _check_phases(document: Document) -> None:
    """Check that phases follow one another, in the order of their indexes."""
    phases = list(document.tables("phases"))
    if all(isinstance(phase.get("index", 0), int) for _, phase in phases):
        phases.sort(key=lambda item: item[1].get("index", 0))
    if phases and phases[0][1].get("auto_migrate_to_this_phase") is True:
        at: Path = ("phases", phases[0][0], "auto_migrate_to_this_phase")
        document.add("there is no phase before the first one to migrate from", at)
    for n in range(1, len(phases)):
        (before, earlier), (i, later) = phases[n - 1 : n + 1]
        if earlier.get("end") is None:
            document.add("only the last phase may have no end", ("phases", before, "end"))
            continue
        try:
            start, end = stored_moment(later.get("start")), stored_moment(earlier["end"])
        except ValueError:
            continue  # the table of the phase has noted it
        if start <= end:
            message = f"must start after the phase before it ends, at {end:%Y-%m-%d %H:%M:%S}"
            document.add(message, ("phases", i, "start"))


def _check_columns(document: Document) -> None:
    """Check that columns have unique keys and indexes, and are computed from other columns."""
    for b, _ in document.tables("leaderboards"):
        place: Path = ("leaderboards", b, "columns")
        document.unique("key", *place)
        known = document.unique("index", *place)
        for c, column in document.tables(*place):
            path, given = (*place, c, "computation_indexes"), column.get("computation_indexes")
            if column.get("computation") and (given is None or given == []):
                message = "a computed column needs a list of the columns it is computed from"
                document.add(message, path)
            for j, index in enumerate(given if isinstance(given, list) else []):
                if index == column.get("index"):
                    document.add("a column cannot be computed from itself", (*path, j))
                elif index not in known:
                    document.add("no column has this index", (*path, j))


def _check_facts(document: Document) -> None:
    """Check that each question about a submission has exactly six keys."""
    facts = document.at(("fact_sheet",))
    for name, fact in facts.items() if isinstance(facts, dict) else ():
        if not isinstance(fact, dict):
            continue
        unknown = f"unknown key; available: {', '.join(_FACTS)}"
        for key in sorted(set(_FACTS) ^ set(map(str, fact))):
            document.add("is missing" if key in _FACTS else unknown, ("fact_sheet", name, key))
        if fact.get("type") not in ("checkbox", "text", "select"):
            document.add("must be checkbox, text or select", ("fact_sheet", name, "type"))
        if fact.get("key") != name:
            document.add(f"must be {name}, like the table", ("fact_sheet", name, "key"))


# --- the file -------------------------------------------------------------------------------------


@dataclass(slots=True)
class Document:
    """The content of the file, and every reason to refuse it: a message for each value."""

    data: dict[Any, Any] | None = None
    faults: dict[str, str] = field(default_factory=dict)

    def add(self, message: str, path: Path = ()) -> None:
        """Note a fault, unless there is one about the same value."""
        self.faults.setdefault(_spell(path), message)

    def check_keys(self) -> None:
        """Note every value that is missing or of the wrong kind."""
        try:
            CompetitionTable.model_validate(self.data)
        except ValidationError as problem:
            for error in problem.errors(include_url=False):
                self.add(error["msg"], error["loc"])

    def at(self, path: Path) -> Any:
        """The value at a path; None if there is none."""
        value: Any = self.data
        for step in path:
            try:
                value = value[step]
            except (KeyError, IndexError, TypeError):
                return None
        return value

    def tables(self, *place: str | int) -> Iterator[tuple[int, dict[Any, Any]]]:
        """The tables of a list, each with its position."""
        items = self.at(place)
        for i, item in enumerate(items if isinstance(items, list) else []):
            if isinstance(item, dict):
                yield i, item

    def unique(self, key: str, *place: str | int) -> list[Any]:
        """The values of a key in a list of tables; a value that appears twice is a fault."""
        seen: list[Any] = []
        for i, table in self.tables(*place):
            value = table.get(key)
            if isinstance(value, str | int | float):
                if value in seen:
                    self.add("appears twice", (*place, i, key))
                seen.append(value)
        return seen


def _spell(path: Path) -> str:
    """A path as people write it, with brackets around positions.

    >>> _spell(("phases", 0, "end"))
    'phases[0].end'
    """
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path)
    return text.removeprefix(".")


def read_document(files: Mapping[str, bytes]) -> Document:
    """The ``competition.yaml`` of a bundle; without data if it is missing or cannot be read."""
    document = Document()
    try:
        data = yaml.safe_load(files[CONFIG].decode())
    except (KeyError, yaml.YAMLError, ValueError, RecursionError) as problem:
        document.add(f"cannot be read: {problem}")
        return document
    if isinstance(data, dict):
        document.data = data
    else:
        document.add("must contain keys and values")
    return document


# --- its keys -------------------------------------------------------------------------------------


def stored_moment(value: Any) -> datetime:
    """The time that CodaBench stores: it drops the hour of a time without quotes, and any offset.

    >>> stored_moment("2026-01-01 12:30:00+09:00").isoformat()
    '2026-01-01T12:30:00+00:00'
    >>> stored_moment(datetime(2026, 1, 1, 12, 30)).isoformat()
    '2026-01-01T00:00:00+00:00'
    """
    if isinstance(value, date):
        return datetime.combine(value, time(), UTC)
    if not isinstance(value, str):
        raise ValueError("write a time like '2026-01-31 12:30:00', with the quotes")
    try:
        return datetime.fromisoformat(value.strip()).replace(tzinfo=UTC)
    except ValueError:
        raise ValueError("is not a time like '2026-01-31 12:30:00'") from None


def _text(longest: int | None = None) -> StringConstraints:
    return StringConstraints(strip_whitespace=True, min_length=1, max_length=longest)


def _mail(text: str) -> str:
    if not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s.]+", text):
        raise ValueError("is not an e-mail address")
    return text


Moment = Annotated[datetime, BeforeValidator(stored_moment)]
Text = Annotated[str, _text()]
Short = Annotated[str, _text(36)]
Count = Annotated[int, Field(ge=0)]
Mail = Annotated[str, AfterValidator(_mail)]


class _Table(BaseModel):
    """It ignores unknown keys, as CodaBench does."""

    model_config = ConfigDict(extra="ignore", coerce_numbers_to_str=True)


class PageTable(_Table):
    """A page of the site."""

    title: Text
    file: Text


class TaskTable(_Table):
    """A task: its data and its scoring program. A task stored on the site has only a key."""

    index: int
    key: UUID | None = None
    name: Text | None = None
    description: str | None = None
    scoring_program: Text | None = None
    reference_data: Text | None = None
    input_data: Text | None = None
    ingestion_program: Text | None = None
    ingestion_only_during_scoring: bool = False


class SolutionTable(_Table):
    """An example solution. Participants see it: never put the truth here."""

    index: int
    tasks: list[Any]
    path: Text | None = None
    key: UUID | None = None
    name: str | None = None
    description: str | None = None


class PhaseTable(_Table):
    """A phase; it begins after the phase before it has ended."""

    index: int = 0
    name: Text
    description: str | None = None
    start: Moment
    end: Moment | None = None
    tasks: list[Any]
    max_submissions_per_day: Count | None = 5
    max_submissions: Count | None = 100
    execution_time_limit: Count = 600
    auto_migrate_to_this_phase: bool = False
    accepts_only_result_submissions: bool = False
    hide_output: bool = False
    hide_prediction_output: bool = False
    hide_score_output: bool = False
    public_data: Text | None = None
    starting_kit: Text | None = None


class ColumnTable(_Table):
    """A column of the leaderboard: a key of scores.json, or computed from other columns."""

    title: Short
    key: Short
    index: int
    sorting: Literal["desc", "asc"] = "desc"
    precision: Count = 2
    hidden: bool = False
    computation: Literal["avg", "sum", "min", "max"] | None = None
    computation_indexes: list[int] | None = None


class LeaderboardTable(_Table):
    """A leaderboard; CodaBench uses the first one only."""

    title: Annotated[str, _text(64)]
    key: Short
    primary_index: int = 0
    hidden: bool = False
    submission_rule: Literal[
        "Add",
        "Add_And_Delete",
        "Add_And_Delete_Multiple",
        "Force_Last",
        "Force_Latest_Multiple",
        "Force_Best",
    ] = "Add"
    columns: list[ColumnTable] = Field(min_length=1)


class CompetitionTable(_Table):
    """All keys of ``competition.yaml``."""

    version: Annotated[Literal[2], BeforeValidator(lambda v: 2 if v == "2" else v)]
    title: Annotated[str, _text(256)]
    image: Text
    terms: Text
    pages: list[PageTable]
    tasks: list[TaskTable] = Field(min_length=1)
    phases: list[PhaseTable] = Field(min_length=1)
    leaderboards: list[LeaderboardTable] = Field(min_length=1)
    solutions: list[SolutionTable] | None = None
    fact_sheet: dict[str, dict[str, Any]] | None = None
    description: str | None = ""
    registration_auto_approve: bool = False
    docker_image: Annotated[str, _text(128)] = "codalab/codalab-legacy:py37"
    enable_detailed_results: bool = False
    show_detailed_results_in_submission_panel: bool = True
    show_detailed_results_in_leaderboard: bool = True
    auto_run_submissions: bool = True
    can_participants_make_submissions_public: bool = True
    make_programs_available: bool = False
    make_input_data_available: bool = False
    forum_enabled: bool = True
    competition_type: Literal["competition", "benchmark"] = "competition"
    reward: str | None = None
    contact_email: Mail | None = None
    queue: None = None
