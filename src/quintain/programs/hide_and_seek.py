"""The contract of Hide-and-Seek 2020: ``hider(input_dict)`` and ``seeker(input_dict)``."""

from __future__ import annotations

from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Data, Series, as_series
from quintain.data.arrays import Floats, Mask
from quintain.errors import Faults
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.programs.contract import (
    Draws,
    GuessContract,
    Made,
    Program,
    ReleaseContract,
    Role,
    check_module,
    example_module,
    has_module,
)
from quintain.programs.failures import ProgramError, Reason
from quintain.programs.limits import CallLimits
from quintain.programs.runner import Arguments, Returned, call, read_numbers
from quintain.programs.sandbox.provider import Sandbox
from quintain.registry import register
from quintain.wording.languages import tell

_NAMES: dict[Role, str] = {"release": "hider", "guess": "seeker"}
_RESCORE = ("rescore", "reevaluate")
_PADDING = -1.0
_LARGEST = 1e100
"""The squares of larger values overflow, so no seeker could use them."""


@register("hide-and-seek-v1")
class HideAndSeek(ReleaseContract, GuessContract):
    """A zip with ``hider.py`` or ``seeker.py``, whose function takes one dictionary.

    A hider gets ``data`` (persons x steps x columns, time first, NaN for missing values, -1 where a
    series is padded on the left), ``padding_mask`` (true where padded) and ``seed``. It returns an
    array of the same shape, and optionally a mask and a number of evaluations, which is ignored. A
    seeker gets ``generated_data``, ``enlarged_data``, the masks of both and ``seed``. It returns
    one number per person of the enlarged data, above one half for a member; numbers below 0 count
    as 0, and numbers above 1 as 1. The seed does not depend on who is a member. The judge rounds
    what a hider returns to the precision of the data.

    Parameters
    ----------
    steps : programs get only this many first rows of each series.
    limits : {seconds, memory_gib} of one call, and the other packages that programs may import.

    References
    ----------
    The starting kit of the NeurIPS 2020 Hide-and-Seek privacy challenge.

    >>> import quintain as q
    >>> from quintain.errors import Faults
    >>> contract, faults = q.part("contract/hide-and-seek"), Faults("hider.zip")
    >>> contract.check("release", {"notes.txt": b"our hider"}, faults)
    >>> print(faults.findings[0])
    hider.zip: needs hider.py, or a package hider, in the root of the zip
    """

    steps: Annotated[int, Field(ge=1, le=10_000)] = 100
    limits: CallLimits = CallLimits()

    shape: ClassVar[str] = "series"
    roles: ClassVar[tuple[Role, ...]] = ("release", "guess")
    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)

    def check(self, role: Role, program: Program, faults: Faults) -> None:
        """Check that the zip has the module of this role, and not that of the other."""
        name, other = _NAMES[role], _NAMES["guess" if role == "release" else "release"]
        check_module(program, name, faults)
        if has_module(program, other):
            faults.add(tell("also has %(other)s.py; submit only one of them", other=other))

    def example(self, role: Role) -> Program:
        """A hider that adds noise to every value, or a seeker that looks for the nearest series."""
        return example_module("hide_and_seek", _NAMES[role])

    def release(self, program: Program, private: Data, *, draws: Draws, sandbox: Sandbox) -> Made:
        """Call the hider, and check the shape and the size of what it returns."""
        stays = as_series(private)
        data, mask = self._arrays(stays)
        given: dict[str, Arguments] = {"data": data, "padding_mask": mask, "seed": draws.seed}
        made, made_mask = _read_hider(call(program, "hider", "hider", given, self.limits, sandbox))
        if made.shape != data.shape:
            details = f"it returned an array of shape {made.shape}; expected {data.shape}"
            raise ProgramError(Reason.WRONG_SHAPE, details)
        if made_mask is not None and made_mask.shape != data.shape:
            details = f"its mask is of shape {made_mask.shape}; expected {data.shape}"
            raise ProgramError(Reason.WRONG_SHAPE, details)
        if (np.abs(made) > _LARGEST).any():
            raise ProgramError(Reason.BAD_VALUES, f"it returned values beyond {_LARGEST:g}")
        return Made(_series(stays, made, made_mask))

    def guess(
        self, program: Program, question: Question, release: Data, *, seed: int, sandbox: Sandbox
    ) -> Guess:
        """Call the seeker, and check that it returns one finite number per person."""
        assert isinstance(question, MembershipQuestion)  # the edition's goal asks them
        enlarged, enlarged_mask = self._arrays(question.series())
        generated, generated_mask = self._arrays(as_series(release))
        given: dict[str, Arguments] = {
            "generated_data": generated,
            "enlarged_data": enlarged,
            "generated_data_padding_mask": generated_mask,
            "enlarged_data_padding_mask": enlarged_mask,
            "seed": seed,
        }
        returned = call(program, "seeker", "seeker", given, self.limits, sandbox)
        labels = read_numbers(returned[0]) if len(returned) == 1 else None
        size = len(enlarged)
        if labels is None or labels.shape not in ((size,), (size, 1), (1, size)):
            details = f"it did not return one number per person; expected {size} numbers"
            raise ProgramError(Reason.WRONG_SHAPE, details)
        if not np.isfinite(labels).all():
            raise ProgramError(Reason.BAD_VALUES, "it returned labels that are not finite numbers")
        return question.answer(np.clip(labels.ravel(), 0.0, 1.0))

    def _arrays(self, series: Series) -> tuple[Floats, Mask]:
        array, padded = series.padded(self.steps, fill=_PADDING)
        return array, np.repeat(padded[:, :, None], array.shape[2], axis=2)


def _read_hider(returned: Returned) -> tuple[Floats, Mask | None]:
    """Read what a hider returned, in any of the forms of 2020."""
    if not 1 <= len(returned) <= 3:
        details = "it must return data, and optionally a mask and a number; nothing else"
        raise ProgramError(Reason.WRONG_SHAPE, details)
    data, *rest = returned
    if isinstance(data, str) and data in _RESCORE:
        details = f"it returned {data!r}: submit the earlier release instead"
        raise ProgramError(Reason.NOT_NUMBERS, details)
    mask = next((part for part in rest if isinstance(part, np.ndarray)), None)
    return read_numbers(data), None if mask is None else read_numbers(mask) > 0.5


def _series(original: Series, array: Floats, mask: Mask | None) -> Series:
    """Turn an array into released series: without padding, with at least one row per person."""
    empty: Mask = array == _PADDING if mask is None else mask
    padded: Mask = np.all(empty, axis=2)
    padded[np.all(padded, axis=1), -1] = False
    lengths = (~padded).sum(axis=1)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return Series(original.schema, np.arange(len(array)), offsets, array[~padded])
