"""Players: every registered part that can take part in an arena, and why the others cannot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pydantic import ValidationError

from benchmarks.tournament.arena import Arena, Size
from quintain.attacks import Attack
from quintain.contests import Track
from quintain.contests.fields import SanitizerGrid
from quintain.data import Schema
from quintain.data.data_part import DataPart
from quintain.errors import Rejected
from quintain.registry import Part, build, find, parts
from quintain.sanitizers import Sanitizer

Table = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Unable:
    """A part that does not play in an arena, and why, as a sentence."""

    part: str
    reason: str


@dataclass(frozen=True, slots=True)
class Players:
    """Who plays in an arena.

    Parameters
    ----------
    sanitizers, attacks : the tables of an edition that name the players, each with the id of its
        part.
    unable : the parts that do not play.
    """

    sanitizers: tuple[tuple[str, Table], ...]
    attacks: tuple[tuple[str, Table], ...]
    unable: tuple[Unable, ...]

    def only(self, names: Sequence[str]) -> Players:
        """The pairs in which one of the named parts plays; everybody if none of them is named."""
        sanitizers, attacks = (
            tuple(one for one in group if is_named(one[0], names)) or group
            for group in (self.sanitizers, self.attacks)
        )
        return Players(sanitizers, attacks, self.unable)


def players_of(arena: Arena, size: Size) -> Players:
    """Ask every registered sanitizer and attack whether it can play."""
    track, unable = arena.track(size), list[Unable]()
    chosen = {
        family: tuple(_playing(family, arena, size, track, unable))
        for family in ("sanitizer", "attack")
    }
    return Players(chosen["sanitizer"], chosen["attack"], tuple(unable))


def _playing(
    family: str, arena: Arena, size: Size, track: Track, unable: list[Unable]
) -> Iterator[tuple[str, Table]]:
    absent = {find(family, one.use): one.because for one in arena.absent if _has(family, one.use)}
    listed = arena.settings(family, size)
    for cls in parts(family):
        tables = [table for table in listed if find(family, table["use"]) is cls]
        reason = _unfit(cls, track) or absent.get(cls, "")
        if reason:
            unable.append(Unable(cls.id, reason))
            continue
        tables, reason = _settled(cls, tables, track)
        if reason:
            unable.append(Unable(cls.id, reason))
        make = _entries if family == "sanitizer" else _attacker
        yield from ((cls.id, make(cls, table)) for table in tables)


def _has(family: str, use: str) -> bool:
    return not use.count("/") or use.startswith(f"{family}/")


def _unfit(cls: type[Part], track: Track) -> str:
    """Why no settings could let a part play; empty if some might."""
    if cls.superseded_by:
        return f"{cls.superseded_by} takes its place"
    if not cls.examples():
        return "it cannot run on this installation, or the arena must give its settings"
    shape, fits = track.dataset.data_schema().shape, cast(type[DataPart], cls).shapes
    if shape not in fits:
        return f"it is for {' or '.join(fits)}, not for {shape}"
    if issubclass(cls, Attack):
        if not issubclass(track.goal.asks, cls.answers):
            return f"it does not answer questions about {track.goal.asks.about()}"
        missing = sorted(cls.needs - track.gives)
        return f"it needs {', '.join(missing)}, which attackers do not get here" if missing else ""
    return ""


def _settled(cls: type[Part], tables: list[Table], track: Track) -> tuple[list[Table], str]:
    """The settings with which a part can work on the data; the reason if there are none."""
    schema, reason = track.dataset.data_schema().private, ""
    able = []
    for table in tables or list(_usual(cls)):
        refusals = [_refusal(part, schema, track) for part in _built(cls, table)]
        reason = reason or next(filter(None, refusals), "")
        if not any(refusals):
            able.append(table)
    if able:
        return (able if tables else able[:1]), ""
    return [], reason or "it has no default settings, and the arena lists none"


def _usual(cls: type[Part]) -> Iterator[Table]:
    """The defaults of a part, then its examples, which fit some data only."""
    try:
        cls()
        yield {"use": cls.id}
    except ValidationError:
        yield from (part.spec() for part in cls.examples())


def _built(cls: type[Part], table: Mapping[str, Any]) -> Iterator[Part]:
    if issubclass(cls, Sanitizer):
        yield from (part for _, part in SanitizerGrid.model_validate(table).entries())
    else:
        yield _without_name(cls, table)


def _without_name(cls: type[Part], table: Mapping[str, Any]) -> Part:
    settings = {key: value for key, value in table.items() if key != "name"}
    try:
        return build(cls.family, {**settings, "use": cls.id})
    except Rejected as error:
        raise ValueError(f"{cls.id}: {error}") from None


def _refusal(part: Part, schema: Schema, track: Track) -> str:
    reason = cast(DataPart, part).refusal(schema).replace(f"{part.id}:", "it says:")
    reason = reason.replace(part.id, "it")
    if not reason and isinstance(part, Sanitizer) and track.goal.needs_origins:
        return "" if part.tells_origins() else "its records stand for nobody"
    return reason


def _entries(cls: type[Part], table: Mapping[str, Any]) -> Table:
    """The table of a sanitizer, named after the part and the values of its grid."""
    grid = "".join(f"-{{{key}}}" for key in table.get("grid", ()))
    return {"name": f"{short_name(cls)}{grid}", **table, "use": cls.id}


def _attacker(cls: type[Part], table: Mapping[str, Any]) -> Table:
    """The table of a baseline that plays the attack."""
    id = table.get("name", short_name(cls))
    settings = {key: value for key, value in table.items() if key != "name"}
    return {"id": id, "name": id, "attack": {**settings, "use": cls.id}}


def short_name(cls: type[Part]) -> str:
    """The name of a part; with its version if there is a newer one.

    >>> from quintain.sanitizers import KAnonymity
    >>> short_name(KAnonymity)
    'k-anonymity'
    """
    newest = find(cls.family, cls.name())
    return cls.name() if newest is cls else cls.id.partition("/")[2]


def is_named(id: str, names: Sequence[str]) -> bool:
    """Whether a part is one of those named, by its id or its name with or without the version."""
    short = id.partition("/")[2]
    return any(name in (id, short, short.rpartition("-v")[0]) for name in names)
