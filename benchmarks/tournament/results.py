"""Results: the figures of a tournament as one file, from which the page is drawn."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError

from benchmarks.tournament.arena import Size
from benchmarks.tournament.players import Unable
from quintain.contests.fields import EditionTable
from quintain.errors import Refused
from quintain.measures import Direction, Reading
from quintain.rankings import Contestant, Entry, Refusals, Results

Ends = tuple[float | None, float | None, float | None, int]
Figure = Ends | tuple[float | None, float | None, float | None, int, str]
"""Value, low, high and the number of observations; None is NaN, which JSON does not have.

The last place has the method of the interval, where it is not that of the measure.
"""

_DIGITS = 5


class Measure(EditionTable):
    """One reading of an arena: what it means, and how its intervals were made.

    ``chance`` is what a blind guess is expected to read, if the measure defines it. ``within`` has
    the lowest and the highest value that the measure can read, if there are such values.
    """

    better: Direction
    summary: str
    chance: float | None = None
    method: str = ""
    within: tuple[float, float] | None = None
    bounds: tuple[tuple[str, float], ...] = ()


class Player(EditionTable):
    """An entry or an attack: its part, the settings in words, and what the part does."""

    part: str
    settings: str = ""
    summary: str = ""
    claim: str = ""
    blind: bool = False


class Sizes(EditionTable):
    """How large an arena was: rows, repetitions and the processor time that it took."""

    repeats: int
    population: int
    private: tuple[int, int]
    cpu_seconds: float


class ArenaResults(EditionTable):
    """The figures of one arena.

    Parameters
    ----------
    measures : readings of guesses; the first decides which attack is best.
    utilities : readings of releases.
    cells : by entry, then by attack, then by measure.
    readings : by entry, then by utility.
    faults : by entry, the gates that its releases fail.
    refused : by entry and attack, why there is no figure; the attack "" is the release itself.
    """

    title: str
    about: str
    contest: str
    data: str
    simulated: bool
    knows: tuple[str, ...]
    sizes: Sizes
    measures: dict[str, Measure]
    utilities: dict[str, Measure]
    entries: dict[str, Player]
    attacks: dict[str, Player]
    cells: dict[str, dict[str, dict[str, Figure]]]
    readings: dict[str, dict[str, Figure]]
    faults: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    refused: dict[str, dict[str, str]] = Field(default_factory=dict)
    unable: dict[str, str] = Field(default_factory=dict)

    @property
    def first(self) -> str:
        """The reading that decides which attack is best."""
        return next(iter(self.measures))

    def reading(self, entry: str, attack: str, measure: str) -> Reading | None:
        """One cell; None if there is none."""
        figure = self.cells.get(entry, {}).get(attack, {}).get(measure)
        return None if figure is None else _reading(figure, self.measures[measure])

    def utility(self, entry: str, name: str) -> Reading | None:
        """One reading of a release; None if there is none."""
        figure = self.readings.get(entry, {}).get(name)
        return None if figure is None else _reading(figure, self.utilities[name])

    def as_results(self) -> Results:
        """The same figures as the pages of contests draw them."""
        entries = tuple(
            Entry(name, None, self._utilities(name), self.faults.get(name, ()))
            for name in self.cells
        )
        cells = {
            (entry, attack): {
                name: _reading(figure, self.measures[name]) for name, figure in figures.items()
            }
            for entry, by_attack in self.cells.items()
            for attack, figures in by_attack.items()
        }
        pairs = {
            (entry, attack): why
            for entry, reasons in self.refused.items()
            for attack, why in reasons.items()
            if attack
        }
        contestants = tuple(Contestant(name, name) for name in self.attacks)
        return Results(entries, contestants, cells, refused=Refusals(attacks=pairs))

    def _utilities(self, entry: str) -> dict[str, Reading]:
        figures = self.readings.get(entry, {})
        return {name: _reading(one, self.utilities[name]) for name, one in figures.items()}


class TournamentResults(EditionTable):
    """The figures of all arenas, with what is needed to play them again."""

    format: Literal["quintain.tournament/1"] = "quintain.tournament/1"
    version: str
    size: Size
    seed: int
    arenas: dict[str, ArenaResults]

    def to_bytes(self) -> bytes:
        """The content of the file; one line per entry, so that changes can be read."""
        return _laid_out(self.model_dump(mode="json", exclude_defaults=False)).encode()

    @classmethod
    def read(cls, path: Path) -> TournamentResults:
        """Read a file of results."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise Refused(f"{path} is no file of tournament results: {error}") from None


def figure_of(reading: Reading, measure: Measure) -> Figure:
    """A reading as it is stored, rounded to what anybody reads."""
    value, low, high = (_rounded(x) for x in (reading.value, reading.low, reading.high))
    if reading.method in ("", measure.method):
        return value, low, high, reading.n
    return value, low, high, reading.n, reading.method


def unable_of(unable: tuple[Unable, ...]) -> dict[str, str]:
    """The parts that did not play, with their reasons."""
    return {one.part: one.reason for one in unable}


def _rounded(value: float) -> float | None:
    if math.isnan(value) or math.isinf(value):
        return None
    return float(f"{value:.{_DIGITS}g}")


def _reading(figure: Figure, measure: Measure) -> Reading:
    value, low, high, n, *method = figure
    if value is None:
        return Reading.missing(measure.better, "there was no figure")
    ends = (value if end is None else end for end in (low, high))
    return Reading(
        **dict(zip(("low", "high"), ends, strict=True)),
        value=value,
        n=n,
        better=measure.better,
        method=method[0] if method else measure.method,
    )


def _laid_out(value: Any, depth: int = 0) -> str:
    """JSON with one line per entry: tables are opened to the fifth level, and no further."""
    if not isinstance(value, Mapping) or depth >= 5 or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = ",\n".join(
        f"{' ' * (depth + 1)}{json.dumps(key)}: {_laid_out(item, depth + 1)}"
        for key, item in value.items()
    )
    end = "\n" if depth == 0 else ""
    return f"{{\n{inner}\n{' ' * depth}}}{end}"
