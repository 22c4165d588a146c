"""Arena: a contest of the tournament: whose rules it takes, at which sizes, with which settings."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from quintain.contests import Edition, Track, load
from quintain.contests.edition import MadeWith
from quintain.contests.fields import EditionTable
from quintain.contests.loading.load import merge
from quintain.errors import EditionError, Fault
from quintain.wording.suggestion import suggestion

Size = Literal["default", "quick"]

_ATTACKED = {
    "sanitizer": (),
    "baseline": (),
    "team": (),
    "overall": (),
    "award": (),
}
"""What the arena itself decides: the players, and that nobody is ranked over several tracks."""


class Absent(EditionTable):
    """A part that does not play, and why."""

    use: str
    because: str


class Arena(EditionTable):
    """A contest in which every part plays that can.

    Parameters
    ----------
    contest : the edition whose rules apply.
    about : what is asked here, in words for the page.
    rules : what differs from the edition, written as in an edition file.
    quick : what differs further in the small size.
    sanitizer, attack : the settings with which parts play. A part without such a table plays with
        its defaults. Several tables for one part are several players. The key ``quick`` of such a
        table holds what differs in the small size.
    absent : parts that do not play here, each with the reason.
    shown : the readings of releases that the page shows first.
    """

    name: str = ""
    title: str
    about: str
    contest: str
    rules: dict[str, Any] = Field(default_factory=dict)
    quick: dict[str, Any] = Field(default_factory=dict)
    sanitizer: tuple[dict[str, Any], ...] = ()
    attack: tuple[dict[str, Any], ...] = ()
    absent: tuple[Absent, ...] = ()
    shown: tuple[str, ...] = ()

    def drawn(self, draws: int) -> Arena:
        """The same arena with another number of draws, in both sizes."""
        repeats = {"repeats": draws}
        return self.model_copy(
            update={"rules": {**self.rules, **repeats}, "quick": {**self.quick, **repeats}}
        )

    def settings(self, family: str, size: Size) -> list[dict[str, Any]]:
        """The tables of sanitizers or attacks, as the size wants them."""
        tables = []
        for table in self.sanitizer if family == "sanitizer" else self.attack:
            shared = {key: value for key, value in table.items() if key != "quick"}
            tables.append(merge(shared, table.get("quick", {})) if size == "quick" else shared)
        return tables

    def track(self, size: Size) -> Track:
        """The rules before anybody plays: data, goal, knowledge and measures."""
        phases = [{"id": "anonymization", "submit": "release"}, {"id": "attack", "submit": "guess"}]
        (track,) = self._load(size, {"phase": phases}).track
        return track

    def edition(
        self, size: Size, sanitizers: list[dict[str, Any]], attacks: list[dict[str, Any]]
    ) -> Edition:
        """The edition in which these players meet."""
        phases = [{"id": "attack", "submit": "guess"}]
        players = {"sanitizer": sanitizers, "baseline": attacks, "phase": phases}
        return self._load(size, players)

    def _load(self, size: Size, over: Mapping[str, Any]) -> Edition:
        own = merge(_ATTACKED, self.rules)
        if size == "quick":
            own = merge(own, self.quick)
        names = {"id": f"tournament-{self.name}", "title": self.title, "description": self.about}
        edition = load(self.contest, overrides=merge(own, {**names, **over}))
        return edition.model_copy(update={"made_with": MadeWith()})


def arena_names() -> list[str]:
    """The names of the arenas that come with quintain."""
    return sorted(file.name.removesuffix(".toml") for file in _folder().iterdir())


def read_arena(source: str) -> Arena:
    """An arena by its built-in name or the path of its file."""
    name = Path(source).name.removesuffix(".toml")
    if source in arena_names():
        text = (_folder() / f"{source}.toml").read_text("utf-8")
    elif Path(source).is_file():
        text = Path(source).read_text("utf-8")
    else:
        known = suggestion(source, arena_names())
        raise EditionError([Fault(f"is neither an arena nor the file of one{known}", source)])
    try:
        return Arena.model_validate({"name": name, **tomllib.loads(text)})
    except tomllib.TOMLDecodeError as error:
        raise EditionError([Fault(f"is not TOML: {error}", source)]) from None
    except ValidationError as error:
        faults = [Fault(one["msg"], source, column=str(one["loc"][0])) for one in error.errors()]
        raise EditionError(faults) from None


def _folder() -> Any:
    return resources.files(__package__) / "arenas"
