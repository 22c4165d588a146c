"""Contract: how the organisers call a program that a team submits."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Literal

from quintain.data import Data
from quintain.errors import Faults
from quintain.guesses import Guess, Question
from quintain.programs.sandbox.provider import Sandbox
from quintain.registry import Part

Role = Literal["release", "guess"]
"""What a program makes: a release or a guess."""

Program = Mapping[str, bytes]
"""The files of a program, by path."""


class Contract(Part, ABC):
    """Defines how the organisers call a program, and what the program must return.

    Attributes
    ----------
    shape : the kind of data that the programs read, by the name of its shape.
    answers : the kinds of question that the programs can answer.
    """

    family: ClassVar[str] = "contract"
    shape: ClassVar[str]
    answers: ClassVar[tuple[type[Question], ...]]

    @abstractmethod
    def check(self, role: Role, program: Program, faults: Faults) -> None:
        """Note every fault that makes it impossible to call the program."""

    @abstractmethod
    def example(self, role: Role) -> Program:
        """The files of a simple program that teams can start from."""

    @abstractmethod
    def release(self, program: Program, private: Data, *, seed: int, sandbox: Sandbox) -> Data:
        """Run a program to make a release; a ``ProgramError`` says why it made none."""

    @abstractmethod
    def guess(
        self, program: Program, question: Question, release: Data, *, seed: int, sandbox: Sandbox
    ) -> Guess:
        """Run a program to answer a question; a ``ProgramError`` says why it gave no answer."""
