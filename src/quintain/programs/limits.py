"""Limits: how much time and memory a program may use in one call."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

GIB, MIB = 1 << 30, 1 << 20


class CallLimits(BaseModel):
    """How much time and memory a program may use in one call.

    Parameters
    ----------
    seconds : how long the program may run.
    memory_gib : how much memory it may use, together with the processes that it starts.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    seconds: Annotated[float, Field(gt=0)] = 86_400.0
    memory_gib: Annotated[float, Field(gt=0)] = 16.0

    @property
    def memory(self) -> int:
        """The memory in bytes."""
        return int(self.memory_gib * GIB)
