"""Tables: the keys of a ``competition.yaml``, version 2, with types, limits and defaults."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    StringConstraints,
)


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
    """A table of the file; it ignores unknown keys, as CodaBench does."""

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
