"""The contract of Hide-and-Seek 2020: ``hider(input_dict)`` and ``seeker(input_dict)``."""

from __future__ import annotations

from importlib import resources
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Data, Series
from quintain.data.arrays import Floats, Mask
from quintain.data.schema import Shape
from quintain.errors import Faults, ProgramError
from quintain.guesses import Guess, MembershipQuestion, Question
from quintain.programs.contract import Contract, Program, Role
from quintain.programs.runner import Arguments, CallLimits, Returned, call
from quintain.registry import register

_NAMES: dict[Role, str] = {"release": "hider", "guess": "seeker"}
_RESCORE = ("rescore", "reevaluate")
_PADDING = -1.0
_LARGEST = 1e100
"""A value beyond this has no square, so no seeker could work with it."""


@register("hide-and-seek-v1")
class HideAndSeek(Contract):
    """A zip with ``hider.py`` or ``seeker.py`` whose function takes one dictionary.

    A hider gets ``data`` (persons x steps x columns, time first, NaN where nothing was measured,
    -1 where a series is padded on the left), ``padding_mask`` (true where padded) and ``seed``.
    It returns an array of that shape, and perhaps a mask and a number of evaluations, which is
    ignored. A seeker gets ``generated_data``, ``enlarged_data``, the masks of both and ``seed``,
    and returns one number for each person of the enlarged data, above one half for a member; below
    0 counts as 0 and above 1 as 1. The seed has nothing to do with who is a member.

    Parameters
    ----------
    steps : a longer series is cut to its first rows, this many.
    limits : {seconds, memory_gib} of one call.

    References: the starting kit of the NeurIPS 2020 Hide-and-Seek privacy challenge.
    """

    steps: Annotated[int, Field(ge=1, le=10_000)] = 100
    limits: CallLimits = CallLimits()

    shape: ClassVar[Shape] = "series"
    answers: ClassVar[tuple[type[Question], ...]] = (MembershipQuestion,)

    def check(self, role: Role, program: Program, faults: Faults) -> None:
        """The function's module is there, and that of the other role is not."""
        mine, other = _NAMES[role], _NAMES["guess" if role == "release" else "release"]
        if not self._has(mine, program):
            faults.add(f"needs {mine}.py, or a package {mine}, in the root of the zip")
        if self._has(other, program):
            faults.add(f"has {other}.py too; hand in one of them")

    @staticmethod
    def _has(name: str, program: Program) -> bool:
        return f"{name}.py" in program or f"{name}/__init__.py" in program

    def example(self, role: Role) -> Program:
        """Noise on every value; the nearest stays."""
        name = f"{_NAMES[role]}.py"
        folder = resources.files("quintain.programs") / "examples" / "hide_and_seek"
        return {name: (folder / name).read_bytes()}

    def release(self, program: Program, private: Data, *, seed: int) -> Data:
        """Call the hider."""
        assert isinstance(private, Series)  # the edition's data are
        data, mask = self._arrays(private)
        given: dict[str, Arguments] = {"data": data, "padding_mask": mask, "seed": seed}
        made, made_mask = _hidden(call(program, "hider", "hider", given, self.limits))
        # No reason says more than what was expected: a shape could carry private data out.
        if made.shape != data.shape:
            raise ProgramError(f"it returned an array that is not of shape {data.shape}")
        if made_mask is not None and made_mask.shape != data.shape:
            raise ProgramError(f"its mask is not of shape {data.shape}")
        if (np.abs(made) > _LARGEST).any():
            raise ProgramError(f"it returned values beyond {_LARGEST:g}")
        return _series(private, made, made_mask)

    def guess(self, program: Program, question: Question, release: Data, *, seed: int) -> Guess:
        """Call the seeker."""
        assert isinstance(question, MembershipQuestion)  # the edition's goal asks them
        assert isinstance(release, Series)
        enlarged, enlarged_mask = self._arrays(question.series())
        generated, generated_mask = self._arrays(release)
        given: dict[str, Arguments] = {
            "generated_data": generated,
            "enlarged_data": enlarged,
            "generated_data_padding_mask": generated_mask,
            "enlarged_data_padding_mask": enlarged_mask,
            "seed": seed,
        }
        returned = call(program, "seeker", "seeker", given, self.limits)
        labels = _array(returned[0]) if len(returned) == 1 else None
        size = len(enlarged)
        if labels is None or labels.shape not in ((size,), (size, 1), (1, size)):
            raise ProgramError(f"it did not return one number for each of {size}")
        if not np.isfinite(labels).all():
            raise ProgramError("it returned labels that are not finite numbers")
        return question.answer(np.clip(labels.ravel(), 0.0, 1.0))

    def _arrays(self, series: Series) -> tuple[Floats, Mask]:
        array, padded = series.padded(self.steps, fill=_PADDING)
        return array, np.repeat(padded[:, :, None], array.shape[2], axis=2)


def _hidden(returned: Returned) -> tuple[Floats, Mask | None]:
    """What a hider returned, in any of the forms of 2020."""
    if not 1 <= len(returned) <= 3:
        raise ProgramError("it is to return data, and perhaps a mask and a number; nothing else")
    data, *rest = returned
    if isinstance(data, str) and data in _RESCORE:
        raise ProgramError(f"it returned {data!r}: hand in the release of before instead")
    mask = next((part for part in rest if isinstance(part, np.ndarray)), None)
    return _array(data), None if mask is None else _array(mask) > 0.5


def _array(part: Any) -> Floats:
    if not isinstance(part, np.ndarray) or part.dtype.kind not in "biuf":
        raise ProgramError("it returned something that is no array of numbers")
    with np.errstate(over="ignore"):  # what is too large is told as such
        return part.astype(np.float64)


def _series(original: Series, array: Floats, mask: Mask | None) -> Series:
    """Released series: padding dropped, every person with a row at least."""
    empty: Mask = array == _PADDING if mask is None else mask
    padded: Mask = np.all(empty, axis=2)
    padded[np.all(padded, axis=1), -1] = False
    lengths = (~padded).sum(axis=1)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return Series(original.schema, np.arange(len(array)), offsets, array[~padded])
