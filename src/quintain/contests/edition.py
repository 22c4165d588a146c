"""Edition: all the rules of a contest, as one file declares them.

The vocabulary is that of Allard, Béziaud and Gambs (2023), The SNAKE challenge, table 1. An edition
has tracks. A track has a time period, a base data set, sanitization algorithms under attack, an
attack goal, success measures and teams. What a file cannot say becomes a new registered part.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, Self, cast

from pydantic import Field, model_validator

from quintain.attacks import Attack, Fact, ThreatModel
from quintain.commitment import canonical_json
from quintain.contests.cohorts import Cohorts
from quintain.contests.feedback import Feedback
from quintain.contests.fields import (
    EditionMeasure,
    EditionTable,
    Gate,
    MeasuredPrivacy,
    MeasuredUtility,
    RankedBoard,
    SanitizerGrid,
    part_field,
)
from quintain.contests.ids import Id, Name
from quintain.contests.plain import plain
from quintain.contests.readings import Derived, Given
from quintain.contests.submitting import FileFormat, ModelRule, Phase
from quintain.contests.track_goal import Goals, KnowledgeGiven, TrackGoal
from quintain.data import Limits, Schema
from quintain.data.models import model_schema
from quintain.data.shape import find_shape
from quintain.data.sources.source import Source
from quintain.measures import (
    Direction,
    GuessMeasure,
    Reading,
    Readings,
    RecordMeasure,
    ReleaseMeasure,
)
from quintain.programs import AnswerContract
from quintain.releases import Release, Rule
from quintain.samples import Design
from quintain.sanitizers import Sanitizer

MODEL_FILE = "safetensors"
"""The format of models: plain numbers, in which no code can hide."""


class Team(EditionTable):
    """A team that takes part; ``competing`` is false for teams without a rank, as of organisers."""

    id: Id
    name: Name = ""
    competing: bool = True


class Baseline(Team):
    """A built-in player: a sanitizer, an attack, or both.

    In a rehearsal (``quintain play``) the baselines are the teams. In a live contest they attack
    every release, beside the teams.
    """

    sanitizer: Annotated[Sanitizer, *part_field("sanitizer")] | None = None
    attack: Annotated[Attack, *part_field("attack")] | None = None

    @model_validator(mode="after")
    def _plays(self) -> Self:
        if self.sanitizer is None and self.attack is None:
            raise ValueError("a baseline has a sanitizer, an attack, or both")
        return self


class CommitmentRule(EditionTable):
    """How the organisers commit to their secret files before a phase opens.

    "sha512-unsalted" publishes plain hashes in addition, as SNAKE 1 did. An attacker can find out
    the content from them, and ``quintain lint`` says at what cost.

    Parameters
    ----------
    beacon : which public value is mixed into the keys after the organisers have committed to them,
        such as the first lottery numbers drawn after a date. Without it, the organisers could draw
        many keys and keep the luckiest.
    """

    algorithm: Literal["sha256-salted-merkle", "sha512-unsalted"] = "sha256-salted-merkle"
    beacon: str = ""


class Population(EditionTable):
    """A synthetic population, so that no private sample contains records of the real data set.

    Parameters
    ----------
    generator : the sanitizer that makes the population from the data set.
    distinct : drop repeated records.
    take : then keep this many records, drawn at random.
    """

    generator: Annotated[Sanitizer, *part_field("sanitizer")]
    distinct: bool = False
    take: Annotated[int, Field(ge=1)] | None = None


class Award(EditionTable):
    """A prize for the first places of a board, or for teams that a jury chooses.

    Parameters
    ----------
    board : "track/board", or the id of a board over all tracks.
    places : how many places of the board get the prize; teams with equal ranks share it.
    winners : instead of a board, the teams that a jury chose.
    """

    title: str
    board: str | None = None
    places: Annotated[int, Field(ge=1)] = 1
    winners: tuple[str, ...] = ()


class MadeWith(EditionTable):
    """The options with which an edition file was read.

    Parameters
    ----------
    profile : the chosen profile of the edition, if any.
    quick : whether the small version of the edition was chosen.
    changes : further changes to single keys, each as "key=value".
    """

    profile: str | None = None
    quick: bool = False
    changes: tuple[str, ...] = ()

    @classmethod
    def of(cls, profile: str | None, quick: bool, overrides: Mapping[str, Any]) -> Self:
        """Record the options; overrides are nested tables.

        >>> MadeWith.of(None, True, {"dataset": {"rows": 500, "real": True}}).changes
        ('dataset.rows=500', 'dataset.real=true')
        """
        return cls(profile=profile, quick=quick, changes=tuple(_override_texts(overrides)))

    def without_changes(self) -> Self:
        """The same without changes to keys, which may name what attackers are not given."""
        return self.model_copy(update={"changes": ()})


def _override_texts(overrides: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Overrides in the form that follows ``--set`` on the command line."""
    for key, value in overrides.items():
        if isinstance(value, Mapping):
            yield from _override_texts(value, f"{above}{key}.")
        else:
            yield f"{above}{key}={json.dumps(value, ensure_ascii=False, default=str)}"


def _is_one(value: int) -> bool:
    return value == 1


def _is_shared(questions: str) -> bool:
    return questions == "shared"


def _is_with_data(reveal: str) -> bool:
    return reveal == "with-data"


def _is_none(value: object) -> bool:
    return value is None


def _is_empty(tables: tuple[Given, ...]) -> bool:
    return not tables


class Track(EditionTable):
    """One contest of an edition: data, sanitizers or teams that make releases, attackers, boards.

    Parameters
    ----------
    goal : what attackers want to find out; a list ([[goal]], each with an id) if there are several
        goals, which one release must withstand.
    population : how to make a population from the data set; by default it is the data set itself.
    privacy : measures of what attackers find out about people, from their guesses or from the
        releases; the first measure of guesses fills the matrix. Only a track whose goal is "none"
        may have none.
    utility : measures of what releases are still good for.
    given : readings of releases that come from outside, such as the marks of a jury.
    derived : readings of releases that are computed from other readings.
    test_records : whether the records that test utility are "public". Teams that make releases
        could submit copies of public test records. If they are "secret", only the judge can
        measure utility.
    repeats : how many times the experiment is repeated for each of the organisers' sanitizers.
    shared_sample : whether all entries are releases of the same private sample.
    samples : how many private samples each team gets; it releases one of them.
    questions : whether all attackers answer the same question about a release ("shared"), or each
        is asked about people of its own ("per attacker").
    targets_each : how many targets an attacker is asked about, where it has its own question; they
        are drawn from all targets of the goal.
    model : if given, releases are classifiers that learned from the private records.
    """

    id: Id = "main"
    title: str = ""
    goal: Goals
    dataset: Annotated[Source, *part_field("source")]
    population: Population | None = None
    sample: Annotated[Design, *part_field("sample")]
    test_records: Literal["public", "secret"] = "public"
    shared_sample: bool = False
    samples: Annotated[int, Field(ge=1, le=100)] = Field(default=1, exclude_if=_is_one)
    questions: Literal["shared", "per attacker"] = Field(default="shared", exclude_if=_is_shared)
    targets_each: Annotated[int, Field(ge=2)] | None = Field(default=None, exclude_if=_is_none)
    model: ModelRule | None = Field(default=None, exclude_if=_is_none)
    repeats: Annotated[int, Field(ge=1, le=10_000)] = 1
    knowledge: KnowledgeGiven = KnowledgeGiven()
    sanitizer: tuple[SanitizerGrid, ...] = ()
    rule: tuple[Annotated[Rule, *part_field("rule")], ...] = ()
    privacy: tuple[MeasuredPrivacy, ...] = ()
    utility: tuple[MeasuredUtility, ...] = ()
    given: tuple[Given, ...] = Field(default=(), exclude_if=_is_empty)
    derived: tuple[Derived, ...] = ()
    board: tuple[RankedBoard, ...] = Field(min_length=1)
    phase: tuple[Phase, ...] = (Phase(id="attack", submit="guess"),)
    baseline: tuple[Baseline, ...] = ()
    feedback: Feedback = Feedback()
    files: FileFormat = FileFormat()

    @cached_property
    def entries(self) -> dict[str, Sanitizer]:
        """The sanitizers that the organisers run, by the id of their entry."""
        return {name: part for grid in self.sanitizer for name, part in grid.entries()}

    @property
    def aims(self) -> tuple[TrackGoal, ...]:
        """The goals of the track, each with what its attackers know; nearly always one."""
        listed = self.goal if isinstance(self.goal, tuple) else (TrackGoal.only(self.goal),)
        weights = self.model is not None and self.model.queries is None
        return tuple(aim.within(self.knowledge, weights=weights) for aim in listed)

    @property
    def attack_aims(self) -> tuple[TrackGoal, ...]:
        """The goals of attackers; none in a track that nobody attacks."""
        return tuple(aim for aim in self.aims if not aim.goal.asks_nothing)

    def aim(self, goal: str) -> TrackGoal:
        """The goal with this id; the only goal of a track has the id ""."""
        return next(aim for aim in self.aims if aim.id == goal)

    @property
    def goal_names(self) -> list[str]:
        """Each goal with the track in front: "main/member"; "main" if it is the only one."""
        return [f"{self.id}/{aim.id}" if aim.id else self.id for aim in self.aims]

    def towards(self, goal: str) -> Track:
        """The track with this goal alone: its measures of guesses and its phases."""
        privacy = (
            measured
            for measured in self.privacy
            if measured in self.release_measures or measured.goal == goal
        )
        phases = (p for p in self.phase if p.submit == "release" or p.takes(goal))
        update = {"privacy": tuple(privacy), "phase": tuple(phases)}
        if isinstance(self.goal, tuple):
            update["goal"] = tuple(aim for aim in self.goal if aim.id == goal)
        return self.model_copy(update=update)

    @property
    def gives(self) -> frozenset[Fact]:
        """The facts that attackers get for any goal: the same teams attack all of them."""
        return frozenset(fact for aim in self.aims for fact in aim.threat.facts)

    @property
    def headline(self) -> str:
        """The title, or else what the goals ask for."""
        return self.title or " ".join(aim.summary for aim in self.aims)

    def threat_rows(self) -> list[tuple[str, str]]:
        """The threat model in sentences, each under its aspect; goals apart where they differ."""
        every = [(aim.id, dict(aim.threat.rows())) for aim in self.aims]
        rows = []
        for aspect in every[0][1]:
            by_goal = {goal: sentences[aspect] for goal, sentences in every}
            alike = len(set(by_goal.values())) == 1
            shown = {"": by_goal[every[0][0]]} if alike else by_goal
            rows += [(aspect, f"{goal}: {text}" if goal else text) for goal, text in shown.items()]
        return rows

    def show(self, release: Release) -> Release:
        """The release as attackers see it, with the facts that they get."""
        return ThreatModel.giving(self.aims[0].goal, self.gives).show(release)

    @property
    def guess_measures(self) -> tuple[MeasuredPrivacy, ...]:
        """The measures of guesses; the first decides which of several attempts is best."""
        return tuple(
            measured for measured in self.privacy if isinstance(measured.measure, GuessMeasure)
        )

    def measures_for(self, goal: str) -> tuple[MeasuredPrivacy, ...]:
        """The measures of guesses at one goal; the first fills the matrix of the goal."""
        return tuple(measured for measured in self.guess_measures if measured.goal == goal)

    @property
    def finders(self) -> dict[str, GuessMeasure]:
        """By goal, the measure that says which records were found, where a board needs to know."""
        used = {goal for board in self.board for goal in board.rule.uses_found}
        out: dict[str, GuessMeasure] = {}
        for measured in self.guess_measures:
            tells = isinstance(measured.measure, GuessMeasure) and measured.measure.finds_records
            if tells and measured.goal in used:
                out.setdefault(measured.goal, cast(GuessMeasure, measured.measure))
        return out

    @property
    def release_measures(self) -> tuple[EditionMeasure, ...]:
        """The measures of releases: those of utility, then those of privacy."""
        listed: tuple[EditionMeasure, ...] = (*self.utility, *self.privacy)
        return tuple(
            measured for measured in listed if isinstance(measured.measure, ReleaseMeasure)
        )

    @property
    def numbers_rows(self) -> bool:
        """Whether each row of a release names the private record that it was made from."""
        measures = (measured.measure for measured in self.release_measures)
        needed = self.needs_origins or any(isinstance(m, RecordMeasure) for m in measures)
        return needed and not self.origin_column

    @property
    def needs_origins(self) -> bool:
        """Whether a goal asks which private record each published record was made from."""
        return any(aim.goal.needs_origins for aim in self.aims)

    @property
    def origin_column(self) -> str:
        """The column of the data that names the private records; empty if there is none."""
        return find_shape(self.dataset.data_schema().shape).origin_column

    def release_schema(self, private: Schema) -> Schema:
        """The columns of a release of data with these columns: the same, or those of a model."""
        if self.model is None:
            return private
        phase = self.phase_for("release")
        answers = phase is not None and isinstance(phase.contract, AnswerContract)
        form = self.model.form(private)
        kinds = (*form.architectures, *(["answers"] if answers else []))
        return model_schema(form.model_copy(update={"architectures": kinds}))

    def published_schema(self, private: Schema) -> Schema:
        """The columns of a release as attackers get it: of a black box, answers alone."""
        if self.model is None or self.model.queries is None:
            return self.release_schema(private)
        seen = self.model.form(private).model_copy(update={"architectures": ("answers",)})
        return model_schema(seen)

    @property
    def formats(self) -> tuple[str, str]:
        """The formats in which attackers get a release and its question."""
        return self.files.data if self.model is None else MODEL_FILE, self.files.data

    @property
    def release_name(self) -> str:
        """The name of a team's release, with placeholders."""
        ending = "csv" if self.model is None else MODEL_FILE
        return self.files.release or f"release.{ending}"

    @property
    def population_size(self) -> int | None:
        """The number of records of the population, if the rules give it."""
        if self.population is not None and self.population.take is not None:
            return self.population.take
        return self.dataset.rows

    @property
    def tests_in_secret(self) -> bool:
        """Whether only the judge has the records that test utility."""
        return self.test_records == "secret"

    @property
    def choices(self) -> tuple[int | None, ...]:
        """The numbers of a team's private samples; a single sample has no number."""
        return (None,) if self.samples == 1 else tuple(range(1, self.samples + 1))

    @property
    def asks_each(self) -> bool:
        """Whether every attacker has a question of its own."""
        return self.questions == "per attacker"

    @property
    def teams_release(self) -> bool:
        """Whether teams submit releases, not only guesses."""
        return any(phase.submit == "release" for phase in self.phase)

    def phase_for(self, submit: str) -> Phase | None:
        """The phase in which teams submit a "release" or a "guess", or None."""
        return next((phase for phase in self.phase if phase.submit == submit), None)

    def takes_program(self, submit: str, team: str) -> bool:
        """Whether a team submits a program instead of a file; baselines never do."""
        phase = self.phase_for(submit)
        called = phase is not None and phase.contract is not None
        return called and team not in {baseline.id for baseline in self.baseline}

    def shows_sample(self, team: str) -> bool:
        """Whether a team sees its private sample; code of teams gets it from the judge alone."""
        phase = self.phase_for("release")
        contract = phase.contract if phase is not None else None
        return contract is None or contract.gives_sample or not self.takes_program("release", team)

    def directions(self) -> dict[str, Direction]:
        """Every reading of releases, measured, given or derived, and which direction is better."""
        better = {
            name: how for measured in self.release_measures for name, how in measured.reads.items()
        }
        better |= {given.name: given.better for given in self.given}
        for derived in self.derived:
            better[derived.name] = derived.better or better[derived.of[0]]
        return better

    def with_derived(self, readings: Mapping[str, Reading]) -> dict[str, Reading]:
        """The readings with every derived one whose parts are there; a given one stays as it is."""
        out = dict(readings)
        for derived in self.derived:
            if derived.name not in out and all(name in out for name in derived.names):
                out[derived.name] = derived.reading(out)
        return out

    def with_given(
        self, readings: Mapping[str, Reading], entry: str, owner: str | None
    ) -> dict[str, Reading]:
        """The readings of an entry with those from outside, and those derived from them."""
        given = {reading.name: reading.reading(entry, owner) for reading in self.given}
        return self.with_derived({**readings, **given})

    @property
    def gates(self) -> dict[str, Gate]:
        """The gate of every reading of releases that has one: measured, given and derived ones."""
        every: dict[str, Gate] = {}
        for measured in self.release_measures:
            every |= measured.gate_of_each
        every |= {given.name: given.gate for given in self.given}
        every |= {derived.name: derived.gate for derived in self.derived}
        return {name: gate for name, gate in every.items() if gate.bounds}

    @property
    def measured_gates(self) -> dict[str, Gate]:
        """The gates that need nothing from outside: a measured release passes or fails them."""
        given = {reading.name for reading in self.given}
        return {
            name: gate for name, gate in self.gates.items() if given.isdisjoint(self.rests_on(name))
        }

    def rests_on(self, name: str) -> frozenset[str]:
        """The measured and given readings from which a reading of releases is computed."""
        for derived in self.derived:
            if derived.name == name:
                return frozenset().union(*map(self.rests_on, derived.names))
        return frozenset({name})

    def ask_gates(self, readings: Readings) -> dict[str, list[str]]:
        """For each gate, one sentence per bound that a release fails, with the difference.

        Nobody asks a gate as long as somebody has to give what its reading rests on.
        """
        absent = {
            given.name
            for given in self.given
            if given.name not in readings or not readings[given.name].measured
        }
        out: dict[str, list[str]] = {}
        for name, gate in self.gates.items():
            reading = readings.get(name)
            if reading is None or not (reading.measured or absent.isdisjoint(self.rests_on(name))):
                continue
            out[name] = list(gate.failures(name, reading))
        return out

    def failed_gates(self, readings: Readings) -> dict[str, list[str]]:
        """The gates that a release fails, each with its sentences."""
        return {name: failures for name, failures in self.ask_gates(readings).items() if failures}

    def gate_failures(self, readings: Readings) -> list[str]:
        """Why a release is disqualified, and by how much; empty if it passes every gate."""
        return [*itertools.chain.from_iterable(self.failed_gates(readings).values())]


class Edition(EditionTable):
    """All the rules of a contest.

    Parameters
    ----------
    made_with : how the file was read; it is recorded then, and a file cannot set it.
    overall : boards over all tracks; they name the boards of a track as "track/board".
    cohorts : groups of teams by a hash of their ids, and what the groups decide.
    reveal : whether the archive after the contest has the original data; without them, nobody
        outside can make samples and releases again.
    """

    format: Literal["quintain.edition/1"] = "quintain.edition/1"
    id: Id
    title: str
    description: str = ""
    cite: str = ""
    team: tuple[Team, ...] = ()
    limits: Limits = Limits()
    commitment: CommitmentRule = CommitmentRule()
    track: tuple[Track, ...] = Field(min_length=1)
    overall: tuple[RankedBoard, ...] = ()
    award: tuple[Award, ...] = ()
    cohorts: Cohorts | None = Field(default=None, exclude_if=_is_none)
    reveal: Literal["with-data", "without-data"] = Field(
        default="with-data", exclude_if=_is_with_data
    )
    made_with: MadeWith = MadeWith()

    @property
    def teams_release(self) -> bool:
        """Whether teams submit releases in some track."""
        return any(track.teams_release for track in self.track)

    def track_by_id(self, track: str) -> Track:
        """The track with this id."""
        return next(t for t in self.track if t.id == track)

    def to_bytes(self) -> bytes:
        """The rules as they are published and committed to, with every default written out."""
        table = plain(self)
        if self.made_with == MadeWith():
            del table["made_with"]
        return canonical_json(table)
