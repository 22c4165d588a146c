"""Edition: the whole of a contest as one declarative file.

The vocabulary is that of SNAKE's generic structure (2023, Table 1): an edition has tracks; a track
has a time period, a base dataset, sanitization algorithms under attack, an attack goal, success
measures and teams. Anything a file cannot say is a new registered part, never a special case.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from quintain.attacks import Attack, Fact, ThreatModel
from quintain.commitment import canonical_json
from quintain.contests.fields import (
    Derived,
    Id,
    Measured,
    MeasuredPrivacy,
    MeasuredUtility,
    Model,
    RankedBoard,
    SanitizerGrid,
    part_field,
)
from quintain.contests.made_with import MadeWith
from quintain.contests.phase import Phase
from quintain.contests.plain import plain
from quintain.data import Limits, Schema
from quintain.data.sources.source import Source
from quintain.data.transactions import PERSON_ROLES
from quintain.guesses import Goal
from quintain.measures import GuessMeasure, ReleaseMeasure
from quintain.releases import Rule
from quintain.samples import Design
from quintain.sanitizers import Sanitizer


class Team(Model):
    """A team; ``competing`` is false for committee members and others without a rank."""

    id: Id
    name: str = ""
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


class KnowledgeGiven(Model):
    """What attackers are given beside the release and the question."""

    gives: tuple[Fact, ...] = ("base", "parameters", "code", "methods", "claim")


class Feedback(Model):
    """What teams may see of scores before the end. Every shown score leaks labels.

    "none": nothing. "rounded": rounded to ``digits``. "ladder": a new score only if it beats the
    last one shown by ``step``, and then rounded to ``step``. "full": everything, at once.
    """

    show: Literal["none", "rounded", "ladder", "full"] = "none"
    digits: Annotated[int, Field(ge=0, le=6)] = 1
    step: Annotated[float, Field(gt=0)] = 0.1


FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9._{}-]{1,200}$")]
_PLACEHOLDERS: Mapping[str, set[str]] = {
    "release": {"team"},
    "private": {"team"},
    "truth": {"team"},
    "base": set(),
}


class FileFormat(Model):
    """How files are written and called.

    Parameters
    ----------
    header : whether data files and guesses start with a line of column names.
    strict : refuse byte order marks and carriage returns.
    deleted : how transactions write the person of a deleted row that keeps its place; without it
        such a cell is empty.
    data : whether releases and questions are published as "csv", or as "parquet" for data that
        are too large to be read as text.
    guess : how a guess is called, with {track}, {task} and {attacker}.
    release, private, truth : how a team's release, the private sample it is given and the secret
        answer about it are called, with {track} and {team}. A release under another name is
        refused if the edition names it.
    base : how the population is called, with {track}.
    """

    header: bool = True
    strict: bool = False
    deleted: str = ""
    data: Literal["csv", "parquet"] = "csv"
    guess: FileName = "{task}.csv"
    release: FileName | None = None
    private: FileName = "{track}_private_{team}.csv"
    truth: FileName = "{track}_truth_{team}.csv"
    base: FileName = "{track}_base.csv"

    @model_validator(mode="after")
    def _unique(self) -> Self:
        for key, wanted in _PLACEHOLDERS.items():
            if getattr(self, key) is None:
                continue
            given = set(re.findall(r"\{(\w*)\}", getattr(self, key)))
            if given - {"track"} != wanted:
                need = ", ".join(f"{{{name}}}" for name in sorted(wanted)) or "{track} at most"
                raise ValueError(f"{key} must hold {need}")
        return self

    def spelled(self, schema: Schema) -> Schema:
        """A schema of transactions that writes the person of a deleted row as the files do."""
        person = next((c for c in schema.columns if c.role in PERSON_ROLES), None)
        if not self.deleted or schema.shape != "transactions" or person is None:
            return schema
        spelled = person.model_copy(update={"nullable": True, "missing": self.deleted})
        columns = tuple(spelled if c is person else c for c in schema.columns)
        return schema.model_copy(update={"columns": columns})


class CommitmentRule(Model):
    """How the organisers bind themselves before a phase opens.

    "sha512-unsalted" publishes plain hashes besides, as SNAKE 1 did; they can be undone, and
    ``quintain lint`` says at what cost.
    """

    algorithm: Literal["sha256-salted-merkle", "sha512-unsalted"] = "sha256-salted-merkle"


class Population(Model):
    """A population made from the data set, so that no private sample has records of the real one.

    Parameters
    ----------
    generator : the sanitizer that makes it.
    distinct : drop repeated records.
    take : then keep so many, drawn at random.
    """

    generator: Annotated[Sanitizer, *part_field("sanitizer")]
    distinct: bool = False
    take: Annotated[int, Field(ge=1)] | None = None


class Award(Model):
    """A prize: for the first places of a board, or by a jury's decision.

    Parameters
    ----------
    board : "track/board", or a board over all tracks.
    places : how many ranks of it are awarded; equal ranks share.
    winners : instead of a board, whom a jury chose.
    """

    title: str
    board: str | None = None
    places: Annotated[int, Field(ge=1)] = 1
    winners: tuple[str, ...] = ()


class Track(Model):
    """One contest of an edition: data, sanitizers or teams that make releases, attackers, boards.

    Parameters
    ----------
    population : a population to be made from the data set; the data set itself if not given.
    privacy : what is found out about people, from guesses or from the releases themselves; the
        first that reads guesses fills the matrix.
    utility : what releases are still good for.
    derived : readings of releases that are computed from others.
    test_records : whether everybody sees the records that utility is tested on. Where teams make
        releases, somebody could hand in just these; kept secret, utility is measured by the judge
        alone.
    repeats : how many times the experiment is repeated for each of the organisers' sanitizers.
    shared_sample : all entries are releases of one and the same private sample.
    """

    id: Id = "main"
    title: str = ""
    goal: Annotated[Goal, *part_field("goal")]
    dataset: Annotated[Source, *part_field("source")]
    population: Population | None = None
    sample: Annotated[Design, *part_field("sample")]
    test_records: Literal["public", "secret"] = "public"
    shared_sample: bool = False
    repeats: Annotated[int, Field(ge=1, le=10_000)] = 1
    knowledge: KnowledgeGiven = KnowledgeGiven()
    sanitizer: tuple[SanitizerGrid, ...] = ()
    rule: tuple[Annotated[Rule, *part_field("rule")], ...] = ()
    privacy: tuple[MeasuredPrivacy, ...] = Field(min_length=1)
    utility: tuple[MeasuredUtility, ...] = ()
    derived: tuple[Derived, ...] = ()
    board: tuple[RankedBoard, ...] = Field(min_length=1)
    phase: tuple[Phase, ...] = (Phase(id="attack", submit="guess"),)
    baseline: tuple[Baseline, ...] = ()
    feedback: Feedback = Feedback()
    files: FileFormat = FileFormat()

    @cached_property
    def entries(self) -> dict[str, Sanitizer]:
        """The organisers' entries, by id."""
        return {name: part for grid in self.sanitizer for name, part in grid.entries()}

    @property
    def threat(self) -> ThreatModel:
        """Whom releases are to be protected from."""
        return ThreatModel.giving(self.goal, self.knowledge.gives)

    @property
    def guess_measures(self) -> tuple[MeasuredPrivacy, ...]:
        """What is read from guesses; the first decides between several attempts."""
        return tuple(one for one in self.privacy if isinstance(one.measure, GuessMeasure))

    @property
    def release_measures(self) -> tuple[Measured, ...]:
        """What is read from releases: their utility, then what they give away."""
        listed: tuple[Measured, ...] = (*self.utility, *self.privacy)
        return tuple(one for one in listed if isinstance(one.measure, ReleaseMeasure))

    @property
    def population_size(self) -> int | None:
        """How many records the population has, where the rules say so."""
        if self.population is not None and self.population.take is not None:
            return self.population.take
        return self.dataset.rows

    @property
    def teams_release(self) -> bool:
        """Whether teams hand in releases of their own."""
        return any(phase.submit == "release" for phase in self.phase)

    def phase_for(self, submit: str) -> Phase | None:
        """The phase in which something is handed in."""
        return next((phase for phase in self.phase if phase.submit == submit), None)

    def takes_program(self, submit: str, team: str) -> bool:
        """Whether a team hands in a program; what baselines make is made already."""
        phase = self.phase_for(submit)
        called = phase is not None and phase.contract is not None
        return called and team not in {baseline.id for baseline in self.baseline}


class Edition(Model):
    """A contest.

    Parameters
    ----------
    made_with : how the file was read; set when it is read, not written in it.
    overall : boards over all tracks; they see the boards of every track as "track/board".
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
    made_with: MadeWith = MadeWith()

    def track_by_id(self, track: str) -> Track:
        """A track by its id."""
        return next(t for t in self.track if t.id == track)

    def to_bytes(self) -> bytes:
        """The rules as they are published and committed to: every default spelled out."""
        table = plain(self)
        if self.made_with == MadeWith():
            del table["made_with"]
        return canonical_json(table)
