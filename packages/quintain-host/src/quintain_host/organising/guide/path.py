"""Path: the steps of the guide in their order, and what each of them stores."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from quintain.contests.rewriting import change_keys
from quintain.data.files.formats import contest_endings
from quintain.errors import EditionError
from quintain.wording.languages import say, tell, to_say
from quintain_host.access import Conflict, Visitor
from quintain_host.organising import drafts, settings
from quintain_host.organising.guide.columns import (
    kept_columns,
    read_columns,
    show_columns,
)
from quintain_host.organising.guide.dates import read_dates, read_settings, show_dates
from quintain_host.organising.guide.gates import FIRST_GATE, gate_spec, read_gates, show_gates
from quintain_host.organising.guide.guided import SCHEMA, Changes, GuidedDraft, guided_draft
from quintain_host.organising.guide.learning import LearnedFile, learn_table
from quintain_host.organising.guide.questions import (
    GIVEN,
    QUESTIONS,
    attackers_of,
    question_keys,
    read_question,
    show_question,
)
from quintain_host.organising.guide.ranking import read_ranking, show_ranking
from quintain_host.organising.guide.releases import (
    FIRST,
    attackers_board,
    default_spec,
    read_releases,
    show_releases,
)
from quintain_host.organising.guide.typed import (
    LONGEST_TEXT,
    FieldFaults,
    TypedFields,
    place_faults,
)
from quintain_host.site import Site

STEPS: Mapping[str, str] = {
    "table": to_say("Table"),
    "columns": to_say("Columns"),
    "attackers": to_say("What attackers want"),
    "releases": to_say("Releases"),
    "gates": to_say("Utility and gates"),
    "dates": to_say("Dates and teams"),
    "ranking": to_say("Ranking rule"),
    "rehearsal": to_say("Rehearsal"),
    "open": to_say("Check and open"),
}
"""The steps by the last part of their address, each with its title."""

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,59}")
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._ -]{0,99}")


@dataclass(frozen=True, slots=True)
class SentTable:
    """A file that somebody chose; without a name if nobody did."""

    name: str = ""
    content: bytes = b""


def show_table(guided: GuidedDraft) -> dict[str, str]:
    """The fields of the first step, as the edition file fills them in."""
    table = guided.table
    return {
        "id": str(table["id"]),
        "title": str(table.get("title", "")),
        "description": str(table.get("description", "")).strip(),
        "header": "yes" if table["dataset"].get("header", True) else "",
        "without_data": "yes" if guided.keeps_data_secret else "",
    }


SHOW: Mapping[str, Callable[[GuidedDraft], dict[str, str]]] = {
    "table": show_table,
    "columns": show_columns,
    "attackers": show_question,
    "releases": show_releases,
    "gates": show_gates,
    "dates": show_dates,
    "ranking": show_ranking,
}
"""What fills in the fields of a step; the last steps have none."""

_READ: Mapping[str, Callable[[TypedFields, GuidedDraft], Changes]] = {
    "attackers": read_question,
    "releases": read_releases,
    "gates": read_gates,
    "dates": read_dates,
    "ranking": read_ranking,
}


def start(site: Site, visitor: Visitor, sent: Mapping[str, str], file: SentTable) -> str:
    """Make a draft of a contest on a table; returns its id. Raises with the faults of all fields.

    Everything that the later steps ask about has a first answer, so that the draft is complete.
    """
    visitor.require_scope("organise")
    typed = TypedFields(sent)
    name = typed.text("id", needed=True)
    if name and not _ID.fullmatch(name):
        typed.faults["id"] = say("use lower-case letters, digits and -, such as spring-2027")
    title = typed.text("title", needed=True)
    description = typed.text("description", most=LONGEST_TEXT)
    header = typed.is_ticked("header")
    learned = _learn_sent(typed, file, header) if file.name else None
    if not file.name:
        typed.faults["file"] = say("choose a file")
    typed.raise_if_any()
    assert learned is not None  # else it is a fault
    keys: dict[str, Any] = {
        "id": name,
        "title": title,
        "description": description or None,
        "reveal": _reveal(typed),
        "dataset": _dataset(file.name, header),
        **question_keys("membership", rows=learned.rows),
        "utility": [gate_spec(kind, bound) for kind, bound in FIRST_GATE.items()],
        "sanitizer": [default_spec(kind) for kind in FIRST],
        "baseline": attackers_of("membership", GIVEN),
        "board": [attackers_board(QUESTIONS["membership"].reading)],
        "phase": [{"id": "attack", "submit": "guess"}],
    }
    files = {file.name: file.content, SCHEMA: learned.schema.encode()}
    try:
        return drafts.create(site, visitor, change_keys("", keys), files)
    except EditionError as problem:
        raise place_faults(problem, sent) from None
    except Conflict as problem:
        raise FieldFaults({"id": problem.say()}) from None


def store(
    site: Site,
    visitor: Visitor,
    edition: str,
    step: str,
    sent: Mapping[str, str],
    file: SentTable | None = None,
) -> None:
    """Store what somebody typed in a step; raises ``FieldFaults`` and then nothing is stored."""
    guided = guided_draft(site, visitor, edition)
    if guided.beyond:
        raise Conflict(
            tell("the guide cannot change this contest: %(beyond)s", beyond=tell(guided.beyond))
        )
    typed = TypedFields(sent)
    if step == "table":
        changes = _read_table(typed, guided, file or SentTable())
    elif step == "columns":
        changes = read_columns(typed, guided, partial(_learn_again, site, guided))
    else:
        changes = _READ[step](typed, guided)
    apply(site, visitor, guided, changes, sent)
    if step == "dates":
        settings.change_settings(site, visitor, edition, **read_settings(typed))


def apply(
    site: Site,
    visitor: Visitor,
    guided: GuidedDraft,
    changes: Changes,
    sent: Mapping[str, str] = {},
) -> None:
    """Write changes into the edition file and the files of a draft; raises ``FieldFaults``."""
    row = guided.draft.edition
    try:
        text = change_keys(row.toml, changes.keys) if changes.keys else row.toml
        drafts.change(site, visitor, row.id, text, changes.files)
    except EditionError as problem:
        raise place_faults(problem, sent) from None


def _read_table(typed: TypedFields, guided: GuidedDraft, file: SentTable) -> Changes:
    """The title and the description, and another table if somebody chose one."""
    keys: dict[str, Any] = {
        "title": typed.text("title", needed=True),
        "description": typed.text("description", most=LONGEST_TEXT) or None,
        "reveal": _reveal(typed),
    }
    files: dict[str, bytes] = {}
    if file.name:
        header = typed.is_ticked("header")
        learned = _learn_sent(typed, file, header)
        if learned is not None:
            files = {file.name: file.content, SCHEMA: kept_columns(guided, learned)}
            keys["dataset"] = {**guided.table["dataset"], **_dataset(file.name, header)}
    typed.raise_if_any()
    return Changes(keys, files)


def _reveal(typed: TypedFields) -> str | None:
    """The key that keeps the rows secret after the contest; None leaves it out."""
    return "without-data" if typed.is_ticked("without_data") else None


def _dataset(name: str, header: bool) -> dict[str, Any]:
    return {"use": "file", "path": name, "schema": SCHEMA, "header": header}


def _learn_sent(typed: TypedFields, file: SentTable, header: bool) -> LearnedFile | None:
    if not _NAME.fullmatch(file.name) or not file.name.lower().endswith(contest_endings()):
        typed.faults["file"] = say(
            "choose a CSV or Parquet file whose name has letters, digits, . _ and - only"
        )
        return None
    try:
        return learn_table(file.name, file.content, header=header)
    except FieldFaults as problem:
        typed.faults |= problem.by_field
        if problem.others:
            typed.faults["file"] = "; ".join([typed.faults["file"], *problem.others])
        return None


def _learn_again(site: Site, guided: GuidedDraft, words: Any) -> LearnedFile:
    content = site.uploads.path(guided.draft.digests()[guided.path]).read_bytes()
    header = bool(guided.table["dataset"].get("header", True))
    return learn_table(guided.path, content, header=header, words=words)
