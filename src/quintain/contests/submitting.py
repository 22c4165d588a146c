"""Submitting: the phases of a contest, and the names and formats of what teams submit."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from quintain.contests.fields import EditionTable, part_field
from quintain.contests.ids import Id
from quintain.data import ModelForm, Schema
from quintain.data.schema import Architecture
from quintain.data.shape import find_shape
from quintain.data.transactions import PERSON_ROLES
from quintain.programs import Contract
from quintain.wording.languages import in_context, say, say_commas, write_grouped

DATASET = "dataset.csv"

QUERIES = "QUERIES-"
"""How the name of a file begins with queries that attackers chose."""


PDF = b"%PDF-"
"""How a PDF begins; nobody opens more of it."""


READ_BYTES = 5_000_000
"""The largest artefact that is opened: a report or a list, not a model."""


FileName = Annotated[str, Field(pattern=r"^[A-Za-z0-9._{}-]{1,200}$")]


_PLACEHOLDERS: Mapping[str, set[str]] = {
    "release": {"team"},
    "private": {"team"},
    "truth": {"team"},
    "base": set(),
}


_OPTIONAL: Mapping[str, set[str]] = {"release": {"sample"}}


class Artefact(EditionTable):
    """A further file of a submission, such as a model or a report.

    The judge stores it and says what it is called. No rule, attack or measure reads it.

    Parameters
    ----------
    name : what the artefact is, in a word: "model".
    file : its file name, with {track} and {team} where they go.
    kind : "any" file is never opened. A "text" is UTF-8, such as Markdown, a "pdf" begins like one,
        a "json" is valid JSON, and a "table" has the columns of the data; such a file is refused if
        it is something else.
    required : whether a submission without it is refused.
    max_bytes : its largest size; the limits of the edition hold as well.
    published : "with-release": attackers get it with the release. "after": it is part of the
        archive that the organisers reveal. "never": of this file, only the hash is revealed.

    >>> Artefact(name="model", file="model-{team}.npz").file_name("main", "red")
    'model-red.npz'
    """

    name: Id
    file: FileName
    kind: Literal["any", "text", "pdf", "json", "table"] = "any"
    required: bool = False
    max_bytes: Annotated[int, Field(ge=1)] = READ_BYTES
    published: Literal["never", "after", "with-release"] = "after"

    @model_validator(mode="after")
    def _plain(self) -> Self:
        rest = re.sub(r"\{(track|team)\}", "", self.file)
        if "{" in rest or "}" in rest:
            raise ValueError("file may contain {track} and {team}, and no other brace")
        if self.kind != "any" and self.max_bytes > READ_BYTES:
            raise ValueError(
                f"max_bytes is {self.max_bytes}; the limit for a file that the judge opens is "
                f'{READ_BYTES}: allow fewer bytes, or kind = "any"'
            )
        return self

    def file_name(self, track: str, team: str) -> str:
        """The name of the file that a team submits."""
        return self.file.format(track=track, team=team)

    def fits(self, template: str) -> bool:
        """Whether a file of the contest, named after a template, could have the same name.

        >>> artefact = Artefact(name="model", file="model.csv")
        >>> artefact.fits("{task}.csv"), artefact.fits("release.csv")
        (True, False)
        """
        names = re.split(r"\{\w+\}", template)
        pattern = ".+".join(re.escape(name) for name in names)
        return re.fullmatch(pattern, self.file_name("track", "team")) is not None

    def words(self) -> str:
        """What the rules say about it, for people."""
        when = {
            "never": say("never published"),
            "after": say("published after the contest"),
            "with-release": say("published with the release"),
        }
        size = say("at most %(n)s bytes", n=write_grouped(self.max_bytes))
        need = (
            say(in_context("a file", "required"))
            if self.required
            else say(in_context("a file", "not required"))
        )
        kind = [] if self.kind == "any" else [self.kind]
        return say_commas([*kind, size, need, when[self.published]])


def _is_none(value: object) -> bool:
    return value is None


class ModelRule(EditionTable):
    """Releases are classifiers that learned from the private records, and not records.

    Parameters
    ----------
    label : the category that a model predicts from all other columns.
    architectures : the kinds of model that are accepted: "logistic", "network", "forest".
    most_layers : the most layers of weights of a network.
    most_width : the most units in a layer.
    most_nodes : the most nodes of all trees of a forest together.
    queries : if given, attackers get no weights but the answers of a model to so many queries:
        about every record that their question names, then about people of the population, if
        attackers get it. Without it they get the weights.
    own_queries : if given, every attacker may put so many queries of its own choice to each model
        beside these, and gets the answers.
    """

    label: str
    architectures: Annotated[tuple[Architecture, ...], Field(min_length=1)] = (
        "logistic",
        "network",
        "forest",
    )
    most_layers: Annotated[int, Field(ge=1, le=8)] = 4
    most_width: Annotated[int, Field(ge=1, le=4096)] = 512
    most_nodes: Annotated[int, Field(ge=1, le=1_000_000)] = 100_000
    queries: Annotated[int, Field(ge=1, le=1_000_000)] | None = Field(
        default=None, exclude_if=_is_none
    )
    own_queries: Annotated[int, Field(ge=1, le=100_000)] | None = Field(
        default=None, exclude_if=_is_none
    )

    @model_validator(mode="after")
    def _black_box(self) -> Self:
        if self.own_queries is not None and self.queries is None:
            raise ValueError(
                "own_queries is for models that attackers do not see; give queries, too"
            )
        return self

    def form(self, private: Schema) -> ModelForm:
        """What models of records with these columns read and predict."""
        rules = self.model_dump(exclude={"queries", "own_queries"})
        return ModelForm(columns=private.attributes, **rules)


def _is_empty(value: tuple[Artefact, ...]) -> bool:
    return not value


class Phase(EditionTable):
    """A period in which teams may submit something; without dates it is always open.

    Parameters
    ----------
    submit : what teams submit: a "release" of their private data, or a "guess".
    contract : if given, teams submit a program that makes the release or the guess; the contract
        says how the organisers call it.
    opens, closes : when the phase begins and ends, in UTC.
    per_day, total : how many submissions a team may make per day and in total.
    per_file : how often a team may submit a file of the same name, that is, attempts per task.
    keep : how many of a team's last releases count, each as a separate entry.
    artefact : further files of each submission, such as a model or a report.
    counts : which of several guesses at one task counts: the "last", or the "best" for the
        attacker.
    goal : the id of the only goal that the guesses answer, if the track has several; without it,
        teams may answer all of them.
    """

    id: Id
    submit: Literal["release", "guess"]
    contract: Annotated[Contract, *part_field("contract")] | None = None
    opens: datetime | None = None
    closes: datetime | None = None
    per_day: Annotated[int, Field(ge=1)] | None = None
    total: Annotated[int, Field(ge=1)] | None = None
    per_file: Annotated[int, Field(ge=1)] | None = None
    keep: Annotated[int, Field(ge=1)] = 1
    counts: Literal["last", "best"] = "last"
    artefact: tuple[Artefact, ...] = Field(default=(), exclude_if=_is_empty)
    goal: str = Field(default="", exclude_if=lambda goal: not goal)

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        if self.submit == "guess" and self.keep != 1:
            raise ValueError("keep is for releases; for guesses, use counts")
        if self.submit == "release" and (self.per_file is not None or self.counts != "last"):
            raise ValueError("per_file and counts are for guesses; for releases, use keep")
        return self

    @model_validator(mode="after")
    def _artefacts(self) -> Self:
        for key in ("name", "file"):
            given = [getattr(artefact, key).lower() for artefact in self.artefact]
            for text in given:
                if given.count(text) > 1:
                    raise ValueError(f"two artefacts have the {key} {text!r}; choose another")
        if self.artefact and self.contract is not None:
            raise ValueError("a program is one file; leave the artefacts or the contract out")
        if self.contract is not None and self.submit not in self.contract.roles:
            raise ValueError(f"{self.contract.id} makes no {self.submit}; use another contract")
        for artefact in self.artefact:
            if artefact.published == "with-release" and self.submit == "guess":
                raise ValueError(f"artefact {artefact.name}: guesses come with no release")
        return self

    def takes(self, goal: str) -> bool:
        """Whether teams may answer a goal in this phase.

        >>> Phase(id="first", submit="guess", goal="member").takes("attr")
        False
        """
        return self.submit == "guess" and self.goal in ("", goal)

    def meets(self, other: Phase) -> bool:
        """Whether there is a moment at which both phases are open."""
        ends = (self.opens, other.closes), (other.opens, self.closes)
        return all(opens is None or closes is None or opens < closes for opens, closes in ends)

    @property
    def submits(self) -> Literal["release", "guess", "program", "recipe"]:
        """What teams send: a release, a guess, or what makes one of them."""
        return self.submit if self.contract is None else self.contract.noun

    def artefacts(self, track: str, team: str) -> dict[str, Artefact]:
        """The further files of a team's submission, by their names."""
        return {artefact.file_name(track, team): artefact for artefact in self.artefact}

    @model_validator(mode="after")
    def _dates(self) -> Self:
        moments = [moment for moment in (self.opens, self.closes) if moment is not None]
        local = [str(moment) for moment in moments if moment.utcoffset() != timedelta(0)]
        if local:
            raise ValueError(
                "write times in UTC with the hour and a Z, like 2026-05-01T12:00:00Z, not "
                f"{' and '.join(local)}"
            )
        if self.opens and self.closes and self.opens >= self.closes:
            raise ValueError(f"closes at {self.closes}, which is not after it opens: {self.opens}")
        return self


class FileFormat(EditionTable):
    """The names and the format of the files of a contest.

    Parameters
    ----------
    header : whether data files and guesses start with a line of column names.
    strict : refuse byte order marks and carriage returns.
    deleted : what a deleted row of transactions has in place of the person; empty by default.
    data : whether releases and questions are published as "csv", or as "parquet" for data that
        are too large to be read as text.
    guess : the name of a guess, with {track}, {task} and {attacker}.
    release, private, truth : the names of a team's release, of the private sample that the team
        gets, and of the secret answer about it, with {track} and {team}. If an edition gives the
        name of releases, a release under another name is refused. Where teams choose among several
        samples, {sample} in the name of a release says which one it is made from.
    base : the name of the file with the population, with {track}.
    dataset : the name of the file with the data set that the population was made from.
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
    dataset: FileName = Field(default=DATASET, exclude_if=lambda name: name == DATASET)

    @model_validator(mode="after")
    def _guess_of_a_task(self) -> Self:
        rest = re.sub(r"\{(track|task|attacker)\}", "", self.guess)
        if "{" in rest or "}" in rest:
            raise ValueError("guess may contain {track}, {task} and {attacker}, and no other brace")
        return self

    @model_validator(mode="after")
    def _unique(self) -> Self:
        for key, wanted in _PLACEHOLDERS.items():
            if getattr(self, key) is None:
                continue
            given = set(re.findall(r"\{(\w*)\}", getattr(self, key)))
            if given - {"track"} - _OPTIONAL.get(key, set()) != wanted:
                need = ", ".join(f"{{{name}}}" for name in sorted(wanted)) or "{track} at most"
                raise ValueError(f"{key} must contain {need}")
        return self

    def spell_deleted(self, schema: Schema) -> Schema:
        """The schema with this format's way to write the person of a deleted row."""
        person = next((c for c in schema.columns if c.role in PERSON_ROLES), None)
        in_place = find_shape(schema.shape).deletes_in_place
        if not self.deleted or not in_place or person is None:
            return schema
        spelled = person.model_copy(update={"nullable": True, "missing": self.deleted})
        columns = tuple(spelled if c is person else c for c in schema.columns)
        return schema.model_copy(update={"columns": columns})
