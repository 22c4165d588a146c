"""The contract of models that answer: ``answer(input_dict)`` gives the share of each class."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quintain.data import TrainedModel
from quintain.data.models import list_answers, variables
from quintain.errors import Faults
from quintain.programs.contract import (
    AnswerContract,
    Draws,
    Program,
    Queries,
    Role,
    check_module,
    example_module,
)
from quintain.programs.failures import ProgramError, Reason
from quintain.programs.limits import CallLimits
from quintain.programs.runner import Arguments, call, read_numbers
from quintain.programs.sandbox.provider import Sandbox
from quintain.registry import register
from quintain.wording.languages import say, write_decimal

_MODULE, _FUNCTION = "model", "answer"


@register("answers-v1")
class ModelAnswers(AnswerContract):
    """A zip with ``model.py``, whose function ``answer`` takes one dictionary.

    A team trains at home on its private sample and submits a program that answers in place of its
    model, with whatever the program needs beside it. The function gets ``records`` (a row per
    record, a column per variable, as models of the contest read them), ``classes`` (the number of
    values of the label) and ``seed``. It returns one row per record with the share of each class.
    Shares are at least 0; each row is divided by its sum.

    The judge calls it once, in a sandbox, about everybody in the population and all test records,
    in an order that tells nothing, so a program cannot know which of them are challenge points.
    Attackers get as many of the answers as ``model.queries`` of the edition says, and never the
    program. The judge rounds them: with 500 private records, to three decimals.

    Parameters
    ----------
    limits : {seconds, memory_gib} of the call, and the other packages that programs may import.

    >>> import quintain as q
    >>> from quintain.errors import Faults
    >>> contract, faults = q.part("contract/answers"), Faults("model.zip")
    >>> contract.check("release", {"weights.npy": b"..."}, faults)
    >>> print(faults.findings[0])
    model.zip: needs model.py, or a package model, in the root of the zip
    """

    shape: ClassVar[str] = "table"

    limits: CallLimits = CallLimits(seconds=600, memory_gib=4)

    @property
    def gives_sample(self) -> bool:
        """Teams train at home, so they see their private sample."""
        return True

    def check(self, role: Role, program: Program, faults: Faults) -> None:
        """Check that the zip has the module."""
        check_module(program, _MODULE, faults)

    def rules(self) -> list[str]:
        """What the function gets and returns, and what one call may use."""
        return [
            say(
                "%(module)s.py has a function %(function)s, which gets records and returns the "
                "share of each class, one row per record. Teams see their private sample and train "
                "at home.",
                module=_MODULE,
                function=_FUNCTION,
            ),
            say(
                "The judge calls it once, with all records that it will ever be asked about. The "
                "call may take %(seconds)s seconds and %(memory)s GiB of memory.",
                seconds=write_decimal(self.limits.seconds),
                memory=write_decimal(self.limits.memory_gib),
            ),
        ]

    def example(self, role: Role) -> Program:
        """A logistic regression that reads its weights from a file."""
        return example_module("answers", _MODULE)

    def answer(
        self, program: Program, queries: Queries, *, draws: Draws, sandbox: Sandbox
    ) -> TrainedModel:
        """Ask the program about all records, and check that each has an answer."""
        form, records = queries.form, queries.records
        classes = len(form.classes)
        given: dict[str, Arguments] = {
            "records": variables(form, records),
            "classes": classes,
            "seed": draws.seed,
        }
        returned = call(program, _MODULE, _FUNCTION, given, self.limits, sandbox)
        shares = read_numbers(returned[0]) if len(returned) == 1 else None
        expected = f"expected {len(records)} answers of {classes} shares"
        if shares is None:
            raise ProgramError(
                Reason.WRONG_SHAPE, f"it returned {len(returned)} values; {expected}"
            )
        if shares.shape != (len(records), classes):
            details = f"it returned an array of shape {shares.shape}; {expected}"
            raise ProgramError(Reason.WRONG_SHAPE, details)
        with np.errstate(over="ignore"):
            total = shares.sum(axis=1, keepdims=True)
        if not np.isfinite(total).all() or (shares < 0).any() or not (total > 0).all():
            details = "it returned shares that are negative, not finite, or all zero for a record"
            raise ProgramError(Reason.BAD_VALUES, details)
        return list_answers(form, records, shares / total)
