"""Contract: how the organisers call a program that a team submits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, ClassVar, Literal

from quintain.data import Data, ModelForm, Schema, Table, TrainedModel
from quintain.data.arrays import Rows
from quintain.errors import Faults
from quintain.guesses import Guess, Question
from quintain.programs.sandbox.provider import Sandbox
from quintain.randomness.noise import Noise
from quintain.randomness.seeds import SeedTree
from quintain.registry import Part
from quintain.releases import ReleaseCard
from quintain.wording.languages import tell

Role = Literal["release", "guess"]
"""What a program makes: a release or a guess."""

Noun = Literal["program", "recipe"]
"""What teams call the file that they submit."""

Program = Mapping[str, bytes]
"""The files of a program, by path."""


@dataclass(frozen=True, slots=True)
class Draws:
    """The random numbers of one run.

    Parameters
    ----------
    seed : for code of a team, which may know it.
    seeds, noise : for the organisers' own parts; nobody knows them before the end.
    """

    seed: int
    seeds: SeedTree
    noise: Noise

    @classmethod
    def fresh(cls) -> Draws:
        """Random numbers that nobody can guess."""
        seeds = SeedTree.fresh()
        return cls(int(seeds.rng("seed").integers(2**31)), seeds, Noise.from_os())

    @classmethod
    def for_test(cls, seed: int) -> Draws:
        """Random numbers that anybody can repeat."""
        return cls(seed, SeedTree.from_int(seed), Noise.for_test(seed))


@dataclass(frozen=True, slots=True, eq=False)
class Queries:
    """What a program is asked that answers in place of a model.

    Parameters
    ----------
    form : what the model reads and predicts.
    records : the records that it is asked about, each once, in an order that tells nothing.
    """

    form: ModelForm
    records: Table


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """What a program made of private data.

    Parameters
    ----------
    data : the records of the release.
    origins : for each record the private record that it was made from, if that is known.
    card, log : the facts about the release and a log of the run, where the judge knows them.
    """

    data: Data
    origins: Rows | None = None
    card: ReleaseCard | None = None
    log: bytes = b""


class Contract(Part, ABC):
    """Defines how the organisers call a program, and what the program must return.

    What a program is called for, the classes below say: a contract is one of them, or several.

    Attributes
    ----------
    shape : the kind of data that the programs read, by the name of its shape.
    roles : what the programs can make.
    noun : what teams call what they submit.
    is_code : whether a program is code of a team, which only a sandbox may run.
    ending : how the name of a submitted file ends; only a zip is unpacked.
    """

    family: ClassVar[str] = "contract"
    shape: ClassVar[str]
    roles: ClassVar[tuple[Role, ...]]
    noun: ClassVar[Noun] = "program"
    is_code: ClassVar[bool] = True
    ending: ClassVar[str] = ".zip"

    @property
    def gives_sample(self) -> bool:
        """Whether a team sees the private sample from which its program makes a release."""
        return False

    @abstractmethod
    def check(self, role: Role, program: Program, faults: Faults) -> None:
        """Note every fault that makes it impossible to call the program."""

    def check_columns(self, program: Program, schema: Schema, faults: Faults) -> None:
        """Note every reason why the program cannot work on these columns; code has to run first."""
        return

    def rules(self) -> list[str]:
        """What a program may contain, in sentences; empty where the contract says it all."""
        return []

    def list_steps(self, program: Program) -> list[dict[str, Any]]:
        """The steps of a program that was accepted, as plain tables; code has none."""
        return []

    @abstractmethod
    def example(self, role: Role) -> Program:
        """The files of a simple program that teams can start from."""


class ReleaseContract(Contract):
    """A contract under which a program makes a release of private data."""

    roles: ClassVar[tuple[Role, ...]] = ("release",)

    @abstractmethod
    def release(self, program: Program, private: Data, *, draws: Draws, sandbox: Sandbox) -> Made:
        """Run a program to make a release; a ``ProgramError`` says why it made none."""


class AnswerContract(Contract):
    """A contract under which a program answers in place of a model, so answers are its release."""

    roles: ClassVar[tuple[Role, ...]] = ("release",)

    @abstractmethod
    def answer(
        self, program: Program, queries: Queries, *, draws: Draws, sandbox: Sandbox
    ) -> TrainedModel:
        """Ask a program about every record; a ``ProgramError`` says why it gave no answers."""


class GuessContract(Contract):
    """A contract under which a program answers questions about releases.

    Attributes
    ----------
    answers : the kinds of question that the programs can answer.
    """

    roles: ClassVar[tuple[Role, ...]] = ("guess",)
    answers: ClassVar[tuple[type[Question], ...]]

    @abstractmethod
    def guess(
        self, program: Program, question: Question, release: Data, *, seed: int, sandbox: Sandbox
    ) -> Guess:
        """Run a program to answer a question; a ``ProgramError`` says why it gave no answer."""


# Modules: what contracts share whose programs are Python files in a zip.


def has_module(program: Program, name: str) -> bool:
    """Whether a program has a module, as a file or as a package, in the root of its zip.

    >>> has_module({"model/__init__.py": b""}, "model"), has_module({"src/model.py": b""}, "model")
    (True, False)
    """
    return f"{name}.py" in program or f"{name}/__init__.py" in program


def check_module(program: Program, name: str, faults: Faults) -> None:
    """Note that a program does not have the module that is called."""
    if not has_module(program, name):
        faults.add(
            tell("needs %(name)s.py, or a package %(name)s, in the root of the zip", name=name)
        )


def example_module(folder: str, name: str) -> Program:
    """A program of one module from the examples of this package."""
    place = resources.files("quintain.programs") / "examples" / folder
    return {f"{name}.py": (place / f"{name}.py").read_bytes()}
