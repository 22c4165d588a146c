"""Contract: how the organisers call a program that a team handed in."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar, Literal

from quintain.data import Data
from quintain.data.schema import Shape
from quintain.errors import Faults
from quintain.guesses import Guess, Question
from quintain.registry import Part

Role = Literal["release", "guess"]
"""What a program makes."""

Program = Mapping[str, bytes]
"""The files of a program, by path."""


class Contract(Part, ABC):
    """An interface between the organisers and programs.

    Attributes
    ----------
    shape : the kind of data its programs work on.
    answers : the kinds of question its programs can answer.
    """

    family: ClassVar[str] = "contract"
    shape: ClassVar[Shape]
    answers: ClassVar[tuple[type[Question], ...]]

    @abstractmethod
    def check(self, role: Role, program: Program, faults: Faults) -> None:
        """Note everything that keeps a program from being called at all."""

    @abstractmethod
    def example(self, role: Role) -> Program:
        """A simple program to start from."""

    @abstractmethod
    def release(self, program: Program, private: Data, *, seed: int) -> Data:
        """Let a program make a release; a ``ProgramError`` says why there is none."""

    @abstractmethod
    def guess(self, program: Program, question: Question, release: Data, *, seed: int) -> Guess:
        """Let a program answer a question; a ``ProgramError`` says why there is no answer."""
