"""Limits: how much time and memory a program may use in one call, and which packages."""

from __future__ import annotations

import operator
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

GIB, MIB = 1 << 30, 1 << 20

PackageName = Annotated[str, Field(pattern=r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$")]
"""The name of a package as its makers published it."""


class CallLimits(BaseModel):
    """How much time and memory a program may use in one call, and which packages.

    Parameters
    ----------
    seconds : how long the program may run.
    memory_gib : how much memory it may use, together with the processes that it starts.
    packages : packages that it may import beside numpy, scipy, scikit-learn and pandas, such as
        torch.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    seconds: Annotated[float, Field(gt=0)] = 86_400.0
    memory_gib: Annotated[float, Field(gt=0)] = 16.0
    # Rules without other packages keep their bytes.
    packages: tuple[PackageName, ...] = Field(default=(), exclude_if=operator.not_)

    @property
    def memory(self) -> int:
        """The memory in bytes."""
        return int(self.memory_gib * GIB)
