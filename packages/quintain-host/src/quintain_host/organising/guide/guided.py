"""Guided draft: an edition file and its schema file, as the steps of the guide see them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from quintain.data.column import find_kind
from quintain.wording.languages import to_say
from quintain_host.access import Visitor
from quintain_host.organising.drafts import Draft, draft
from quintain_host.organising.guide.rounds import GuidedRound, boards_over_all
from quintain_host.site import Site

SCHEMA = "schema.json"
"""The file of a draft with the columns of its table."""

_BEYOND = {
    "include": to_say("it includes another contest"),
    "profile": to_say("it has profiles"),
}
"""Keys with which the guide cannot work, and why."""

_ROUND = {"id", "title", "phase"}
"""What rounds of the guide may have of their own."""


@dataclass(frozen=True, slots=True)
class Changes:
    """What a step writes: keys of the edition file, and files of the draft."""

    keys: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class GuidedDraft:
    """A draft with the keys of its edition file and the columns of its table.

    Parameters
    ----------
    table : the edition file, as its TOML says.
    columns : the lines of the schema file: columns that take part, each a table.
    left_out : the columns that do not take part.
    beyond : why the guide cannot show this edition file; empty if it can.
    """

    draft: Draft
    table: Mapping[str, Any]
    columns: tuple[dict[str, Any], ...] = ()
    left_out: tuple[dict[str, Any], ...] = ()
    beyond: str = ""

    @property
    def path(self) -> str:
        """The name of the file with the table."""
        return str(self.table["dataset"].get("path", ""))

    @property
    def attributes(self) -> list[str]:
        """The names of the columns that describe people."""
        described = (c for c in self.columns if not find_kind(c["kind"]).identifying)
        return [str(column["name"]) for column in described]

    @property
    def learned(self) -> list[str]:
        """The columns whose domain still comes from the people in the table."""
        return [str(column["name"]) for column in self.columns if column.get("learned")]

    @property
    def baselines(self) -> list[dict[str, Any]]:
        """The built-in players of the contest."""
        return list(self.table.get("baseline", ()))

    @property
    def team_names(self) -> dict[str, str]:
        """The names of the built-in players by their ids."""
        return {
            baseline["id"]: baseline.get("name") or baseline["id"] for baseline in self.baselines
        }

    @property
    def boards(self) -> list[dict[str, Any]]:
        """The boards of the contest."""
        return list(self.table.get("board", ()))

    @property
    def rounds(self) -> list[GuidedRound]:
        """The rounds; without any phase in the file, teams attack without dates."""
        usual = self.table.get("phase", ({"id": "attack", "submit": "guess"},))
        if "track" not in self.table:
            return [GuidedRound("", "", "", tuple(usual))]
        return [
            GuidedRound(
                f"track.{place}.",
                track["id"],
                track.get("title", ""),
                tuple(track.get("phase", usual)),
            )
            for place, track in enumerate(self.table["track"])
        ]

    @property
    def together(self) -> str:
        """What counts at the end, a key of ``TOGETHER``; with one round, what would count."""
        return "last" if len(self.rounds) > 1 and "overall" not in self.table else "all"

    @property
    def teams_release(self) -> bool:
        """Whether teams make the releases."""
        return any(phase.get("submit") == "release" for phase in self.rounds[0].phases)

    @property
    def keeps_data_secret(self) -> bool:
        """Whether the rows stay secret after the contest, too."""
        return bool(self.table.get("reveal") == "without-data")

    @property
    def undated(self) -> list[str]:
        """The phases that do not open or do not close by themselves."""
        return [
            f"{phase['id']} ({guided.title or guided.id})" if guided.id else str(phase["id"])
            for guided in self.rounds
            for phase in guided.phases
            if "opens" not in phase or "closes" not in phase
        ]


def name_of(spec: Any) -> str:
    """The name of a part in an edition file, which writes it as a text or as a table."""
    return str(spec.get("use", "")) if isinstance(spec, Mapping) else str(spec)


def guided_draft(site: Site, visitor: Visitor, edition: str) -> GuidedDraft:
    """A draft for the guide; ``beyond`` says why, if the guide cannot show it."""
    own = draft(site, visitor, edition)
    table = tomllib.loads(own.edition.toml)
    if own.edition.state != "draft":
        return GuidedDraft(own, table, beyond=to_say("its rules are fixed"))
    for key, reason in _BEYOND.items():
        if key in table:
            return GuidedDraft(own, table, beyond=reason)
    if isinstance(table.get("goal"), list):
        return GuidedDraft(own, table, beyond=to_say("it has several goals"))
    tracks = table.get("track", ())
    if any(set(track) - _ROUND for track in tracks):
        return GuidedDraft(own, table, beyond=to_say("its rounds differ in more than their dates"))
    over_all = boards_over_all(table.get("board", ()), [track["id"] for track in tracks])
    if table.get("overall", over_all) != over_all:
        return GuidedDraft(own, table, beyond=to_say("it has boards of its own over all rounds"))
    source, files = table.get("dataset"), own.digests()
    if not isinstance(source, Mapping) or source.get("schema") != SCHEMA or SCHEMA not in files:
        return GuidedDraft(
            own, table, beyond=to_say("its data are not a table with a learned schema")
        )
    return GuidedDraft(own, table, *read_schema(site.uploads.path(files[SCHEMA]).read_bytes()))


def read_schema(
    content: bytes,
) -> tuple[tuple[dict[str, Any], ...], tuple[dict[str, Any], ...], str]:
    """The columns of a schema file, those that are left out, and why the guide cannot show it."""
    try:
        schema = json.loads(content)
        columns, left_out = tuple(schema["columns"]), tuple(schema.get("left_out", ()))
        plain = all(isinstance(line["name"], str) for line in (*columns, *left_out))
    except (ValueError, KeyError, TypeError, RecursionError):
        plain = False
    if not plain or schema.get("shape", "table") != "table":
        return (), (), to_say("its schema file is not that of a plain table")
    return columns, left_out, ""
