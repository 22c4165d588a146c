"""Fields: the tables of an edition file that name parts, and the gates of their readings."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

from quintain.contests.ids import Id
from quintain.data import Data
from quintain.data.column import optional_field
from quintain.data.number_bounds import NumberBounds
from quintain.data.plain import plain_view
from quintain.errors import Fault, FaultyValue, Rejected
from quintain.measures import (
    About,
    Case,
    Direction,
    GuessMeasure,
    Reading,
    RecordMeasure,
    ReleaseMeasure,
    reading_rng,
)
from quintain.measures.subgroups import Choices, GroupReadings, GroupSplit, Subgroups, single
from quintain.rankings import RankingRule, TieRule
from quintain.rankings.ties import RankOn
from quintain.registry import Part, build
from quintain.releases.numbered import without_numbers
from quintain.sanitizers import Sanitizer
from quintain.wording.languages import tell, to_say
from quintain.wording.suggestion import suggestion

MEASURED = ("name", "subgroup", "subgroups", "at_least", "at_most", "gates", "goal")
"""Keys of a measure's table that are not parameters of the measure."""


RANKED = ("id", "title", "ties", "cohort", "unranked")
"""Keys of a board's table that are not parameters of its rule."""


_GRID = ("grid", "name")


class Gate(NumberBounds):
    """Bounds on a reading of a release; a release that fails one does not count.

    >>> gate = Gate(at_most=5)
    >>> reading = Reading(value=6, low=5, high=7, n=9, better="lower")
    >>> list(gate.failures("ratio", reading))
    ['ratio is 6, must be at most 5 (off by 1)']
    """

    @property
    def single(self) -> tuple[Gate, ...]:
        """Each bound as a gate of its own."""
        return tuple(Gate(**{word.replace(" ", "_"): bound}) for word, bound in self.bounds)

    def failures(self, name: str, reading: Reading) -> Iterator[str]:
        """One sentence for each bound that a reading fails, with the difference."""
        if not reading.measured:
            for _ in self.bounds:
                yield tell("%(name)s could not be measured: %(note)s", name=name, note=reading.note)
            return
        for word, bound in self.missed_by(reading.value):
            yield tell(
                _FAILS[word],
                name=name,
                value=f"{reading.value:.4g}",
                bound=f"{bound:g}",
                gap=f"{abs(reading.value - bound):.2g}",
            )


_FAILS = {
    "at least": to_say("%(name)s is %(value)s, must be at least %(bound)s (off by %(gap)s)"),
    "at most": to_say("%(name)s is %(value)s, must be at most %(bound)s (off by %(gap)s)"),
}


def part_of(family: str, beside: Sequence[str] = ()) -> Callable[[Any], Any]:
    """A validator that builds a part of a family from its table.

    ``beside`` lists the keys of the table that are not parameters of the part.
    """

    def make(table: Any) -> Any:
        if isinstance(table, Part):
            return table
        if not isinstance(table, str | Mapping):
            raise FaultyValue((Fault(f'expected a {family}, written as {{ use = "..." }}'),))
        try:
            return build(family, table, beside=beside)
        except Rejected as error:
            raise FaultyValue(error.faults) from None

    return make


def part_field(family: str, beside: Sequence[str] = ()) -> tuple[BeforeValidator, WithJsonSchema]:
    """The annotations of a field that holds a part of a family, written as a table."""
    return BeforeValidator(part_of(family, beside)), WithJsonSchema({"x-part": family})


class EditionTable(BaseModel):
    """Base of every table of an edition file: unknown keys are faults."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class GatedTable(NumberBounds, EditionTable):
    """Base of the tables of readings: their bounds are the gate of the reading.

    :attr:`quintain.contests.Track.gates` has the gates of all of them.
    """

    @property
    def gate(self) -> Gate:
        """The bounds within which the reading must be."""
        return Gate(at_least=self.at_least, at_most=self.at_most)


class SanitizerGrid(EditionTable):
    """Sanitizers that the organisers run, one for each combination of the values in the grid.

    Parameters
    ----------
    use : the sanitizer; further keys are parameters that all combinations share.
    grid : parameter names, each with a list of values.
    name : the id of an entry, with {parameter} where a value goes.
    """

    model_config = ConfigDict(extra="allow")

    use: str
    grid: dict[str, list[Any]] = {}
    name: str = ""

    @model_validator(mode="before")
    @classmethod
    def _name_alone(cls, table: Any) -> Any:
        return {"use": table} if isinstance(table, str) else table

    @model_validator(mode="after")
    def _each_builds(self) -> Self:
        for _ in self.entries():
            pass
        return self

    def entries(self) -> Iterator[tuple[str, Sanitizer]]:
        """Every entry of the grid: its id and its sanitizer."""
        shared = dict(self.model_extra or {})
        for chosen in self._combinations():
            sanitizer = part_of("sanitizer", _GRID)({"use": self.use, **shared, **chosen})
            yield self._entry_id({**shared, **chosen}, chosen), sanitizer

    def spelled_out(self, names: Iterator[str]) -> Iterator[SanitizerGrid]:
        """A separate table for each entry, named with the next of the names."""
        shared = dict(self.model_extra or {})
        for chosen in self._combinations():
            yield SanitizerGrid(use=self.use, name=next(names), **shared, **chosen)

    def _combinations(self) -> Iterator[dict[str, Any]]:
        for values in itertools.product(*self.grid.values()):
            yield dict(zip(self.grid, values, strict=True))

    def _entry_id(self, parameters: Mapping[str, Any], chosen: Mapping[str, Any]) -> str:
        if self.name:
            text = re.sub(r"\{(\w+)\}", lambda m: _short(parameters.get(m[1], m[0])), self.name)
        else:
            base = self.use.removeprefix("sanitizer/")
            text = "-".join([base, *(f"{key}{_short(value)}" for key, value in chosen.items())])
        return re.sub(r"[^a-z0-9._-]+", "-", text.lower())


def _short(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


class EditionMeasure(GatedTable):
    """A measure, the name of its reading in this edition, and the gates for its readings.

    Parameters
    ----------
    at_least, at_most : the gate for every reading of the measure that ``gates`` does not name.
    gates : gates for single readings, by name: ``{ step_ratio = { at_most = 5 } }``.
    subgroup : the people whom it reads, by their values: ``{ race = "Black", age = [30, 31] }``.
    subgroups : groups of people that it reads apart: ``{ by = "race", report = "worst" }``.
    """

    about: ClassVar[About]
    measure: Annotated[GuessMeasure | ReleaseMeasure, *part_field("measure", MEASURED)]
    name: str = ""
    subgroup: dict[str, Choices] = Field(default={}, exclude_if=lambda chosen: not chosen)
    subgroups: GroupSplit | None = optional_field()
    gates: dict[str, Gate] = {}

    @model_validator(mode="before")
    @classmethod
    def _split(cls, table: Any) -> Any:
        """Split the file's ``{use, parameters..., name, subgroup, at_least, gates...}``."""
        if isinstance(table, str):
            table = {"use": table}
        if not isinstance(table, Mapping) or "measure" in table:
            return table
        own = {key: table[key] for key in MEASURED if key in table}
        rest = {key: value for key, value in table.items() if key not in own}
        return {"measure": rest, **own}

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        if self.measure.about != self.about:
            about = self.measure.about
            raise ValueError(f"{self.measure.id} is about {about}: list it under [[{about}]]")
        count = len(self.measure.reads)
        if self.name and count > 1:
            raise ValueError(f"a measure with {count} readings cannot have a name; leave it out")
        unknown = sorted(set(self.gates) - set(self.reads))
        if unknown:
            raise ValueError(
                f"unknown reading {unknown[0]!r} to gate{suggestion(unknown[0], self.reads)}"
            )
        return self

    @property
    def groups(self) -> Subgroups | None:
        """The people whom it reads; None if it reads everybody."""
        return Subgroups.of(self.subgroup, self.subgroups)

    @property
    def reads(self) -> dict[str, Direction]:
        """The names of its readings in this edition, and whether higher or lower is better."""
        reads = self.measure.reads
        return {name: reads[reading] for reading in reads for name in self._names(reading)}

    @property
    def chance(self) -> dict[str, float]:
        """The expected readings of a blind guess, under the names of this edition."""
        if self.subgroups is not None and self.subgroups.report == "worst":
            return {}  # the worst of several groups is worse than each of them
        known = self.measure.chance
        return {name: known[reading] for reading in known for name in self._names(reading)}

    def _names(self, own: str) -> tuple[str, ...]:
        """The names in this edition of a reading that has a name of its own in the measure."""
        name = self._reading_name(own)
        return (name,) if self.groups is None else self.groups.names_of(name, given=bool(self.name))

    def caption(self, name: str) -> str:
        """A sentence that explains a reading, and of whom it is if not of everybody."""
        caption = self.explain(name)
        return caption if self.groups is None else f"{caption} {self.groups.words()}"

    def explain(self, name: str) -> str:
        """A sentence that explains a reading; ``name`` is its name in this edition."""
        own = next(
            (reading for reading in self.measure.reads if name in self._names(reading)), name
        )
        return self.measure.caption(own)

    def of_guesses(self, cases: Sequence[Case]) -> dict[str, Reading]:
        """Its readings of guesses, under the names of this edition; empty if it reads releases."""
        if not isinstance(self.measure, GuessMeasure):
            return {}
        if self.groups is not None:
            return self._rename(self.groups.of_guesses(self.measure, cases))
        return self._rename(single(self.measure.measure(cases, rng=reading_rng())))

    def of_release(self, original: Data, release: Data, test: Data | None) -> dict[str, Reading]:
        """Its readings of a release, under the names of this edition; empty if it reads guesses."""
        if not isinstance(self.measure, ReleaseMeasure):
            return {}
        if not isinstance(self.measure, RecordMeasure):
            release = without_numbers(release)
        original, release = plain_view(original), plain_view(release)
        test = None if test is None else plain_view(test)
        if self.groups is not None:
            return self._rename(self.groups.of_release(self.measure, original, release, test))
        readings = self.measure.measure(original, release, test, rng=reading_rng())
        return self._rename(single(readings))

    def _rename(self, readings: GroupReadings) -> dict[str, Reading]:
        return {
            name: reading
            for reading_name, groups in readings.items()
            for name, reading in zip(self._names(reading_name), groups, strict=True)
        }

    def _reading_name(self, name: str) -> str:
        """The name of one of its readings in this edition."""
        return self.name or name

    @property
    def gate_of_each(self) -> dict[str, Gate]:
        """The gate of each of its readings; one without bounds lets every reading pass."""
        return {name: self.gates.get(name, self.gate) for name in self.reads}


class MeasuredPrivacy(EditionMeasure):
    """A measure of what attackers find out, from their guesses or from the release itself.

    Parameters
    ----------
    goal : the id of the goal at which the guesses are, if the track has several.
    """

    about: ClassVar[About] = "privacy"
    goal: str = Field(default="", exclude_if=lambda goal: not goal)

    def _reading_name(self, name: str) -> str:
        own = super()._reading_name(name)
        return f"{self.goal}.{own}" if self.goal else own

    @model_validator(mode="after")
    def _no_gate_for_guesses(self) -> Self:
        gated = any(gate.bounds for gate in self.gate_of_each.values())
        if gated and isinstance(self.measure, GuessMeasure):
            raise ValueError("this measure reads guesses; leave the gate out, it is for releases")
        return self


class MeasuredUtility(EditionMeasure):
    """A measure of what a release is still good for."""

    about: ClassVar[About] = "utility"


def _tie(value: Any) -> Any:
    """The id of an earlier board as it is, anything else as a tie rule."""
    return value if isinstance(value, str) else part_of(TieRule.family)(value)


Tie = Annotated[
    str | TieRule,
    BeforeValidator(_tie),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"x-part": TieRule.family}]}),
]
"""The id of an earlier board, whose ranks decide, or the table of a tie rule."""


class RankedBoard(EditionTable):
    """A board of an edition: ``{id, title, ties, use, parameters...}``.

    ``ties`` has ids of earlier boards and tie rules. They decide between equal scores, one after
    the other.
    ``cohort`` is the only cohort whose teams are on the board. ``unranked`` says whether attacks on
    releases that are disqualified, or whose team does not compete, count for the attackers.
    """

    id: Id
    title: str = ""
    ties: tuple[Tie, ...] = ()
    cohort: Id | None = Field(default=None, exclude_if=lambda cohort: cohort is None)
    unranked: Literal["left-out", "count"] = "left-out"
    rule: Annotated[RankingRule, *part_field("ranking", RANKED)]

    @model_validator(mode="before")
    @classmethod
    def _split(cls, table: Any) -> Any:
        if not isinstance(table, Mapping) or "rule" in table:
            return table
        own = {key: table[key] for key in RANKED if key in table}
        return {"rule": {k: v for k, v in table.items() if k not in own}, **own}

    @property
    def tie_rules(self) -> tuple[TieRule, ...]:
        """What decides between equal scores, one after the other."""
        return tuple(RankOn(board=tie) if isinstance(tie, str) else tie for tie in self.ties)

    @property
    def follows(self) -> tuple[str, ...]:
        """The ids of the earlier boards that it needs."""
        return (*self.rule.follows, *(name for tie in self.tie_rules for name in tie.follows))
